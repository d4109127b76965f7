import { UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { ingestWorker } from "../../../../functions/ingest/worker.ts";
import { openQueue } from "../../../../shared/aws/queues.ts";
import type { AccountStatus } from "../../../../shared/domain/accounts/accounts.ts";
import { conversationId } from "../../../../shared/domain/inbox/conversations.ts";
import { renderedEvents } from "../../../../shared/flows/delivery/rendered-events.ts";
import { fetchProfile } from "../../../../shared/flows/inbox/fetch-profile.ts";
import type { TenantId } from "../../../../shared/kernel/tenant.ts";
import { DAY, HOUR } from "../../../../shared/kernel/time.ts";
import { readEvent, readProfile } from "../../../../shared/queues/messages.ts";
import { eventBodyStore } from "../../../../shared/stores/delivery/event-bodies.ts";
import { conversationStore } from "../../../../shared/stores/inbox/conversations.ts";
import { messageStore } from "../../../../shared/stores/inbox/messages.ts";
import { accountItemKey } from "../../../../shared/stores/keys.ts";
import { json, startLoopback } from "../../platforms/loopback.ts";
import { newTenant, PERSON } from "../../stores/support/samples.ts";
import { type House, type Lane, openHouse } from "../support/house.ts";
import { handOut, receiveAll } from "../support/queue-work.ts";
import { inboundOf, webhook } from "../support/webhooks.ts";

let house: House;
let graph: Awaited<ReturnType<typeof startLoopback>>;
let tenant: TenantId;
let account: string;
let lane: Lane;
beforeAll(async () => {
  [house, graph] = await Promise.all([openHouse(), startLoopback()]);
});
afterAll(() => Promise.all([house.close(), graph.stop()]));
beforeEach(async () => {
  tenant = newTenant();
  [lane, account] = await Promise.all([house.newLane(), house.connect(tenant)]);
  house.lines.length = 0;
  graph.answerWith(json(200, { id: PERSON, name: "Ada Lind", username: "ada.lind" }));
});

const conversation = () =>
  conversationId({ tenant, account: { platform: "instagram", externalId: account }, participantId: PERSON });
const head = () => conversationStore(house.table).get(tenant, conversation(), house.now());
const known = async () => (await head())?.participantProfile;

let mids = 0;
/** The person writes, or the account does; what is taken in by a worker of its own. */
async function writes(echo = false): Promise<void> {
  house.turn(1_000);
  const raw = webhook(account, [{ mid: `${tenant}-${++mids}`, text: "hello", at: house.now(), echo }]);
  await openQueue(lane.inbound, house.eventSource).send({ body: inboundOf(raw, house.now()) });
  const { failed } = await handOut(house.eventSource, lane.inbound, ingestWorker(house.ingestPorts(lane), house.now));
  expect(failed).toEqual([]);
}

/** Who was asked for since the last time. */
async function requests(): Promise<(string | undefined)[]> {
  const { records } = await handOut(house.eventSource, lane.profiles, async () => ({ batchItemFailures: [] }));
  return records.map(({ body }) => readProfile(body)?.conversationId);
}
const lookUp = () =>
  fetchProfile(house.profilePorts(graph.origin), { tenant, conversationId: conversation() }, house.now());

async function setStatus(status: AccountStatus): Promise<void> {
  const Key = accountItemKey(tenant, { platform: "instagram", externalId: account });
  const ExpressionAttributeValues = { ":st": status };
  const TableName = house.table.name;
  await house.table.client.send(
    new UpdateCommand({ TableName, Key, UpdateExpression: "SET st = :st", ExpressionAttributeValues }),
  );
}

async function announcedPeople(): Promise<unknown[]> {
  const records = await receiveAll(house.eventSource, lane.events);
  const events = records.flatMap(({ body }) => readEvent(body) ?? []);
  const ports = { messages: messageStore(house.table), eventBodies: eventBodyStore(house.table) };
  const rendered = await renderedEvents(ports, tenant, events);
  return [...rendered.values()].map(({ body }) => JSON.parse(body).data.message.participant);
}

describe("a person is asked for", () => {
  it("with their first message, and not with the account's own before it", async () => {
    await writes(true);
    expect(await requests()).toEqual([]);
    await writes();
    expect(await requests()).toEqual([conversation()]);
  });

  it("with each message until something is known of them, and then not for 24 hours", async () => {
    await writes();
    await writes();
    expect(await requests()).toHaveLength(2);
    await lookUp();
    await writes();
    house.turn(24 * HOUR - 2_001);
    await writes();
    expect(await requests()).toEqual([]);
    house.turn(1);
    await writes();
    expect(await requests()).toEqual([conversation()]);
  });

  it.each([
    ["unavailable", json(400, { error: { code: 230 } })],
    ["partial", json(200, { id: PERSON })],
  ] as const)("again after 24 hours when the profile is %s", async (state, answer) => {
    graph.answerWith(answer);
    await writes();
    await lookUp();
    expect(await known()).toBe(state);
    await requests();
    await writes();
    expect(await requests()).toEqual([]);
    house.turn(24 * HOUR);
    await writes();
    expect(await requests()).toHaveLength(1);
  });
});

describe("a look-up", () => {
  it("makes the profile complete, and the next message's event names the person", async () => {
    await writes();
    const { participantProfile } = (await head()) ?? {};
    expect(participantProfile).toBe("pending");
    expect(await lookUp()).toEqual({ end: "done" });
    expect(graph.calls.map(({ url, headers }) => [url, headers.authorization])).toEqual([
      [`/v26.0/${PERSON}?fields=name,username,profile_pic`, `Bearer token-of-${tenant}`],
    ]);
    expect(await head()).toMatchObject({
      participantProfile: "complete",
      participantHandle: "ada.lind",
      participantUsername: "ada.lind",
      participantPicture: null,
    });
    await writes();
    expect(await announcedPeople()).toEqual([
      { id: PERSON, handle: null, username: null },
      { id: PERSON, handle: "ada.lind", username: "ada.lind" },
    ]);
    expect(house.lines).toContainEqual({ event: "profile", outcome: "complete", platform: "instagram" });
    expect(JSON.stringify(house.lines)).not.toMatch(/ada|token-of/i);
  });

  it("that comes again asks the platform no second time", async () => {
    await writes();
    await lookUp();
    expect(await lookUp()).toEqual({ end: "drop", reason: "stale" });
    expect(graph.calls).toHaveLength(1);
  });

  it.each([
    ["the token has ended", json(400, { error: { code: 190 } })],
    ["the pace is too high", json(400, { error: { code: 613 } })],
    ["the platform has trouble", json(500, { error: { code: 2 } })],
    ["the platform says nothing", () => {}],
  ] as const)("leaves all as it was when %s, and is not repeated", async (_name, answer) => {
    await writes();
    graph.answerWith(answer);
    expect(await lookUp()).toEqual({ end: "done" });
    expect(await known()).toBe("pending");
    expect(graph.calls).toHaveLength(1);

    graph.answerWith(json(200, { id: PERSON, username: "ada.lind" }));
    await lookUp();
    house.turn(DAY);
    graph.answerWith(answer);
    await lookUp();
    expect(graph.calls).toHaveLength(1);
    expect(await head()).toMatchObject({ participantProfile: "complete", participantHandle: "ada.lind" });
  });

  it("of a conversation that is gone or past its days asks nobody", async () => {
    expect(await lookUp()).toEqual({ end: "drop", reason: "gone" });
    await writes();
    house.turn(7 * DAY);
    expect(await lookUp()).toEqual({ end: "drop", reason: "gone" });
    expect(graph.calls).toEqual([]);
  });

  it.each(["needs_reauth", "restricted"] as const)("on an account that is %s asks nobody", async (status) => {
    await writes();
    await setStatus(status);
    expect(await lookUp()).toEqual({ end: "drop", reason: "gone" });
    await setStatus("refresh_failing");
    expect(await lookUp()).toEqual({ end: "done" });
    expect(graph.calls).toHaveLength(1);
  });
});
