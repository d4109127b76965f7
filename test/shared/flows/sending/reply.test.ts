import { GetCommand, PutCommand, QueryCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Caller } from "../../../../shared/domain/access/api-keys.ts";
import { conversationId } from "../../../../shared/domain/inbox/conversations.ts";
import { sendReply } from "../../../../shared/flows/sending/reply.ts";
import type { TenantId } from "../../../../shared/kernel/tenant.ts";
import { DAY, HOUR } from "../../../../shared/kernel/time.ts";
import { conversationStore } from "../../../../shared/stores/inbox/conversations.ts";
import { messageStore } from "../../../../shared/stores/inbox/messages.ts";
import { injectFaults } from "../../../support/faults.ts";
import { type Receiver, startReceiver } from "../../net/receiver.ts";
import { INBOX, messageOf, newTenant, PERSON } from "../../stores/support/samples.ts";
import { type House, type Lane, openHouse } from "../support/house.ts";
import { depth } from "../support/queue-work.ts";

let house: House;
let lane: Lane;
let tenant: TenantId;
let graph: Receiver;
let answer: { status: number; body: unknown };
let conversation: string;
let sent = 0;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

// A person wrote to a connected account just now, and the platform takes what it is sent.
beforeEach(async () => {
  tenant = newTenant();
  lane = await house.newLane();
  answer = { status: 200, body: { message_id: `mid-${++sent}` } };
  graph = await startReceiver((response) => response.writeHead(answer.status).end(JSON.stringify(answer.body)));
  await house.connect(tenant);
  conversation = idOf(tenant);
  await wrote("hello");
});

function idOf(of: TenantId): string {
  const account = { platform: "instagram", externalId: `ig-${of}` } as const;
  return conversationId({ tenant: of, account, participantId: PERSON });
}

async function wrote(id: string, rest: object = {}): Promise<void> {
  const account = { platform: "instagram", externalId: `ig-${tenant}` } as const;
  const message = messageOf(tenant, { id, account, conversationId: conversation, sentAt: house.now(), ...rest });
  await messageStore(house.table).record(tenant, message, house.now());
  await conversationStore(house.table).apply(tenant, message, INBOX);
}

const callerOf = (of: TenantId, scope: "live" | "test" = "live"): Caller => ({
  kind: "tenant_key",
  keyId: "k1",
  tenant: of,
  scope,
});
const ports = () => house.apiPorts(lane, `http://127.0.0.1:${graph.port}`);
const reply = (text = "hi", caller = callerOf(tenant), to = conversation) =>
  sendReply(ports(), caller, { conversationId: to, text, replyTo: null }, house.now);
const head = () => conversationStore(house.table).get(tenant, conversation, house.now());
const announcements = () => depth(house.eventSource, lane.events);

async function sendRecords(): Promise<Record<string, unknown>[]> {
  const { Items = [] } = await house.table.client.send(
    new QueryCommand({
      TableName: house.table.name,
      KeyConditionExpression: "PK = :c AND begins_with(SK, :j)",
      ExpressionAttributeValues: { ":c": conversation, ":j": "J#" },
    }),
  );
  return Items;
}

async function expectNothingSent(): Promise<void> {
  expect(graph.taken).toEqual([]);
  expect(await sendRecords()).toEqual([]);
  expect(await announcements()).toBe(0);
}

describe("a reply", () => {
  it("goes to the platform once, with the account's token, and is kept, shown and announced", async () => {
    house.turn(1);
    expect(await reply("hi")).toEqual({ messageId: `mid-${sent}` });
    expect(graph.taken).toHaveLength(1);
    expect(graph.taken[0]?.headers.authorization).toBe(`Bearer token-of-${tenant}`);
    expect(JSON.parse(graph.taken[0]?.body ?? "")).toMatchObject({
      recipient: { id: PERSON },
      message: { text: "hi" },
    });
    expect(await messageStore(house.table).byId(tenant, `mid-${sent}`, house.now())).toMatchObject({
      direction: "outbound",
      sentVia: "api_in_window",
      text: "hi",
      scope: "live",
    });
    expect(await head()).toMatchObject({ lastDirection: "outbound", lastMessageText: "hi" });
    expect(await announcements()).toBe(1);
    expect(await sendRecords()).toMatchObject([{ st: "sent", m: `mid-${sent}` }]);
  });

  it("is possible until 24 hours after the person's last message, to the millisecond", async () => {
    house.turn(24 * HOUR - 1);
    expect(await reply()).toEqual({ messageId: `mid-${sent}` });
    house.turn(1);
    expect(await reply()).toMatchObject({ refused: "window_closed" });
    expect(graph.taken).toHaveLength(1);
    await wrote("again");
    answer = { status: 200, body: { message_id: `mid-${sent}-later` } };
    expect(await reply()).toMatchObject({ messageId: `mid-${sent}-later` });
  });

  it("is refused where the person never wrote, and unknown where the conversation has expired", async () => {
    conversation = conversation.replace(PERSON, "5550001");
    const participant = { id: "5550001", handle: null, username: null };
    await wrote("ours", { participant, direction: "echo" });
    expect(await reply()).toMatchObject({ refused: "window_closed" });
    house.turn(7 * DAY);
    expect(await reply()).toEqual({ refused: "conversation_not_found" });
    expect(graph.taken).toEqual([]);
  });

  it("may be 1 000 bytes on Instagram, and not one more", async () => {
    expect(await reply(`${"é".repeat(500)}`)).toHaveProperty("messageId");
    expect(await reply(`${"é".repeat(500)}x`)).toEqual({ refused: "invalid_request", detail: "text_too_long" });
    expect(graph.taken).toHaveLength(1);
    expect(await sendRecords()).toHaveLength(1);
  });

  it("to another tenant's conversation is refused word for word as one to nobody's", async () => {
    const stranger = newTenant();
    const foreign = await reply("hi", callerOf(stranger));
    expect(foreign).toEqual(await reply("hi", callerOf(stranger), idOf(stranger)));
    expect(foreign).toEqual(await reply("hi", callerOf(stranger), "CONV#not#an#id"));
    expect(foreign).toEqual({ refused: "conversation_not_found" });
    const operator: Caller = { kind: "operator_key", keyId: "o", tenants: [stranger], scope: "live" };
    expect(await reply("hi", operator)).toEqual(foreign);
    await expectNothingSent();
    expect(await reply("hi", { ...operator, tenants: [stranger, tenant] })).toHaveProperty("messageId");
  });

  it.each(["needs_reauth", "restricted"])("from an account that is %s is refused without a call", async (status) => {
    await house.table.client.send(
      new UpdateCommand({
        TableName: house.table.name,
        Key: { PK: `T#${tenant}`, SK: `ACC#instagram#ig-${tenant}` },
        UpdateExpression: "SET st = :st",
        ExpressionAttributeValues: { ":st": status },
      }),
    );
    expect(await reply()).toEqual({ refused: `account_${status}`, detail: status });
    await expectNothingSent();
  });

  it("from an account whose token could not be refreshed lately is tried all the same", async () => {
    await house.table.client.send(
      new UpdateCommand({
        TableName: house.table.name,
        Key: { PK: `T#${tenant}`, SK: `ACC#instagram#ig-${tenant}` },
        UpdateExpression: "SET st = :st",
        ExpressionAttributeValues: { ":st": "refresh_failing" },
      }),
    );
    expect(await reply()).toHaveProperty("messageId");
  });

  it("that the platform refuses leaves a failed record and no message, and is announced as failed", async () => {
    answer = { status: 400, body: { error: { code: 551, message: "This person isn't available right now." } } };
    expect(await reply()).toMatchObject({ refused: "send_failed" });
    expect(await sendRecords()).toMatchObject([{ st: "failed" }]);
    expect(await head()).toMatchObject({ lastDirection: "inbound", lastOutboundAt: null });
    expect(await announcements()).toBe(1);
  });

  it.each([
    ["a 500", { status: 500, body: "oops" }],
    ["a 200 that names no message", { status: 200, body: {} }],
  ])("whose outcome is unknown, as after %s, is recorded as such and never made again", async (_name, given) => {
    answer = given;
    expect(await reply()).toEqual({ refused: "outcome_unknown", detail: "outcome_unknown" });
    expect(graph.taken).toHaveLength(1);
    expect(await sendRecords()).toMatchObject([{ st: "unknown" }]);
  });

  it("has its record before the platform is called", async () => {
    const end = injectFaults(house.client, ({ command }) => (command === "PutItem" ? "crash" : "pass"));
    await expect(reply()).rejects.toThrow("crashed");
    end();
    await expectNothingSent();
  });
});

describe("a reply with a test key", () => {
  it("reaches nobody: it is kept as a test message, announced, and leaves the head alone", async () => {
    const before = await head();
    house.turn(5);
    const answered = await reply("hi", callerOf(tenant, "test"));
    const messageId = "messageId" in answered ? answered.messageId : "";
    expect(messageId).toMatch(/^mock_mid_/);
    expect(graph.taken).toEqual([]);
    expect(await messageStore(house.table).byId(tenant, messageId, house.now())).toMatchObject({
      scope: "test",
      direction: "outbound",
    });
    expect(await head()).toEqual(before);
    expect(await announcements()).toBe(1);
  });

  it("keeps the window and the text's length all the same", async () => {
    expect(await reply("x".repeat(1_001), callerOf(tenant, "test"))).toMatchObject({ detail: "text_too_long" });
    house.turn(24 * HOUR);
    expect(await reply("hi", callerOf(tenant, "test"))).toMatchObject({ refused: "window_closed" });
  });
});

describe("a token that was sealed for another tenant", () => {
  it("does not open when its account's row is copied: a fault, and nothing is sent", async () => {
    const owner = newTenant();
    await house.connect(owner);
    const { Item } = await house.table.client.send(
      new GetCommand({ TableName: house.table.name, Key: { PK: `T#${owner}`, SK: `ACC#instagram#ig-${owner}` } }),
    );
    await house.table.client.send(
      new PutCommand({ TableName: house.table.name, Item: { ...Item, PK: `T#${tenant}` } }),
    );
    const account = { platform: "instagram", externalId: `ig-${owner}` } as const;
    conversation = conversationId({ tenant, account, participantId: PERSON });
    await wrote("copied", { account });
    await expect(reply()).rejects.toMatchObject({ name: "InvalidCiphertextException" });
    await expectNothingSent();
  });
});
