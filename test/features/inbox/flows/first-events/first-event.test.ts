import { expect, it } from "vitest";
import { FIRST_EVENT_WAIT } from "#base/kernel/limits.ts";
import { HOUR, MINUTE, SECOND } from "#base/kernel/time.ts";
import { fetchProfile } from "#features/inbox/flows/fetch-profile.ts";
import { runErasure } from "../../../../support/flows/data-subject.ts";
import { queueDepth } from "../../../../support/flows/queue-worker.ts";
import { openTestEnv } from "../../../../support/flows/test-env.ts";
import { openedOnce } from "../../../../support/opened.ts";
import { ADA, NAMED, openFirstEventWorld, UNNAMED } from "./first-event-fixture.ts";

// The event of a person's first message waits for their name, at most two seconds.

const testEnv = openedOnce(openTestEnv);

it("the first event of a person names them and is sent as soon as the platform answers", async () => {
  const world = await openFirstEventWorld(testEnv);
  const startedAt = testEnv.now();
  await world.write();
  await world.ingest();
  await world.deliver();
  expect(world.posts).toEqual([]);
  await world.lookUp();
  await world.deliver();
  expect(world.got("message.received")).toMatchObject([{ at: startedAt, data: { message: { participant: NAMED } } }]);

  testEnv.advance(FIRST_EVENT_WAIT);
  await world.deliver();
  expect(await queueDepth(testEnv.eventSource, world.queues.events)).toBe(0);
  expect(world.posts).toHaveLength(1);
  expect(await world.counted()).toBe(1);
  await world.expectNamedOnce();
});

it("the first event of a person is sent after two seconds without the name, which the conversation brings", async () => {
  const world = await openFirstEventWorld(testEnv);
  const startedAt = testEnv.now();
  await world.write();
  await world.ingest();
  testEnv.advance(FIRST_EVENT_WAIT - 1);
  await world.deliver();
  expect(world.posts).toEqual([]);
  testEnv.advance(1);
  await world.deliver();
  expect(world.got("message.received")).toMatchObject([
    { at: startedAt + FIRST_EVENT_WAIT, data: { message: { participant: UNNAMED } } },
  ]);

  await world.lookUp();
  await world.deliver();
  expect(world.got("conversation.updated")).toMatchObject([
    { data: { conversation: { id: world.id, participant_name: "Ada Lind" } } },
  ]);
  expect(world.posts).toHaveLength(2);
  expect(await world.counted()).toBe(1);
  await world.expectNamedOnce();
});

it.each(["unknown", "later"] as const)(
  "the first event of a person is sent after two seconds where the lookup has no result (%s), and a later one brings the name",
  async (kind) => {
    const world = await openFirstEventWorld(testEnv);
    world.answers = [kind === "later" ? { kind, coolDownMs: null } : { kind }, ADA];
    await world.write();
    await world.ingest();
    await world.lookUp();
    testEnv.advance(FIRST_EVENT_WAIT);
    await world.deliver();
    expect(world.people()).toEqual([UNNAMED]);
    testEnv.advance(MINUTE);
    await world.write();
    await world.settle();
    await world.expectNamedOnce();
  },
);

it("the first event of a person whom the platform does not show waits no longer than its answer", async () => {
  const world = await openFirstEventWorld(testEnv);
  world.answers = [{ kind: "unavailable" }];
  const startedAt = testEnv.now();
  await world.write();
  await world.ingest();
  await world.lookUp();
  await world.deliver();
  expect(world.got("message.received")).toMatchObject([{ at: startedAt, data: { message: { participant: UNNAMED } } }]);
  await world.settle();
  expect(world.posts).toHaveLength(1);
  expect(await world.counted()).toBe(1);

  world.answers = [ADA];
  testEnv.advance(25 * HOUR);
  await world.write();
  await world.settle();
  expect(world.people()).toEqual([UNNAMED, UNNAMED]);
  await world.expectNamedOnce();
});

it("the first event of a person after a message of the account names them, although the platform did not show them before", async () => {
  const world = await openFirstEventWorld(testEnv);
  world.answers = [{ kind: "unavailable" }, ADA];
  await world.write(["echo"], true);
  await world.settle();
  await world.write();
  await world.settle();
  expect(world.people()).toEqual([NAMED]);
  await world.expectNamedOnce();
});

it("messages right behind the first one wait with it, and are named by the same lookup", async () => {
  const world = await openFirstEventWorld(testEnv);
  await world.write(["one", "two"]);
  await world.ingest();
  testEnv.advance(SECOND);
  await world.write(["three"]);
  await world.ingest();
  await world.deliver();
  expect(world.posts).toEqual([]);
  await world.lookUp();
  await world.deliver();
  expect(world.people()).toEqual([NAMED, NAMED, NAMED]);
  await world.settle();
  expect(world.posts).toHaveLength(3);
  expect(await world.counted()).toBe(3);
  await world.expectNamedOnce();
});

it("a later message waits for no lookup that has no result", async () => {
  const world = await openFirstEventWorld(testEnv);
  world.answers = [{ kind: "unknown" }];
  await world.write();
  await world.settle();
  testEnv.advance(FIRST_EVENT_WAIT);
  await world.write();
  await world.ingest();
  await world.deliver();
  expect(world.posts).toHaveLength(2);
});

it("a lookup names the messages that wait although another one has stored the profile", async () => {
  const world = await openFirstEventWorld(testEnv);
  // The lookup of a message of the account reads the conversation before the person writes.
  await world.write(["echo"], true);
  await world.ingest();
  world.answers = [ADA];
  await world.write();
  await world.ingest();
  const { profiles } = world.stores;
  await profiles.save(
    world.id,
    { state: "complete", handle: "ada.lind", username: "ada.lind", name: "Ada Lind", picture: null },
    testEnv.now(),
  );
  await world.lookUp();
  await world.deliver();
  expect(world.people()).toEqual([NAMED]);
  await world.settle();
  await world.expectNamedOnce();
});

it("a retry of the first event has the bytes of its first attempt, although the name came between", async () => {
  const world = await openFirstEventWorld(testEnv);
  const statuses = [503];
  world.respond = async () => statuses.shift() ?? 200;
  await world.write();
  await world.ingest();
  testEnv.advance(FIRST_EVENT_WAIT);
  await world.deliver();
  await world.lookUp();
  await world.settle();
  expect(world.people()).toEqual([UNNAMED, UNNAMED]);
  await world.expectNamedOnce();
});

it("an endpoint that is still answering when the wait ends gets the first event once", async () => {
  const world = await openFirstEventWorld(testEnv);
  await world.write();
  await world.ingest();
  await world.lookUp();
  world.respond = async () => {
    world.respond = async () => 200;
    testEnv.advance(FIRST_EVENT_WAIT);
    await world.deliver();
    return 200;
  };
  await world.deliver();
  expect(world.posts).toHaveLength(1);
  await world.settle();
  expect(world.posts).toHaveLength(1);
  expect(await world.counted()).toBe(1);
});

it("a first message that is unsent while it waits has no event", async () => {
  const world = await openFirstEventWorld(testEnv);
  await world.write(["one"]);
  await world.ingest();
  const [first = expect.unreachable("the message is stored")] = await world.stores.nameWaits.firstMessages(
    world.tenant,
    world.id,
    testEnv.now(),
  );
  await world.stores.messageChanges.unsend(world.tenant, first.ref, { at: testEnv.now() });
  await world.settle();
  expect(world.people()).toEqual([]);
  const row = await world.stores.messages.getById(world.tenant, first.message.id, testEnv.now());
  expect(row?.participant).toEqual(UNNAMED);
});

it("a lookup that an erasure overtakes names no message that came after it", async () => {
  const world = await openFirstEventWorld(testEnv);
  await world.write(["before"]);
  await world.ingest();
  world.duringLookup = async () => {
    world.duringLookup = async () => {};
    await runErasure(testEnv, world.queues, { tenant: world.tenant, conversation: world.id });
    testEnv.advance(SECOND);
    await world.write(["after"]);
    await world.ingest();
  };
  const message = { tenant: world.tenant, conversationId: world.id, awaited: true };
  await fetchProfile(world.profilePorts(), message, testEnv.now());
  const [first] = await world.stores.nameWaits.firstMessages(world.tenant, world.id, testEnv.now());
  expect(first?.message).toMatchObject({ text: "after", nameWait: "waiting", participant: UNNAMED });
  expect((await world.head())?.participantProfile).toBe("pending");
  await world.settle();
  expect(world.people()).toEqual([NAMED]);
});
