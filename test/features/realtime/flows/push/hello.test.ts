import { expect, it } from "vitest";
import { RECEIVES_MAX } from "#base/config/function-times.ts";
import { newUlid } from "#base/kernel/ids.ts";
import { HOUR, MINUTE, SECOND } from "#base/kernel/time.ts";
import { renderAccountEvent } from "#features/accounts/events.ts";
import { streamFrameSchemas } from "#features/realtime/events.ts";
import { hasSockets } from "#features/realtime/rules/sockets.ts";
import { faultPoints, strikeEachCall } from "../../../../support/flows/fault-injection.ts";
import { queueDepth, runUntilEmpty } from "../../../../support/flows/queue-worker.ts";
import { openTestEnv } from "../../../../support/flows/test-env.ts";
import { openedEach, openedOnce } from "../../../../support/opened.ts";
import { openPushFixture, type PushFixture } from "./support/push-fixture.ts";

const testEnv = openedOnce(openTestEnv);
const fixture = openedEach(() => openPushFixture(testEnv));

/** A socket of this age, whose first frame is requested. */
async function connected(fixture: PushFixture, age = 2 * SECOND) {
  const socket = await fixture.open({ age, greeted: false });
  await fixture.send({ kind: "hello", connectionId: socket.connectionId });
  return socket;
}

it("the first frame follows two seconds after the accounts are marked, and says when the connection ends", async () => {
  const { connectionId, expiresAt } = await connected(fixture);
  await fixture.run();
  expect(fixture.takeFrames()).toEqual([]);
  const account = await fixture.stores.accounts.get(fixture.tenant, fixture.account);
  expect(account && hasSockets(account, expiresAt)).toBe(true);

  testEnv.advance(2 * SECOND);
  await fixture.run();
  const frames = fixture.takeFrames();
  expect(frames).toEqual([
    {
      connectionId,
      frame: { type: "hello", connection_id: connectionId, server_time: testEnv.now(), expires_at: expiresAt },
    },
  ]);
  expect(streamFrameSchemas.hello().parse(frames[0]?.frame)).toEqual(frames[0]?.frame);

  // The next socket finds the marks.
  await connected(fixture);
  await fixture.run();
  expect(fixture.takeFrames()).toHaveLength(1);
  expect(await queueDepth(testEnv.eventSource, fixture.queues.realtime)).toBe(0);
});

it("accounts whose marks end before a later socket does are marked again before its first frame", async () => {
  const markEnd = testEnv.now() + HOUR;
  await fixture.stores.accounts.markSockets(fixture.tenant, fixture.account, markEnd);
  const { expiresAt } = await connected(fixture);
  await fixture.run();
  expect(fixture.takeFrames()).toEqual([]);
  const account = await fixture.stores.accounts.get(fixture.tenant, fixture.account);
  expect(account && hasSockets(account, expiresAt)).toBe(true);
});

it("a socket gets its first frame once, and before any other", async () => {
  await fixture.stores.accounts.markSockets(fixture.tenant, fixture.account, testEnv.now() + 4 * HOUR);
  const { connectionId } = await connected(fixture, 20 * SECOND);
  const record = await fixture.recordMessage("early");
  await fixture.push({ kind: "events", events: [fixture.event(record)] });
  expect(fixture.takeFrames().map(({ frame }) => frame.type)).toEqual([
    "hello",
    "message.received",
    "conversation.updated",
  ]);
  await fixture.run();
  expect(fixture.takeFrames()).toEqual([]);
  expect(await fixture.stores.sockets.get(fixture.tenant, connectionId)).toMatchObject({ greetedAt: testEnv.now() });
});

it("a socket whose first frame is not due gets an event after it, which the other sockets get once", async () => {
  await fixture.stores.accounts.markSockets(fixture.tenant, fixture.account, testEnv.now() + 4 * HOUR);
  const other = await fixture.open();
  const young = await fixture.open({ age: SECOND, greeted: false });
  const record = await fixture.recordMessage("m");
  const { conversationId } = record.message;
  const eventUlid = newUlid(testEnv.now());
  await fixture.send({ kind: "events", events: [fixture.event(record)] });
  await fixture.send({ kind: "conversation", conversationId, eventUlid, erased: true });
  expect((await fixture.run()).failed).toEqual([]);
  const pushed = fixture.takeFrames();
  expect(new Set(pushed.map(({ connectionId }) => connectionId))).toEqual(new Set([other.connectionId]));
  expect(pushed).toHaveLength(4);

  // Its row may be as young as its request, so no other process sends its first frame.
  testEnv.advance(2 * SECOND);
  expect((await fixture.run()).failed).toEqual([]);
  expect(fixture.takeFrames()).toEqual([]);
  await fixture.push({ kind: "hello", connectionId: young.connectionId });
  testEnv.advance(2 * SECOND);
  expect((await fixture.run()).failed).toEqual([]);
  const later = fixture.takeFrames();
  expect(new Set(later.map(({ connectionId }) => connectionId))).toEqual(new Set([young.connectionId]));
  expect(later[0]?.frame.type).toBe("hello");
  expect(new Set(later.slice(1).map(({ frame }) => frame.id))).toEqual(new Set(pushed.map(({ frame }) => frame.id)));
  testEnv.advance(2 * SECOND);
  await fixture.run();
  expect(fixture.takeFrames()).toEqual([]);
});

it("an event is pushed at once where only the list does not show the first frame yet", async () => {
  const { connectionId } = await fixture.open({ age: 3 * SECOND, greeted: false });
  const behind = await fixture.stores.sockets.list(fixture.tenant, testEnv.now());
  await fixture.stores.sockets.markGreeted(fixture.tenant, connectionId, testEnv.now());
  const event = fixture.event(await fixture.recordMessage("soon"));
  const sockets = { ...fixture.ports.sockets, list: async () => behind };
  await fixture.push({ kind: "events", events: [event] }, { sockets });
  expect(fixture.takeFrames().map(({ frame }) => frame.type)).toEqual(["message.received", "conversation.updated"]);
});

it("an event is no longer sent to a connection that never stood", async () => {
  const { connectionId } = await fixture.open({ greeted: false });
  fixture.gone.add(connectionId);
  await fixture.send({ kind: "events", events: [fixture.event(await fixture.recordMessage("m"))] });
  for (let second = 0; second < 40; second += 2) {
    expect((await fixture.run()).failed).toEqual([]);
    testEnv.advance(2 * SECOND);
  }
  expect(await queueDepth(testEnv.eventSource, fixture.queues.realtime)).toBe(0);
  expect(await fixture.stores.sockets.listAll(fixture.tenant)).toEqual([]);
});

it("a connection that does not stand yet is tried again, and one that never stands loses its row", async () => {
  await fixture.stores.accounts.markSockets(fixture.tenant, fixture.account, testEnv.now() + 4 * HOUR);
  const { connectionId } = await connected(fixture);
  fixture.gone.add(connectionId);
  expect((await fixture.run()).failed).toHaveLength(1);
  testEnv.advance(SECOND);
  fixture.gone.clear();
  expect((await fixture.run()).failed).toEqual([]);
  expect(fixture.takeFrames()).toHaveLength(1);

  const never = await connected(fixture, 29 * SECOND);
  fixture.gone.add(never.connectionId);
  expect((await fixture.run()).failed).toHaveLength(1);
  testEnv.advance(15 * SECOND);
  expect((await fixture.run()).failed).toEqual([]);
  expect(await fixture.stores.sockets.get(fixture.tenant, never.connectionId)).toBeNull();
});

it("a client that leaves before its first frame, without a word of the gateway, leaves no dead letter", async () => {
  await fixture.stores.accounts.markSockets(fixture.tenant, fixture.account, testEnv.now() + 4 * HOUR);
  const { connectionId } = await connected(fixture);
  fixture.gone.add(connectionId);
  let tries = 0;
  for (let second = 0; second < 60; second++) {
    tries += (await fixture.run()).failed.length;
    testEnv.advance(SECOND);
  }
  expect(await fixture.stores.sockets.get(fixture.tenant, connectionId)).toBeNull();
  expect(tries + 1).toBeLessThan(RECEIVES_MAX);
});

it("a socket whose key was revoked before its first frame is closed instead", async () => {
  const { connectionId } = await connected(fixture);
  await fixture.push(
    { kind: "hello", connectionId },
    { sockets: { ...fixture.ports.sockets, isGranted: async () => false } },
  );
  expect(fixture.takeFrames()).toEqual([]);
  expect(fixture.closed).toEqual([connectionId]);
});

it("an account that is connected while there are sockets is marked with its event", async () => {
  await fixture.open();
  const account = (await fixture.stores.accounts.get(fixture.tenant, fixture.account)) ?? expect.unreachable();
  const type = "account.connected";
  const event = renderAccountEvent(fixture.tenant, {
    eventUlid: newUlid(testEnv.now()),
    type,
    account,
    reason: "user",
  });
  await fixture.stores.eventBodies.save(fixture.tenant, event);
  await fixture.push({ kind: "events", events: [{ eventUlid: event.ulid, type, source: null }] });
  const marked = await fixture.stores.accounts.get(fixture.tenant, fixture.account);
  expect(marked && hasSockets(marked, testEnv.now() + 2 * HOUR)).toBe(true);
});

it.each(faultPoints)("a socket gets its first frame despite a fault (%s) at any call", async (faultPoint) => {
  await strikeEachCall(testEnv, faultPoint, async (strike) => {
    const fixture = await openPushFixture(testEnv);
    const { connectionId } = await connected(fixture);
    await fixture.stores.socketFrames.consume(connectionId, { isPing: true, now: testEnv.now() });
    await strike.invoke(fixture.queues.realtime, fixture.worker());
    await runUntilEmpty(testEnv, fixture.queues.realtime, fixture.run, { runsMax: 6 });
    const frames = fixture.takeFrames();
    // The connection sent a ping before.
    const [hello, ...rest] = frames.map(({ frame }) => frame);
    expect(hello).toMatchObject({ type: "hello", connection_id: connectionId });
    expect(rest.map(({ type }) => type)).toContain("pong");
    expect(rest.filter(({ type }) => type !== "pong" && type !== "hello")).toEqual([]);
    const account = await fixture.stores.accounts.get(fixture.tenant, fixture.account);
    expect(account && hasSockets(account, testEnv.now() + HOUR)).toBe(true);
  });
});

it("a worker that is killed after each frame sends every frame again", async () => {
  for (let kill = 0; ; kill++) {
    const fixture = await openPushFixture(testEnv);
    await fixture.open();
    await fixture.send({ kind: "events", events: [fixture.event(await fixture.recordMessage("m"))] });
    let posts = 0;
    fixture.onPost(() => {
      if (posts++ === kill) throw new Error("killed");
    });
    await fixture.run();
    const isKilled = posts > kill;
    testEnv.advance(MINUTE);
    await fixture.run();
    const types = new Set(fixture.takeFrames().map(({ frame }) => frame.type));
    expect(types).toEqual(new Set(["message.received", "conversation.updated"]));
    if (!isKilled) return;
  }
});
