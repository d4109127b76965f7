import { beforeEach, expect, it } from "vitest";
import { openQueue } from "#base/aws/queues.ts";
import type { EventType } from "#base/events/events.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { SECOND } from "#base/kernel/time.ts";
import { decodeEvent } from "#features/delivery/event-queue.ts";
import { loadRenderedEvents } from "#features/delivery/rendered-events.ts";
import { eraseConversation } from "#features/erasure/flows/erase.ts";
import { setConversationDone } from "#features/inbox/flows/set-done.ts";
import { encodeProfile } from "#features/inbox/profile-queue.ts";
import { conversationId, type Message } from "#features/inbox/rules/messages.ts";
import { profileWorker } from "../../../../functions/profile/worker.ts";
import { jsonResponse, startFakePlatform } from "../../../platforms/graph/fake-platform.ts";
import { faultPoints, strikeEachCall } from "../../../support/flows/fault-injection.ts";
import { invokeWorker, receiveAllMessages, runUntilEmpty } from "../../../support/flows/queue-worker.ts";
import { createEndpointAt } from "../../../support/flows/test-endpoints.ts";
import { openTestEnv } from "../../../support/flows/test-env.ts";
import { openedOnce } from "../../../support/opened.ts";
import { openStores } from "../../../support/stores/open-stores.ts";
import { newTenant, PERSON, sampleMessage } from "../../../support/stores/samples.ts";

// `conversation.updated` as endpoints get it: which changes publish it, and that each does so once.

const testEnv = openedOnce(openTestEnv);
const fakePlatform = openedOnce(startFakePlatform);
beforeEach(() => {
  fakePlatform.respondWith(jsonResponse(200, { id: PERSON, name: "Ada Lind", username: "ada.lind" }));
});

/** A conversation with a person whose profile is pending, and an endpoint of the tenant. */
async function openWorld(events: readonly EventType[] = ["conversation.updated"]) {
  const tenant = newTenant();
  const [queues, externalId] = await Promise.all([testEnv.newQueues(), testEnv.connect(tenant)]);
  const account = { platform: "instagram", externalId } as const;
  const id = conversationId({ tenant, account, participantId: PERSON });
  const stores = openStores(testEnv.table);
  await createEndpointAt(testEnv, queues, tenant, "http://127.0.0.1:9/hook", events);
  const seen = new Set<string>();
  const world = {
    tenant,
    account,
    id,
    queues,
    stores,
    /** Stores a message a second later. */
    async write(changes: Partial<Message> = {}): Promise<void> {
      testEnv.advance(SECOND);
      const sentAt = testEnv.now();
      const message = {
        ...sampleMessage(tenant, { id: `m${sentAt}`, sentAt }),
        conversationId: id,
        account,
        ...changes,
      };
      await stores.messages.record(tenant, message, sentAt);
      await stores.conversations.advanceHead(tenant, message, { accountHandle: "shop", shards: 1 });
    },
    profiles: () => profileWorker(testEnv.profilePorts(fakePlatform.origin, queues), testEnv.now),
    requestLookup: () =>
      openQueue(queues.profiles, testEnv.eventSource).send({ body: encodeProfile({ tenant, conversationId: id }) }),
    async lookUp(): Promise<void> {
      await world.requestLookup();
      expect((await invokeWorker(testEnv.eventSource, queues.profiles, world.profiles())).failed).toEqual([]);
    },
    mark: (done: boolean) =>
      setConversationDone(testEnv.apiPorts(queues), tenant, { conversationId: id, done, scope: "live" }, testEnv.now()),
    published: () => publishedEvents(tenant, queues.events, seen),
  };
  await world.write();
  return world;
}

/** The bodies of the events that were queued since the last call, each once; null for a body that is gone. */
async function publishedEvents(tenant: TenantId, queue: string, seen: Set<string>) {
  const records = (await receiveAllMessages(testEnv.eventSource, queue)).filter(
    ({ messageId }) => !seen.has(messageId),
  );
  for (const { messageId } of records) seen.add(messageId);
  const events = records.flatMap(({ body }) => decodeEvent(body) ?? []);
  const rendered = await loadRenderedEvents(openStores(testEnv.table), tenant, events);
  return [...new Set(events.map(({ eventUlid }) => eventUlid))].map((ulid) => {
    const body = rendered.get(ulid)?.body;
    return body === undefined ? null : JSON.parse(body);
  });
}

it("the profile of a person who wrote is published with their conversation", async () => {
  const world = await openWorld();
  await world.lookUp();
  expect(await world.published()).toMatchObject([
    {
      type: "conversation.updated",
      tenant_id: world.tenant,
      data: { conversation: { id: world.id, participant_profile: "complete", participant_name: "Ada Lind" } },
    },
  ]);
});

it("an endpoint that does not name the type gets neither a profile nor a mark", async () => {
  const world = await openWorld(["message.received"]);
  await world.lookUp();
  expect(await world.mark(true)).toMatchObject({ participantName: "Ada Lind", doneAt: testEnv.now() });
  expect(await world.published()).toEqual([]);
});

it("a profile of a person who has not written is not published, and a mark on their conversation changes nothing", async () => {
  const world = await openWorld();
  await world.lookUp();
  await world.published();
  const { account } = world;
  const other = conversationId({ tenant: world.tenant, account, participantId: `${PERSON}0` });
  await world.write({ conversationId: other, direction: "echo", sentVia: "native_app" });
  const body = encodeProfile({ tenant: world.tenant, conversationId: other });
  await openQueue(world.queues.profiles, testEnv.eventSource).send({ body });
  await invokeWorker(testEnv.eventSource, world.queues.profiles, world.profiles());
  const head = await world.stores.conversations.get(world.tenant, other, testEnv.now());
  expect(head?.participantName).toBe("Ada Lind");
  expect(await world.published()).toEqual([]);
});

it("a profile that the platform refuses, and a later change of a known one, are not published", async () => {
  const world = await openWorld();
  fakePlatform.respondWith(jsonResponse(400, { error: { code: 230 } }));
  await world.lookUp();
  expect(await world.published()).toEqual([]);
  fakePlatform.respondWith(jsonResponse(200, { id: PERSON, username: "ada.lind" }));
  await world.write();
  await world.lookUp();
  expect(await world.published()).toHaveLength(1);
  testEnv.advance(25 * 3_600 * SECOND);
  fakePlatform.respondWith(jsonResponse(200, { id: PERSON, username: "ada.renamed" }));
  await world.write();
  await world.lookUp();
  expect(await world.published()).toEqual([]);
});

it.each(faultPoints)("a profile is published as one event despite a fault (%s) at any call", async (faultPoint) => {
  await strikeEachCall(testEnv, faultPoint, async (strike) => {
    const world = await openWorld();
    await world.requestLookup();
    await strike.invoke(world.queues.profiles, world.profiles());
    await runUntilEmpty(testEnv, world.queues.profiles, () =>
      invokeWorker(testEnv.eventSource, world.queues.profiles, world.profiles()),
    );
    expect(await world.published()).toMatchObject([{ type: "conversation.updated" }]);
  });
});

it("each change of the mark is published once, also where its request is repeated", async () => {
  const world = await openWorld();
  await world.mark(true);
  const [done, ...others] = await world.published();
  expect(done).toMatchObject({
    type: "conversation.updated",
    data: { conversation: { id: world.id, needs_reply: false } },
  });
  expect(others).toEqual([]);
  testEnv.advance(SECOND);
  await world.mark(true);
  expect(await world.published()).toEqual([done]);

  await world.mark(false);
  const [undone] = await world.published();
  expect(undone).toMatchObject({ data: { conversation: { done_at: null, needs_reply: true } } });
  expect(undone.id).not.toBe(done.id);
  testEnv.advance(SECOND);
  await world.mark(false);
  expect(await world.published()).toEqual([undone]);

  testEnv.advance(SECOND);
  await world.mark(true);
  const [doneAgain] = await world.published();
  expect([done.id, undone.id]).not.toContain(doneAgain.id);
});

it("the removal of a mark that is not there, and a mark on a conversation that the account answered, publish nothing", async () => {
  const world = await openWorld();
  await world.mark(false);
  expect(await world.published()).toEqual([]);
  await world.mark(true);
  expect(await world.published()).toHaveLength(1);
  await world.write({ direction: "echo", sentVia: "native_app" });
  await world.mark(true);
  await world.mark(false);
  expect(await world.published()).toEqual([]);
});

it.each(faultPoints)("a mark is published as one event despite a fault (%s) at any call", async (faultPoint) => {
  await strikeEachCall(testEnv, faultPoint, async (strike) => {
    for (const done of [true, false]) {
      const world = await openWorld();
      if (!done) await world.mark(true);
      await world.published();
      testEnv.advance(SECOND);
      await strike.during(() => world.mark(done)).catch(() => {});
      testEnv.advance(SECOND);
      await world.mark(done);
      expect(await world.published()).toMatchObject([{ type: "conversation.updated" }]);
    }
  });
});

it("an erasure removes what was published of a conversation, and what is published after it is of the new one", async () => {
  const world = await openWorld();
  await world.lookUp();
  await world.mark(true);
  const author = { caller: { kind: "tenant_key", keyId: "k", tenant: world.tenant, scope: "live" }, ip: null } as const;
  const request = {
    tenant: world.tenant,
    conversationId: world.id,
    author,
    now: testEnv.now(),
    time: { now: testEnv.now },
  };
  const erased = await eraseConversation(testEnv.erasePorts(world.queues), request, () => true);
  expect(erased).toMatchObject({ done: true });
  // The queued events have no body any more.
  expect(await world.published()).toEqual([null, null]);
  await world.lookUp();
  await world.mark(true);
  expect(await world.published()).toEqual([]);

  await world.write();
  await world.lookUp();
  expect(await world.published()).toMatchObject([{ data: { conversation: { participant_name: "Ada Lind" } } }]);
});
