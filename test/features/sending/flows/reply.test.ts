import { beforeEach, expect, it } from "vitest";
import { startRequestTime } from "#base/kernel/request-time.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { DAY, HOUR, MINUTE } from "#base/kernel/time.ts";
import type { Caller } from "#features/access/rules/callers.ts";
import { decodeEvent } from "#features/delivery/event-queue.ts";
import { conversationId } from "#features/inbox/rules/messages.ts";
import { conversationStore } from "#features/inbox/store/conversations.ts";
import { messageStore } from "#features/inbox/store/messages.ts";
import { sendReply } from "#features/sending/flows/reply.ts";
import { type Receiver, startReceiver } from "../../../base/net/receiver.ts";
import { injectFaults } from "../../../support/faults.ts";
import { queueDepth, receiveAllMessages } from "../../../support/flows/queue-worker.ts";
import { openTestEnv, type TestQueues } from "../../../support/flows/test-env.ts";
import { openedOnce } from "../../../support/opened.ts";
import { queryItems, readItem, setAttributes, writeItem } from "../../../support/stores/items.ts";
import { newTenant, PERSON, SAMPLE_INBOX, sampleMessage } from "../../../support/stores/samples.ts";

let queues: TestQueues;
let tenant: TenantId;
let fakePlatform: Receiver;
let platformAnswer: { status: number; body: unknown };
let conversation: string;
let sentCount = 0;
const testEnv = openedOnce(openTestEnv);

// A person has just written to a connected account, and the platform accepts every message.
beforeEach(async () => {
  tenant = newTenant();
  queues = await testEnv.newQueues();
  platformAnswer = { status: 200, body: { message_id: `mid-${++sentCount}` } };
  fakePlatform = await startReceiver((response) =>
    response.writeHead(platformAnswer.status).end(JSON.stringify(platformAnswer.body)),
  );
  await testEnv.connect(tenant);
  conversation = conversationIdFor(tenant);
  await recordInbound("hello");
});

function conversationIdFor(forTenant: TenantId): string {
  const account = { platform: "instagram", externalId: `ig-${forTenant}` } as const;
  return conversationId({ tenant: forTenant, account, participantId: PERSON });
}

async function recordInbound(id: string, rest: object = {}): Promise<void> {
  const account = { platform: "instagram", externalId: `ig-${tenant}` } as const;
  const message = sampleMessage(tenant, { id, account, conversationId: conversation, sentAt: testEnv.now(), ...rest });
  await messageStore(testEnv.table).record(tenant, message, testEnv.now());
  await conversationStore(testEnv.table).advanceHead(tenant, message, SAMPLE_INBOX);
}

const callerFor = (forTenant: TenantId, scope: "live" | "test" = "live"): Caller => ({
  kind: "tenant_key",
  keyId: "k1",
  tenant: forTenant,
  scope,
});
const ports = () => testEnv.apiPorts(queues, `http://127.0.0.1:${fakePlatform.port}`);
const reply = (text = "hi", caller = callerFor(tenant), to = conversation) =>
  sendReply(ports(), {
    caller,
    reply: { conversationId: to, text, replyTo: null },
    time: startRequestTime(testEnv.now),
  });
const head = () => conversationStore(testEnv.table).get(tenant, conversation, testEnv.now());
const countEvents = () => queueDepth(testEnv.eventSource, queues.events);

async function sendRecords(): Promise<Record<string, unknown>[]> {
  const Items = await queryItems(testEnv.table, conversation, "J#");
  return Items;
}

async function expectNothingSent(): Promise<void> {
  expect(fakePlatform.requests).toEqual([]);
  expect(await sendRecords()).toEqual([]);
  expect(await countEvents()).toBe(0);
}

it("a reply of a signed-in person is stored and published in their name, and that of a key in no one's", async () => {
  const person: Caller = {
    kind: "session",
    userId: "usr_1",
    email: "ada@example.com",
    name: "Ada",
    expiresAt: testEnv.now() + HOUR,
    epoch: 0,
    csrfToken: "token",
    memberships: [{ tenant, role: "agent", isSuspended: false }],
    scope: "live",
  };
  const storedActor = async (caller: Caller) => {
    platformAnswer = { status: 200, body: { message_id: `mid-${++sentCount}` } };
    expect(await reply("hi", caller)).toEqual({ messageId: `mid-${sentCount}` });
    const stored = await messageStore(testEnv.table).getById(tenant, `mid-${sentCount}`, testEnv.now());
    return stored?.actorId;
  };
  expect(await storedActor(person)).toBe("console:usr_1");
  expect(await storedActor(callerFor(tenant))).toBeNull();
  expect(await sendRecords()).toMatchObject(expect.arrayContaining([expect.objectContaining({ ac: "console:usr_1" })]));
});

it("the event of a reply says how long the person waited for it, and that of a further reply does not", async () => {
  const startedAt = testEnv.now();
  testEnv.advance(HOUR);
  const answeredAfter: unknown[] = [];
  for (const text of ["first", "second"]) {
    platformAnswer = { status: 200, body: { message_id: `mid-${++sentCount}` } };
    await reply(text);
    testEnv.advance(1);
    for (const { body } of await receiveAllMessages(testEnv.eventSource, queues.events))
      answeredAfter.push(decodeEvent(body)?.answeredAfter);
  }
  expect(answeredAfter).toEqual([testEnv.now() - 2 - startedAt, undefined]);
});

it("a reply is sent to the platform once with the account's token, stored, shown in the inbox and published", async () => {
  testEnv.advance(1);
  expect(await reply("hi")).toEqual({ messageId: `mid-${sentCount}` });
  expect(fakePlatform.requests).toHaveLength(1);
  expect(fakePlatform.requests[0]?.headers.authorization).toBe(`Bearer token-of-${tenant}`);
  expect(JSON.parse(fakePlatform.requests[0]?.body ?? "")).toMatchObject({
    recipient: { id: PERSON },
    message: { text: "hi" },
  });
  expect(await messageStore(testEnv.table).getById(tenant, `mid-${sentCount}`, testEnv.now())).toMatchObject({
    direction: "outbound",
    sentVia: "api_in_window",
    text: "hi",
    scope: "live",
  });
  expect(await head()).toMatchObject({ lastDirection: "outbound", lastMessageText: "hi" });
  expect(await countEvents()).toBe(1);
  expect(await sendRecords()).toMatchObject([{ st: "sent", m: `mid-${sentCount}` }]);
});

it("a reply is allowed until 24 hours after the person's last message, to the millisecond", async () => {
  testEnv.advance(24 * HOUR - 1);
  expect(await reply()).toEqual({ messageId: `mid-${sentCount}` });
  testEnv.advance(1);
  expect(await reply()).toMatchObject({ refused: "window_closed" });
  expect(fakePlatform.requests).toHaveLength(1);
  await recordInbound("again");
  platformAnswer = { status: 200, body: { message_id: `mid-${sentCount}-later` } };
  expect(await reply()).toMatchObject({ messageId: `mid-${sentCount}-later` });
});

it("a reply is refused if the person never wrote, and not found after the conversation has expired", async () => {
  conversation = conversation.replace(PERSON, "5550001");
  const participant = { id: "5550001", handle: null, username: null };
  await recordInbound("ours", { participant, direction: "echo" });
  expect(await reply()).toMatchObject({ refused: "window_closed_no_inbound" });
  testEnv.advance(7 * DAY);
  expect(await reply()).toEqual({ refused: "conversation_not_found" });
  expect(fakePlatform.requests).toEqual([]);
});

it("a reply is limited to 1,000 bytes on Instagram", async () => {
  expect(await reply(`${"é".repeat(500)}`)).toHaveProperty("messageId");
  expect(await reply(`${"é".repeat(500)}x`)).toMatchObject({ refused: "invalid_request", detail: "text_too_long" });
  expect(fakePlatform.requests).toHaveLength(1);
  expect(await sendRecords()).toHaveLength(1);
});

it("a reply to another tenant's conversation is refused exactly like one to an unknown conversation", async () => {
  const stranger = newTenant();
  const foreign = await reply("hi", callerFor(stranger));
  expect(foreign).toEqual(await reply("hi", callerFor(stranger), conversationIdFor(stranger)));
  expect(foreign).toEqual(await reply("hi", callerFor(stranger), "CONV#not#an#id"));
  expect(foreign).toEqual({ refused: "conversation_not_found" });
  const operator = { kind: "operator_key", keyId: "o", tenants: [stranger], scope: "live" } as const;
  expect(await reply("hi", { ...operator, suspendedTenants: [] })).toEqual(foreign);
  const suspended = { ...operator, tenants: [stranger, tenant], suspendedTenants: [tenant] };
  expect(await reply("hi", suspended)).toEqual({ refused: "tenant_suspended" });
  await expectNothingSent();
  expect(await reply("hi", { ...operator, tenants: [stranger, tenant], suspendedTenants: [stranger] })).toHaveProperty(
    "messageId",
  );
});

it.each(["needs_reauth", "restricted"])(
  "a reply from an account with status %s is refused without a platform call",
  async (status) => {
    await setAttributes(
      testEnv.table,
      { PK: `T#${tenant}`, SK: `ACC#instagram#ig-${tenant}` },
      { st: status, ra: testEnv.now() + MINUTE },
    );
    expect(await reply()).toMatchObject({ refused: `account_${status}`, detail: status });
    await expectNothingSent();
  },
);

it("a reply from an account with status refresh_failing is sent", async () => {
  await setAttributes(
    testEnv.table,
    { PK: `T#${tenant}`, SK: `ACC#instagram#ig-${tenant}` },
    { st: "refresh_failing" },
  );
  expect(await reply()).toHaveProperty("messageId");
});

it("a reply that the platform refuses leaves a failed record and no message, and publishes message.failed", async () => {
  platformAnswer = { status: 400, body: { error: { code: 551, message: "This person isn't available right now." } } };
  expect(await reply()).toMatchObject({ refused: "send_failed" });
  expect(await sendRecords()).toMatchObject([{ st: "failed" }]);
  expect(await head()).toMatchObject({ lastDirection: "inbound", lastOutboundAt: null });
  expect(await countEvents()).toBe(1);
});

it.each([
  ["a 500", { status: 500, body: "oops" }],
  ["a 200 without a message id", { status: 200, body: {} }],
])(
  "a reply with an unknown outcome after %s is recorded as unknown and never sent again",
  async (_name, platformFault) => {
    platformAnswer = platformFault;
    expect(await reply()).toEqual({ refused: "outcome_unknown", detail: "outcome_unknown" });
    expect(fakePlatform.requests).toHaveLength(1);
    expect(await sendRecords()).toMatchObject([{ st: "unknown" }]);
  },
);

it("a reply writes its record before it calls the platform", async () => {
  const end = injectFaults(testEnv.client, ({ command }) => (command === "PutItem" ? "crash" : "pass"));
  await expect(reply()).rejects.toThrow("crashed");
  end();
  await expectNothingSent();
});

it("a reply with a test key reaches no one: it is stored as a test message, published, and does not change the head", async () => {
  const before = await head();
  testEnv.advance(5);
  const response = await reply("hi", callerFor(tenant, "test"));
  const messageId = "messageId" in response ? response.messageId : "";
  expect(messageId).toMatch(/^mock_mid_/);
  expect(fakePlatform.requests).toEqual([]);
  expect(await messageStore(testEnv.table).getById(tenant, messageId, testEnv.now())).toMatchObject({
    scope: "test",
    direction: "outbound",
  });
  expect(await head()).toEqual(before);
  expect(await countEvents()).toBe(1);
});

it("a reply with a test key obeys the window and the text limit", async () => {
  expect(await reply("x".repeat(1_001), callerFor(tenant, "test"))).toMatchObject({ detail: "text_too_long" });
  testEnv.advance(24 * HOUR);
  expect(await reply("hi", callerFor(tenant, "test"))).toMatchObject({ refused: "window_closed" });
});

it("a token sealed for another tenant does not open when the row of its account is copied: a fault, and nothing is sent", async () => {
  const owner = newTenant();
  await testEnv.connect(owner);
  const Item = await readItem(testEnv.table, { PK: `T#${owner}`, SK: `ACC#instagram#ig-${owner}` });
  await writeItem(testEnv.table, { ...Item, PK: `T#${tenant}` });
  const account = { platform: "instagram", externalId: `ig-${owner}` } as const;
  conversation = conversationId({ tenant, account, participantId: PERSON });
  await recordInbound("copied", { account });
  await expect(reply()).rejects.toMatchObject({ name: "InvalidCiphertextException" });
  await expectNothingSent();
});
