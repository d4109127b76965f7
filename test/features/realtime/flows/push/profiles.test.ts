import { beforeEach, expect, it } from "vitest";
import { openQueue } from "#base/aws/queues.ts";
import { HOUR } from "#base/kernel/time.ts";
import { encodeProfile } from "#features/inbox/profile-queue.ts";
import { conversationId as toConversationId } from "#features/inbox/rules/messages.ts";
import { decodeRealtime } from "#features/realtime/queue.ts";
import { profileWorker } from "../../../../../functions/profile/worker.ts";
import { jsonResponse, startFakePlatform } from "../../../../platforms/graph/fake-platform.ts";
import { faultPoints, strikeEachCall } from "../../../../support/flows/fault-injection.ts";
import { invokeWorker, receiveAllMessages, runUntilEmpty } from "../../../../support/flows/queue-worker.ts";
import { openTestEnv } from "../../../../support/flows/test-env.ts";
import { openedOnce } from "../../../../support/opened.ts";
import { PERSON } from "../../../../support/stores/samples.ts";
import { openPushFixture } from "./support/push-fixture.ts";

// What lookups of profiles queue for the sockets of their tenant.

const testEnv = openedOnce(openTestEnv);
const fakePlatform = openedOnce(startFakePlatform);
beforeEach(() => {
  fakePlatform.respondWith(jsonResponse(200, { id: PERSON, name: "Ada Lind", username: "ada.lind" }));
});

/** A conversation with a person whose profile is pending. */
async function openWorld({ marked }: { readonly marked: boolean }) {
  const fixture = await openPushFixture(testEnv);
  const { tenant, account, queues, stores } = fixture;
  if (marked) await stores.accounts.markSockets(tenant, account, testEnv.now() + HOUR);
  const conversationId = toConversationId({ tenant, account, participantId: PERSON });
  await fixture.recordMessage("m", { conversationId });
  return {
    ...fixture,
    conversationId,
    /** Queues a lookup. */
    request: () =>
      openQueue(queues.profiles, testEnv.eventSource).send({ body: encodeProfile({ tenant, conversationId }) }),
    profiles: () => profileWorker(testEnv.profilePorts(fakePlatform.origin, queues), testEnv.now),
    /** The requests to push since the last call. */
    requested: async () =>
      (await receiveAllMessages(testEnv.eventSource, queues.realtime)).map(({ body }) => decodeRealtime(body)),
  };
}

type World = Awaited<ReturnType<typeof openWorld>>;

const runLookups = ({ queues, profiles }: World) => invokeWorker(testEnv.eventSource, queues.profiles, profiles());

it("a conversation is pushed with the profile that was found", async () => {
  const world = await openWorld({ marked: true });
  await world.open();
  await world.request();
  expect((await runLookups(world)).failed).toEqual([]);
  await world.run();
  expect(world.takeFrames().map(({ frame }) => [frame.type, frame.data.conversation])).toMatchObject([
    ["conversation.updated", { id: world.conversationId, participant_name: "Ada Lind" }],
  ]);
});

it("a lookup on an account without a mark requests nothing", async () => {
  const world = await openWorld({ marked: false });
  await world.request();
  await runLookups(world);
  const head = await world.stores.conversations.get(world.tenant, world.conversationId, testEnv.now());
  expect(head?.participantProfile).toBe("complete");
  expect(await world.requested()).toEqual([]);
});

it("a lookup whose profile is stored already, or that finds nothing, requests nothing", async () => {
  const world = await openWorld({ marked: true });
  fakePlatform.respondWith(jsonResponse(500, { error: { code: 2 } }));
  await world.request();
  await runLookups(world);
  expect(await world.requested()).toEqual([]);

  fakePlatform.respondWith(jsonResponse(200, { id: PERSON, username: "ada.lind" }));
  await world.request();
  await runLookups(world);
  expect(await world.requested()).toMatchObject([{ kind: "conversation", conversationId: world.conversationId }]);
  await world.request();
  await runLookups(world);
  expect(await world.requested()).toEqual([]);
});

it.each(faultPoints)("a profile that was found is pushed despite a fault (%s) at any call", async (faultPoint) => {
  await strikeEachCall(testEnv, faultPoint, async (strike) => {
    const world = await openWorld({ marked: true });
    await world.request();
    await strike.invoke(world.queues.profiles, world.profiles());
    await runUntilEmpty(testEnv, world.queues.profiles, () => runLookups(world));
    const about = { kind: "conversation", conversationId: world.conversationId };
    expect(await world.requested()).toContainEqual(expect.objectContaining(about));
  });
});
