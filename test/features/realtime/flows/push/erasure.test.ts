import { expect, it } from "vitest";
import { SECOND } from "#base/kernel/time.ts";
import { eraseConversation } from "#features/erasure/flows/erase.ts";
import { PASS_INTERVAL } from "#features/erasure/rules/erasures.ts";
import { messageRefKey } from "#features/inbox/rules/messages.ts";
import { eraseWorker } from "../../../../../functions/erase/worker.ts";
import { faultPoints, strikeEachCall } from "../../../../support/flows/fault-injection.ts";
import { invokeWorker, queueDepth } from "../../../../support/flows/queue-worker.ts";
import { openTestEnv } from "../../../../support/flows/test-env.ts";
import { openedEach, openedOnce } from "../../../../support/opened.ts";
import { openPushFixture, type PushFixture } from "./support/push-fixture.ts";

// What the sockets of a tenant get of a conversation that is erased.

const testEnv = openedOnce(openTestEnv);
const fixture = openedEach(() => openPushFixture(testEnv));

const erase = ({ tenant, queues }: PushFixture, conversationId: string) =>
  eraseConversation(
    testEnv.erasePorts(queues),
    { tenant, conversationId, author: { actor: "cli" }, now: testEnv.now(), time: testEnv },
    () => true,
  );

it("an erased conversation is pushed as erased, and none of its events after it", async () => {
  await fixture.open();
  const record = await fixture.recordMessage("m");
  const { conversationId } = record.message;
  const events = { kind: "events", events: [fixture.event(record)] } as const;
  await erase(fixture, conversationId);
  // A message that was queued before comes late.
  await fixture.push(events);
  testEnv.advance(1.9 * SECOND);
  await fixture.run();
  expect(fixture.takeFrames()).toEqual([]);
  testEnv.advance(SECOND / 10);
  await fixture.run();
  await fixture.push(events);
  expect(fixture.takeFrames().map(({ frame }) => [frame.type, frame.data])).toEqual([
    ["conversation.updated", { conversation: { id: conversationId, erased: true } }],
  ]);
});

it("a socket that opens while a conversation is erased gets the erasure with its next pass", async () => {
  const { message } = await fixture.recordMessage("m");
  const ports = testEnv.erasePorts(fixture.queues);
  const { traces } = ports;
  let isOpen = false;
  const page: typeof traces.page = async (...args) => {
    if (!isOpen) await fixture.open();
    isOpen = true;
    return traces.page(...args);
  };
  const request = {
    tenant: fixture.tenant,
    conversationId: message.conversationId,
    author: { actor: "cli" },
    now: testEnv.now(),
  };
  await eraseConversation({ ...ports, traces: { ...traces, page } }, { ...request, time: testEnv }, () => true);
  testEnv.advance(PASS_INTERVAL);
  await invokeWorker(testEnv.eventSource, fixture.queues.erasures, eraseWorker(ports, testEnv.now));
  testEnv.advance(2 * SECOND);
  await fixture.run();
  expect(fixture.takeFrames().map(({ frame }) => frame.data)).toEqual([
    { conversation: { id: message.conversationId, erased: true } },
  ]);
});

it("a read that is behind shows nothing of an erased conversation", async () => {
  await fixture.open();
  const record = await fixture.recordMessage("m");
  const { conversationId } = record.message;
  const { conversations, messages } = fixture.ports;
  const old = await conversations.getNewest(fixture.tenant, { conversationId, limit: 5, now: testEnv.now() });
  await erase(fixture, conversationId);
  const getNewest: typeof conversations.getNewest = async (tenant, query) =>
    query.consistent ? conversations.getNewest(tenant, query) : old;
  const getByRefs: typeof messages.getByRefs = async () => new Map([["any", record.message]]);
  await fixture.push(
    { kind: "events", events: [fixture.event(record)] },
    { conversations: { ...conversations, getNewest }, messages: { ...messages, getByRefs } },
  );
  expect(fixture.takeFrames()).toEqual([]);
});

it("an event from before an erasure shows nothing when the person has written again", async () => {
  await fixture.open();
  const old = await fixture.recordMessage("old");
  await erase(fixture, old.message.conversationId);
  testEnv.advance(SECOND);
  const again = await fixture.recordMessage("again");
  // The read of the old message is behind its removal.
  const getByRefs = async () => new Map([[messageRefKey(old.ref), old.message]]);
  await fixture.push(
    { kind: "events", events: [fixture.event(old), fixture.event(again)] },
    { messages: { ...fixture.ports.messages, getByRefs } },
  );
  const frames = fixture.takeFrames().map(({ frame }) => frame);
  expect(frames.map(({ type, data }) => [type, data.message?.id])).toEqual([
    ["message.received", "again"],
    ["conversation.updated", undefined],
  ]);
});

it("an erasure queues nothing and marks nothing for a tenant without sockets", async () => {
  const { message } = await fixture.recordMessage("m");
  await erase(fixture, message.conversationId);
  testEnv.advance(5 * SECOND);
  expect(await queueDepth(testEnv.eventSource, fixture.queues.realtime)).toBe(0);
  expect(await fixture.stores.sockets.list(fixture.tenant, testEnv.now())).toEqual({ sockets: [], erasedAt: null });
});

it("an erasure whose push cannot be queued succeeds", async () => {
  await fixture.open();
  const { message } = await fixture.recordMessage("m");
  const dead = { send: () => Promise.reject(new Error("The queue does not answer.")) };
  const ports = { ...testEnv.erasePorts(fixture.queues), realtime: dead };
  const request = {
    tenant: fixture.tenant,
    conversationId: message.conversationId,
    author: { actor: "cli" },
    now: testEnv.now(),
  };
  expect(await eraseConversation(ports, { ...request, time: testEnv }, () => true)).toMatchObject({ done: true });
  expect(testEnv.lines).toContainEqual({ event: "realtime.request_failed", error: "Error" });
});

it.each(faultPoints)("an erasure is pushed despite a fault (%s) at any call", async (faultPoint) => {
  await strikeEachCall(testEnv, faultPoint, async (strike) => {
    const fixture = await openPushFixture(testEnv);
    const { connectionId } = await fixture.open();
    const { message } = await fixture.recordMessage("m");
    await strike.during(() => erase(fixture, message.conversationId).catch(() => {}));
    const worker = eraseWorker(testEnv.erasePorts(fixture.queues), testEnv.now);
    // The client repeats a request that failed; the background continues what was started.
    await erase(fixture, message.conversationId);
    testEnv.advance(60 * SECOND);
    await invokeWorker(testEnv.eventSource, fixture.queues.erasures, worker);
    testEnv.advance(3 * SECOND);
    await fixture.run();
    const frames = fixture.takeFrames();
    expect(frames.length).toBeGreaterThanOrEqual(1);
    for (const sent of frames)
      expect(sent).toMatchObject({ connectionId, frame: { data: { conversation: { erased: true } } } });
  });
});
