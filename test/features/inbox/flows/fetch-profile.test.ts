import { beforeEach, expect, it } from "vitest";
import { openQueue } from "#base/aws/queues.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { DAY, HOUR, MINUTE } from "#base/kernel/time.ts";
import { waitForService } from "#base/queues/record-outcome.ts";
import type { AccountStatus } from "#features/accounts/rules/accounts.ts";
import { accountItemKey } from "#features/accounts/store/items.ts";
import { decodeEvent } from "#features/delivery/event-queue.ts";
import { loadRenderedEvents } from "#features/delivery/rendered-events.ts";
import { eventBodyStore } from "#features/delivery/store/event-bodies.ts";
import { fetchProfile } from "#features/inbox/flows/fetch-profile.ts";
import { decodeProfile } from "#features/inbox/profile-queue.ts";
import { conversationId } from "#features/inbox/rules/messages.ts";
import { conversationStore } from "#features/inbox/store/conversations.ts";
import { messageStore } from "#features/inbox/store/messages.ts";
import { ingestWorker } from "../../../../functions/ingest/worker.ts";
import { jsonResponse, startFakePlatform } from "../../../platforms/graph/fake-platform.ts";
import { inboundBody, instagramWebhook } from "../../../support/flows/inbound-webhooks.ts";
import { invokeWorker, receiveEvents } from "../../../support/flows/queue-worker.ts";
import { openTestEnv, type TestQueues } from "../../../support/flows/test-env.ts";
import { openedOnce } from "../../../support/opened.ts";
import { setAttributes } from "../../../support/stores/items.ts";
import { newTenant, PERSON } from "../../../support/stores/samples.ts";

let tenant: TenantId;
let account: string;
let queues: TestQueues;
const testEnv = openedOnce(openTestEnv);
const fakePlatform = openedOnce(startFakePlatform);
beforeEach(async () => {
  tenant = newTenant();
  [queues, account] = await Promise.all([testEnv.newQueues(), testEnv.connect(tenant)]);
  testEnv.lines.length = 0;
  fakePlatform.respondWith(jsonResponse(200, { id: PERSON, name: "Ada Lind", username: "ada.lind" }));
});

const conversation = () =>
  conversationId({ tenant, account: { platform: "instagram", externalId: account }, participantId: PERSON });
const head = () => conversationStore(testEnv.table).get(tenant, conversation(), testEnv.now());
const profileState = async () => (await head())?.participantProfile;

let messageCount = 0;
/** Ingests a message of the person or of the account in a new worker. */
async function ingestMessage(echo = false): Promise<void> {
  testEnv.advance(1_000);
  const raw = instagramWebhook(account, [
    { mid: `${tenant}-${++messageCount}`, text: "hello", at: testEnv.now(), echo },
  ]);
  await openQueue(queues.inbound, testEnv.eventSource).send({ body: inboundBody(raw, testEnv.now()) });
  const { failed } = await invokeWorker(
    testEnv.eventSource,
    queues.inbound,
    ingestWorker(testEnv.ingestPorts(queues), testEnv.now),
  );
  expect(failed).toEqual([]);
}

/** The profile requests since the last call. */
async function requests(): Promise<(string | undefined)[]> {
  const { records } = await invokeWorker(testEnv.eventSource, queues.profiles, async () => ({ batchItemFailures: [] }));
  return records.map(({ body }) => decodeProfile(body)?.conversationId);
}
const runFetchProfile = () =>
  fetchProfile(
    testEnv.profilePorts(fakePlatform.origin, queues),
    { tenant, conversationId: conversation() },
    testEnv.now(),
  );

const setStatus = (st: AccountStatus) =>
  setAttributes(testEnv.table, accountItemKey(tenant, { platform: "instagram", externalId: account }), { st });

async function queuedPeople(): Promise<unknown[]> {
  const records = await receiveEvents(testEnv, queues);
  const events = records.flatMap(({ body }) => decodeEvent(body) ?? []);
  const ports = { messages: messageStore(testEnv.table), eventBodies: eventBodyStore(testEnv.table) };
  const rendered = await loadRenderedEvents(ports, tenant, events);
  return [...rendered.values()].map(({ body }) => JSON.parse(body).data.message.participant);
}

it("a profile lookup is requested with the first message of a thread that the account started, until it was fetched", async () => {
  await ingestMessage(true);
  expect(await requests()).toEqual([conversation()]);
  expect(await runFetchProfile()).toEqual({ end: "done" });
  expect(await head()).toMatchObject({ participantProfile: "complete", participantHandle: "ada.lind" });
  testEnv.advance(3 * DAY);
  await ingestMessage(true);
  expect(await requests()).toEqual([]);
});

it("a profile lookup is requested with the person's first message, although the platform refused it for a thread that the account started", async () => {
  fakePlatform.respondWith(jsonResponse(400, { error: { code: 230 } }));
  await ingestMessage(true);
  await requests();
  await runFetchProfile();
  expect(await profileState()).toBe("unavailable");
  await ingestMessage(true);
  expect(await requests()).toEqual([]);
  fakePlatform.respondWith(jsonResponse(200, { id: PERSON, username: "ada.lind" }));
  await ingestMessage();
  expect(await requests()).toEqual([conversation()]);
  expect(await runFetchProfile()).toEqual({ end: "done" });
  expect(await profileState()).toBe("complete");
  await ingestMessage();
  expect(await requests()).toEqual([]);
});

it("a profile lookup is requested with the person's first message, and not again with a message of the account", async () => {
  await ingestMessage();
  expect(await requests()).toEqual([conversation()]);
  await runFetchProfile();
  await ingestMessage(true);
  expect(await requests()).toEqual([]);
});

it("a profile lookup is requested with each message until a profile is stored, and then not for 24 hours", async () => {
  await ingestMessage();
  await ingestMessage();
  expect(await requests()).toHaveLength(2);
  await runFetchProfile();
  await ingestMessage();
  testEnv.advance(24 * HOUR - 2_001);
  await ingestMessage();
  expect(await requests()).toEqual([]);
  testEnv.advance(1);
  await ingestMessage();
  expect(await requests()).toEqual([conversation()]);
});

it.each([
  ["unavailable", jsonResponse(400, { error: { code: 230 } })],
  ["partial", jsonResponse(200, { id: PERSON })],
] as const)("a profile lookup is requested again after 24 hours when the profile is %s", async (state, answer) => {
  fakePlatform.respondWith(answer);
  await ingestMessage();
  await runFetchProfile();
  expect(await profileState()).toBe(state);
  await requests();
  await ingestMessage();
  expect(await requests()).toEqual([]);
  testEnv.advance(24 * HOUR);
  await ingestMessage();
  expect(await requests()).toHaveLength(1);
});

it("a profile lookup makes the profile complete, and the events of the message that waited and of the next one name the person", async () => {
  await ingestMessage();
  const { participantProfile } = (await head()) ?? {};
  expect(participantProfile).toBe("pending");
  expect(await runFetchProfile()).toEqual({ end: "done" });
  expect(fakePlatform.calls.map(({ url, headers }) => [url, headers.authorization])).toEqual([
    [`/v26.0/${PERSON}?fields=name,username,profile_pic`, `Bearer token-of-${tenant}`],
  ]);
  expect(await head()).toMatchObject({
    participantProfile: "complete",
    participantHandle: "ada.lind",
    participantUsername: "ada.lind",
    participantName: "Ada Lind",
    participantPicture: null,
  });
  await ingestMessage();
  const named = { id: PERSON, handle: "ada.lind", username: "ada.lind", name: "Ada Lind" };
  expect(await queuedPeople()).toEqual([named, named]);
  expect(testEnv.lines).toContainEqual({ event: "profile.fetched", outcome: "complete", platform: "instagram" });
  expect(JSON.stringify(testEnv.lines)).not.toMatch(/ada|token-of/i);
});

it("a profile lookup that is redelivered does not call the platform again", async () => {
  await ingestMessage();
  await runFetchProfile();
  expect(await runFetchProfile()).toEqual({ end: "drop", reason: "stale" });
  expect(fakePlatform.calls).toHaveLength(1);
});

it.each([
  ["and is not repeated, when the token has ended", jsonResponse(400, { error: { code: 190 } }), { end: "done" }],
  [
    "and waits as long as the platform says, when the pace is too high",
    jsonResponse(400, { error: { code: 613 } }, { "retry-after": "1200" }),
    { end: "retry", cause: "profile", after: 20 * MINUTE, isOutage: true },
  ],
  ["and waits, when the platform has trouble", jsonResponse(500, { error: { code: 2 } }), waitForService("profile")],
  ["and waits, when the platform says nothing", () => {}, waitForService("profile")],
] as const)("a profile lookup changes nothing %s", async (_name, answer, end) => {
  await ingestMessage();
  fakePlatform.respondWith(answer);
  expect(await runFetchProfile()).toEqual(end);
  expect(await profileState()).toBe("pending");
  expect(fakePlatform.calls).toHaveLength(1);

  fakePlatform.respondWith(jsonResponse(200, { id: PERSON, username: "ada.lind" }));
  await runFetchProfile();
  testEnv.advance(DAY);
  fakePlatform.respondWith(answer);
  await runFetchProfile();
  expect(fakePlatform.calls).toHaveLength(1);
  expect(await head()).toMatchObject({ participantProfile: "complete", participantHandle: "ada.lind" });
});

it("a profile lookup of an erased or expired conversation calls no platform", async () => {
  expect(await runFetchProfile()).toEqual({ end: "drop", reason: "gone" });
  await ingestMessage();
  testEnv.advance(7 * DAY);
  expect(await runFetchProfile()).toEqual({ end: "drop", reason: "gone" });
  expect(fakePlatform.calls).toEqual([]);
});

it("a profile lookup of an account that is disconnected during the call is not stored", async () => {
  await ingestMessage();
  const ports = {
    ...testEnv.profilePorts(fakePlatform.origin),
    platformFor: async () => ({
      fetchProfile: async () => {
        await testEnv.disconnect(tenant, { platform: "instagram", externalId: account });
        return { kind: "found", name: "Ada Lind", username: "ada.lind", pictureUrl: null } as const;
      },
    }),
  };
  const message = { tenant, conversationId: conversation() };
  expect(await fetchProfile(ports, message, testEnv.now())).toEqual({ end: "drop", reason: "gone" });
  expect(await profileState()).toBe("pending");
});

it.each(["needs_reauth", "restricted"] as const)(
  "a profile lookup on an account that is %s calls no platform",
  async (status) => {
    await ingestMessage();
    await setStatus(status);
    expect(await runFetchProfile()).toEqual({ end: "drop", reason: "gone" });
    await setStatus("refresh_failing");
    expect(await runFetchProfile()).toEqual({ end: "done" });
    expect(fakePlatform.calls).toHaveLength(1);
  },
);
