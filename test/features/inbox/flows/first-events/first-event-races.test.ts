import { expect, it } from "vitest";
import { FIRST_EVENT_WAIT } from "#base/kernel/limits.ts";
import { SECOND } from "#base/kernel/time.ts";
import { fetchProfile } from "#features/inbox/flows/fetch-profile.ts";
import { injectFaults } from "../../../../support/faults.ts";
import { faultPoints, strikeEachCall } from "../../../../support/flows/fault-injection.ts";
import { invokeWithRecord, queueDepth, receiveAllMessages } from "../../../../support/flows/queue-worker.ts";
import { openTestEnv } from "../../../../support/flows/test-env.ts";
import { openedOnce } from "../../../../support/opened.ts";
import { forEachFreezePoint, runFrozen } from "../../../../support/processes/frozen-process.ts";
import { ADA, NAMED, openFirstEventWorld, UNNAMED } from "./first-event-fixture.ts";

// The name is in the first event or in one `conversation.updated`, also where a process dies, freezes or repeats its work.

const testEnv = openedOnce(openTestEnv);

it.each(faultPoints)("the name arrives once despite a fault (%s) at any call of a lookup", async (faultPoint) => {
  await strikeEachCall(testEnv, faultPoint, async (strike) => {
    const world = await openFirstEventWorld(testEnv);
    await world.write();
    await world.ingest();
    await strike.invoke(world.queues.profiles, world.profiler());
    await world.settle();
    await world.expectNamedOnce();
    expect(await world.counted()).toBe(1);
  });
});

it.each(faultPoints)(
  "the name arrives once despite a fault (%s) at any call of a lookup whose repetition has no result",
  async (faultPoint) => {
    await strikeEachCall(testEnv, faultPoint, async (strike) => {
      const world = await openFirstEventWorld(testEnv);
      await world.write();
      await world.ingest();
      await strike.invoke(world.queues.profiles, world.profiler());
      world.answers = [{ kind: "unknown" }];
      await world.settle();
      world.answers = [ADA];
      await world.write();
      await world.settle();
      await world.expectNamedOnce();
    });
  },
);

it.each(faultPoints)("the name arrives once despite a fault (%s) at any call of a late lookup", async (faultPoint) => {
  await strikeEachCall(testEnv, faultPoint, async (strike) => {
    const world = await openFirstEventWorld(testEnv);
    await world.write();
    await world.ingest();
    testEnv.advance(FIRST_EVENT_WAIT);
    await world.deliver();
    await strike.invoke(world.queues.profiles, world.profiler());
    await world.settle();
    await world.expectNamedOnce();
  });
});

it.each(faultPoints)("the name arrives once despite a fault (%s) at any call of the ingest", async (faultPoint) => {
  await strikeEachCall(testEnv, faultPoint, async (strike) => {
    const world = await openFirstEventWorld(testEnv);
    await world.write();
    await strike.invoke(world.queues.inbound, world.ingester());
    await world.settle();
    await world.write();
    await world.settle();
    await world.expectNamedOnce();
    expect(await world.counted()).toBe(2);
  });
});

it.each(faultPoints)(
  "the name arrives once despite a fault (%s) at any call of the delivery at the end of the wait",
  async (faultPoint) => {
    await strikeEachCall(testEnv, faultPoint, async (strike) => {
      const world = await openFirstEventWorld(testEnv);
      await world.write();
      await world.ingest();
      testEnv.advance(FIRST_EVENT_WAIT);
      await strike.invoke(world.queues.events, world.deliverer());
      await world.lookUp();
      await world.settle();
      await world.expectNamedOnce();
      // What a process that dies has not yet added to the counters is lost.
      expect(await world.counted()).toBeLessThanOrEqual(1);
    });
  },
);

it.each(faultPoints)(
  "the name arrives once despite a fault (%s) at any call of the delivery that the lookup requested",
  async (faultPoint) => {
    await strikeEachCall(testEnv, faultPoint, async (strike) => {
      const world = await openFirstEventWorld(testEnv);
      await world.write();
      await world.ingest();
      await world.lookUp();
      await strike.invoke(world.queues.events, world.deliverer());
      testEnv.advance(FIRST_EVENT_WAIT);
      await world.deliver();
      await world.settle();
      await world.expectNamedOnce();
      // What a process that dies has not yet added to the counters is lost.
      expect(await world.counted()).toBeLessThanOrEqual(1);
    });
  },
);

it("a delayed event whose worker died before it scheduled the retry is retried, also where the queue counts its receives from one again", async () => {
  const world = await openFirstEventWorld(testEnv);
  world.respond = async () => 503;
  await world.write();
  await world.ingest();
  testEnv.advance(FIRST_EVENT_WAIT);
  const [delayed = expect.unreachable("the event is queued")] = await receiveAllMessages(
    testEnv.eventSource,
    world.queues.events,
  );
  const removals = testEnv.clients.map((client) =>
    injectFaults(client as never, ({ command }) => (/^SendMessage/.test(command) ? "crash" : "pass")),
  );
  expect((await invokeWithRecord(world.deliverer(), delayed.body)).batchItemFailures).toHaveLength(1);
  for (const remove of removals) remove();
  expect(await queueDepth(testEnv.eventSource, world.queues.deliveries)).toBe(0);
  expect((await invokeWithRecord(world.deliverer(), delayed.body)).batchItemFailures).toEqual([]);
  expect(await queueDepth(testEnv.eventSource, world.queues.deliveries)).toBe(1);
  expect(world.posts).toHaveLength(1);
});

it("the name arrives once where a lookup freezes at any call until the wait is over", async () => {
  const calls = await forEachFreezePoint(async (point) => {
    const world = await openFirstEventWorld(testEnv);
    await world.write();
    await world.ingest();
    const message = { tenant: world.tenant, conversationId: world.id, awaited: true };
    const run = await runFrozen(world.profilePorts(), point, {
      work: (ports) => fetchProfile(ports, message, testEnv.now()),
      whileFrozen: async () => {
        testEnv.advance(FIRST_EVENT_WAIT);
        await world.deliver();
      },
    });
    expect(run.result.status).toBe("fulfilled");
    await world.settle();
    await world.expectNamedOnce();
    expect(world.got("message.received")).toHaveLength(1);
    return run;
  });
  expect(calls).toBeGreaterThanOrEqual(9);
});

it("the name arrives once where two lookups of a person run beside each other, each frozen at any call", async () => {
  await forEachFreezePoint(async (point) => {
    const world = await openFirstEventWorld(testEnv);
    await world.write();
    await world.ingest();
    const first = { tenant: world.tenant, conversationId: world.id, awaited: true };
    const run = await runFrozen(world.profilePorts(), point, {
      work: (ports) => fetchProfile(ports, first, testEnv.now()),
      whileFrozen: async () => {
        testEnv.advance(SECOND);
        await world.write();
        await world.ingest();
        await fetchProfile(world.profilePorts(), first, testEnv.now());
        await world.deliver();
      },
    });
    expect(run.result.status).toBe("fulfilled");
    await world.settle();
    await world.expectNamedOnce();
    for (const participant of world.people()) expect(participant).toEqual(NAMED);
    return run;
  });
});

it("the first event arrives although the process that was to publish it never comes back", async () => {
  const world = await openFirstEventWorld(testEnv);
  await world.write();
  await world.ingest();
  const [first = expect.unreachable("the message is stored")] = await world.stores.nameWaits.firstMessages(
    world.tenant,
    world.id,
    testEnv.now(),
  );
  const { participant } = first.message;
  await world.stores.nameWaits.name(world.tenant, first, { ...participant, ...NAMED }, testEnv.now());
  testEnv.advance(FIRST_EVENT_WAIT);
  await world.deliver();
  expect(world.posts).toEqual([]);
  testEnv.advance(6 * SECOND);
  await world.deliver();
  expect(world.people()).toEqual([NAMED]);
  expect(await world.counted()).toBe(1);
  await world.settle();
  await world.expectNamedOnce();
});

it.each(faultPoints)(
  "the first event arrives despite a fault (%s) at any call of a lookup of a person whom the platform does not show",
  async (faultPoint) => {
    await strikeEachCall(testEnv, faultPoint, async (strike) => {
      const world = await openFirstEventWorld(testEnv);
      world.answers = [{ kind: "unavailable" }];
      await world.write();
      await world.ingest();
      await strike.invoke(world.queues.profiles, world.profiler());
      await world.settle();
      // An event whose sending was lost is sent again, and may arrive twice with one body.
      const [body = "{}", ...others] = new Set(world.posts.map((post) => post.body));
      expect(others).toEqual([]);
      expect(JSON.parse(body)).toMatchObject({ type: "message.received", data: { message: { participant: UNNAMED } } });
      expect(world.got("conversation.updated")).toEqual([]);
    });
  },
);
