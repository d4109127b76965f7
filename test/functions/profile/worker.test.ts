import { beforeEach, expect, it } from "vitest";
import { openQueue } from "#base/aws/queues.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { encodeProfile } from "#features/inbox/profile-queue.ts";
import { conversationId } from "#features/inbox/rules/messages.ts";
import { conversationStore } from "#features/inbox/store/conversations.ts";
import { ingestWorker } from "../../../functions/ingest/worker.ts";
import { profileWorker } from "../../../functions/profile/worker.ts";
import { jsonResponse, startFakePlatform } from "../../platforms/graph/fake-platform.ts";
import { injectFaults } from "../../support/faults.ts";
import { inboundBody, instagramWebhook } from "../../support/flows/inbound-webhooks.ts";
import { invokeWorker, queueDepth } from "../../support/flows/queue-worker.ts";
import { openTestEnv, type TestQueues } from "../../support/flows/test-env.ts";
import { openedOnce } from "../../support/opened.ts";
import { newTenant, PERSON, SAMPLE_INBOX, sampleMessage } from "../../support/stores/samples.ts";

let tenant: TenantId;
let account: string;
let queues: TestQueues;
const testEnv = openedOnce(openTestEnv);
const fakePlatform = openedOnce(startFakePlatform);
beforeEach(async () => {
  tenant = newTenant();
  [queues, account] = await Promise.all([testEnv.newQueues(), testEnv.connect(tenant)]);
  testEnv.lines.length = 0;
  fakePlatform.respondWith(jsonResponse(200, { id: PERSON, username: "ada.lind" }));
});

const runWorker = () =>
  invokeWorker(
    testEnv.eventSource,
    queues.profiles,
    profileWorker(testEnv.profilePorts(fakePlatform.origin), testEnv.now),
  );
const queueRequests = (...bodies: string[]) =>
  openQueue(queues.profiles, testEnv.eventSource).sendAll(bodies.map((body) => ({ body })));

/** Creates a conversation. @returns its id */
async function createConversation(participantId: string): Promise<string> {
  const ref = { platform: "instagram", externalId: account } as const;
  const id = conversationId({ tenant, account: ref, participantId });
  const participant = { id: participantId, handle: null, username: null, name: null };
  const message = sampleMessage(tenant, { id: `m-${participantId}`, conversationId: id, account: ref, participant });
  await conversationStore(testEnv.table).advanceHead(tenant, message, SAMPLE_INBOX);
  return id;
}

const readProfile = async (id: string) =>
  (await conversationStore(testEnv.table).get(tenant, id, testEnv.now()))?.participantProfile;

it("a batch of people is looked up once per person, even when requested twice", async () => {
  const ids = await Promise.all(["1001", "1002"].map(createConversation));
  const bodies = ids.map((id) => encodeProfile({ tenant, conversationId: id }));
  await queueRequests(...bodies, ...bodies);
  expect((await runWorker()).failed).toEqual([]);
  expect(fakePlatform.calls.map(({ url }) => url).sort()).toEqual(
    ["1001", "1002"].map((person) => `/v26.0/${person}?fields=name,username,profile_pic`),
  );
  expect(await Promise.all(ids.map(readProfile))).toEqual(["complete", "complete"]);
  expect(await queueDepth(testEnv.eventSource, queues.profiles)).toBe(0);
});

it("a batch of people retries unreadable records and other tenants' conversations without a call", async () => {
  const id = await createConversation("1003");
  const other = newTenant();
  await queueRequests(
    "no json",
    "{}",
    '{"v":3}',
    encodeProfile({ tenant: other, conversationId: id }),
    encodeProfile({ tenant, conversationId: "x" }),
  );
  expect((await runWorker()).failed).toHaveLength(5);
  expect(fakePlatform.calls).toEqual([]);
  expect(await queueDepth(testEnv.eventSource, queues.profiles)).toBe(5);
  expect(testEnv.lines.filter(({ event }) => event === "record.dropped")).toEqual([]);
});

it("a batch of people retries a profile that could not be stored, and completes the others", async () => {
  const ids = await Promise.all(["1004", "1005"].map(createConversation));
  await queueRequests(...ids.map((id) => encodeProfile({ tenant, conversationId: id })));
  const end = injectFaults(testEnv.client, ({ command, input }) =>
    command === "UpdateItem" && JSON.stringify(input).includes("#1004") ? "crash" : "pass",
  );
  const { failed } = await runWorker();
  end();
  expect(failed).toHaveLength(1);
  expect(await Promise.all(ids.map(readProfile))).toEqual(["pending", "complete"]);
  testEnv.advance(31_000);
  expect((await runWorker()).failed).toEqual([]);
  expect(await Promise.all(ids.map(readProfile))).toEqual(["complete", "complete"]);
});

it("a webhook whose profile requests cannot be queued is completed, and the failure is logged", async () => {
  const raw = instagramWebhook(account, [{ mid: `${tenant}-1`, text: "secret text", at: testEnv.now() }]);
  await openQueue(queues.inbound, testEnv.eventSource).send({ body: inboundBody(raw, testEnv.now()) });
  const broken = ingestWorker(testEnv.ingestPorts({ ...queues, profiles: `${queues.profiles}-gone` }), testEnv.now);
  expect((await invokeWorker(testEnv.eventSource, queues.inbound, broken)).failed).toEqual([]);
  expect(await queueDepth(testEnv.eventSource, queues.events)).toBe(1);
  expect(testEnv.lines).toContainEqual(expect.objectContaining({ event: "profiles.request_failed", people: 1 }));
  expect(JSON.stringify(testEnv.lines)).not.toContain(PERSON);
});
