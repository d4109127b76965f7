import { expect, it } from "vitest";
import { newUlid } from "#base/kernel/ids.ts";
import { MINUTE, SECOND } from "#base/kernel/time.ts";
import { conversationFields } from "#features/inbox/events/conversation-fields.ts";
import { renderMessageDeleted } from "#features/inbox/events/message-deleted.ts";
import { streamFrameSchemas } from "#features/realtime/events.ts";
import { eventSchema } from "#features/webhooks/event-catalog.ts";
import { faultPoints, strikeEachCall } from "../../../../support/flows/fault-injection.ts";
import { runUntilEmpty } from "../../../../support/flows/queue-worker.ts";
import { openTestEnv } from "../../../../support/flows/test-env.ts";
import { openedEach, openedOnce } from "../../../../support/opened.ts";
import { openPushFixture } from "./support/push-fixture.ts";

const testEnv = openedOnce(openTestEnv);
const fixture = openedEach(() => openPushFixture(testEnv));

const types = (frames: readonly { readonly frame: { readonly type: string } }[]) =>
  frames.map(({ frame }) => frame.type);

it("an event of a message is pushed to each socket as endpoints get it, with its conversation once", async () => {
  const [one, two] = [await fixture.open(), await fixture.open()];
  const first = await fixture.recordMessage("first");
  testEnv.advance(SECOND);
  const second = await fixture.recordMessage("second");
  await fixture.push({ kind: "events", events: [fixture.event(first), fixture.event(second)] });
  const frames = fixture.takeFrames();
  for (const { connectionId } of [one, two]) {
    const own = frames.filter((sent) => sent.connectionId === connectionId).map(({ frame }) => frame);
    expect(own.map(({ type }) => type).sort()).toEqual([
      "conversation.updated",
      "message.received",
      "message.received",
    ]);
    for (const frame of own.filter(({ type }) => type === "message.received"))
      expect(eventSchema("message.received").parse(frame)).toEqual(frame);
    const updated = own.find(({ type }) => type === "conversation.updated");
    expect(conversationFields().parse(updated.data.conversation)).toEqual(updated.data.conversation);
    expect(streamFrameSchemas["conversation.updated"]().parse(updated)).toEqual(updated);
    expect(updated.data.conversation).toMatchObject({ last_message_text: "text of second", unanswered: true });
  }
  expect(new Set(frames.map(({ frame }) => frame.id)).size).toBe(3);
});

it("a socket that includes conversations gets each conversation in the frame of its newest message", async () => {
  const [joined, separate] = [await fixture.open({ includesConversation: true }), await fixture.open()];
  const first = await fixture.recordMessage("first");
  testEnv.advance(SECOND);
  const second = await fixture.recordMessage("second");
  const task = { kind: "events", events: [fixture.event(first), fixture.event(second)] } as const;
  await fixture.push(task);
  const frames = fixture.takeFrames();
  const framesOf = ({ connectionId }: { readonly connectionId: string }) =>
    frames.filter((sent) => sent.connectionId === connectionId).map(({ frame }) => frame);
  const [one, two, ...others] = framesOf(joined).sort((a, b) => (a.data.message.id < b.data.message.id ? -1 : 1));
  const [updated] = framesOf(separate).filter(({ type }) => type === "conversation.updated");
  expect(others).toEqual([]);
  expect(one.data.conversation).toBeUndefined();
  const { conversation, ...data } = two.data;
  expect(conversation).toEqual(updated.data.conversation);
  expect(framesOf(separate)).toEqual([one, { ...two, data }, updated]);
  await fixture.push(task);
  expect(fixture.takeFrames().filter(({ connectionId }) => connectionId === joined.connectionId)).toHaveLength(2);
});

it("a socket that includes conversations gets two frames where one would be too long for the gateway", async () => {
  await fixture.open({ includesConversation: true });
  const attachment = { type: "file", url: `https://files.example/${"a".repeat(130_000)}` } as const;
  const record = await fixture.recordMessage("long", { attachments: [attachment] });
  await fixture.push({ kind: "events", events: [fixture.event(record)] });
  const frames = fixture.takeFrames();
  expect(types(frames)).toEqual(["message.received", "conversation.updated"]);
  expect(frames[0]?.frame.data.conversation).toBeUndefined();
  expect(testEnv.lines.filter(({ event }) => event === "realtime.frame_too_large")).toEqual([]);
});

it("a socket that includes conversations gets the conversation after a change of it, and none for a test key's send", async () => {
  await fixture.open({ includesConversation: true });
  const record = await fixture.recordMessage("changed");
  const deleted = renderMessageDeleted(fixture.tenant, newUlid(testEnv.now()), record.message, {
    at: testEnv.now(),
    by: "participant",
  });
  await fixture.stores.eventBodies.save(fixture.tenant, deleted);
  const change = { eventUlid: deleted.ulid, type: deleted.type, source: null };
  await fixture.push({ kind: "events", events: [fixture.event(record), change] });
  const frames = fixture.takeFrames();
  expect(types(frames)).toEqual(["message.received", "message.deleted", "conversation.updated"]);
  expect(frames[0]?.frame.data.conversation).toBeUndefined();
  const test = await fixture.recordMessage("test", { scope: "test", direction: "outbound" });
  await fixture.push({ kind: "events", events: [fixture.event(test)] });
  expect(fixture.takeFrames().map(({ frame }) => Object.keys(frame.data))).toEqual([["message"]]);
});

it("an event of a message has frames of the same ids when it is pushed again", async () => {
  await fixture.open();
  const task = { kind: "events", events: [fixture.event(await fixture.recordMessage("again"))] } as const;
  await fixture.push(task);
  await fixture.push(task);
  const ids = fixture.takeFrames().map(({ frame }) => frame.id);
  expect(ids.slice(0, 2)).toEqual(ids.slice(2));
});

it("an event of a message of a test key's send is pushed without the conversation, whose head it does not change", async () => {
  await fixture.open();
  await fixture.recordMessage("live");
  const test = await fixture.recordMessage("test", { scope: "test", direction: "outbound" });
  await fixture.push({ kind: "events", events: [fixture.event(test)] });
  expect(fixture.takeFrames().map(({ frame }) => [frame.type, frame.data.message.test])).toEqual([
    ["message.sent", true],
  ]);
});

it("an event of a message is found beyond the newest messages, and one that is gone is left out", async () => {
  await fixture.open();
  const old = await fixture.recordMessage("old");
  for (const id of ["b", "c", "d"]) {
    testEnv.advance(SECOND);
    await fixture.recordMessage(id);
  }
  const removed = await fixture.recordMessage("removed");
  await fixture.stores.messages.remove(fixture.tenant, removed.ref);
  await fixture.push({ kind: "events", events: [fixture.event(old), fixture.event(removed)] });
  const frames = fixture.takeFrames();
  expect(types(frames)).toEqual(["message.received", "conversation.updated"]);
  expect(frames[0]?.frame.data.message.id).toBe("old");
});

it("an event of a message is read again, consistently, when the first answer lacks it or has an older head", async () => {
  await fixture.open();
  const before = await fixture.recordMessage("before");
  const { conversations } = fixture.ports;
  const query = { conversationId: before.message.conversationId, limit: 5, now: testEnv.now() };
  const old = await conversations.getNewest(fixture.tenant, query);
  testEnv.advance(SECOND);
  const after = await fixture.recordMessage("after");
  const newer = await conversations.getNewest(fixture.tenant, query);
  const headless = { ...newer, head: null };
  for (const stale of [old, { ...newer, head: old.head }, { ...old, head: newer.head }, headless]) {
    const getNewest: typeof conversations.getNewest = async (tenant, asked) =>
      asked.consistent ? conversations.getNewest(tenant, asked) : stale;
    await fixture.push(
      { kind: "events", events: [fixture.event(after)] },
      { conversations: { ...conversations, getNewest } },
    );
    const [event, updated] = fixture.takeFrames().map(({ frame }) => frame);
    expect(event?.data.message.id).toBe("after");
    expect(updated?.data.conversation.last_message_text).toBe("text of after");
  }
});

it("an event of a message is dropped with a log line when it waited for more than ten minutes", async () => {
  await fixture.open();
  await fixture.send({ kind: "events", events: [fixture.event(await fixture.recordMessage("late"))] });
  testEnv.advance(10 * MINUTE);
  expect(await fixture.run()).toMatchObject({ failed: [] });
  expect(fixture.takeFrames()).toEqual([]);
  expect(testEnv.lines).toContainEqual({ event: "realtime.dropped", tenant: fixture.tenant, events: 1 });
});

it("an event with a stored body is pushed as it is stored, and a change of a message with its conversation", async () => {
  await fixture.open();
  const { message } = await fixture.recordMessage("changed");
  const deleted = renderMessageDeleted(fixture.tenant, newUlid(testEnv.now()), message, {
    at: testEnv.now(),
    by: "participant",
  });
  await fixture.stores.eventBodies.save(fixture.tenant, deleted);
  const event = { eventUlid: deleted.ulid, type: deleted.type, source: null };
  const gone = { ...event, eventUlid: newUlid(testEnv.now()) };
  await fixture.push({ kind: "events", events: [event, gone] });
  const frames = fixture.takeFrames().map(({ frame }) => frame);
  expect(frames[0]).toEqual(JSON.parse(deleted.body));
  expect(frames[1]).toMatchObject({
    type: "conversation.updated",
    data: { conversation: { id: message.conversationId } },
  });
  expect(frames).toHaveLength(2);
});

it("a change of a message beside a new message of the conversation shows the conversation after both", async () => {
  await fixture.open();
  const record = await fixture.recordMessage("changed");
  const { message } = record;
  const { conversations } = fixture.ports;
  const stale = await conversations.getNewest(fixture.tenant, {
    conversationId: message.conversationId,
    limit: 5,
    now: testEnv.now(),
  });
  const { head } = stale;
  const old = { ...stale, head: head && { ...head, lastMessageText: "before the change" } };
  const deletedUlid = newUlid(testEnv.now());
  const deletion = { at: testEnv.now(), by: "participant" } as const;
  const deleted = renderMessageDeleted(fixture.tenant, deletedUlid, message, deletion);
  await fixture.stores.eventBodies.save(fixture.tenant, deleted);
  await fixture.push(
    { kind: "events", events: [fixture.event(record), { eventUlid: deleted.ulid, type: deleted.type, source: null }] },
    { conversations: { ...conversations, getNewest: async () => old } },
  );
  const frames = fixture.takeFrames().filter(({ frame }) => frame.type === "conversation.updated");
  expect(frames.map(({ frame }) => frame.data.conversation.last_message_text)).toEqual(["text of changed"]);
});

it("a socket of another tenant gets nothing, nor does one that is being closed or whose time is over", async () => {
  const [fixture, other] = [await openPushFixture(testEnv), await openPushFixture(testEnv)];
  await other.open();
  const open = await fixture.open();
  const ending = await fixture.open();
  await fixture.stores.sockets.markEnded(fixture.tenant, [ending.connectionId], testEnv.now());
  await fixture.open({ age: 121 * MINUTE });
  await fixture.push({ kind: "events", events: [fixture.event(await fixture.recordMessage("m"))] });
  expect(new Set(fixture.takeFrames().map(({ connectionId }) => connectionId))).toEqual(new Set([open.connectionId]));
  expect(other.takeFrames()).toEqual([]);
});

it("a connection that is gone loses its row, but a young one may only not stand yet", async () => {
  const [old, young, open] = [await fixture.open(), await fixture.open({ age: 10 * SECOND }), await fixture.open()];
  for (const { connectionId } of [old, young]) fixture.gone.add(connectionId);
  await fixture.push({ kind: "events", events: [fixture.event(await fixture.recordMessage("m"))] });
  const left = (await fixture.stores.sockets.listAll(fixture.tenant)).map(({ connectionId }) => connectionId);
  expect(new Set(left)).toEqual(new Set([young.connectionId, open.connectionId]));
  expect(await fixture.stores.sockets.presence(fixture.tenant)).toMatchObject({ count: 2 });
});

it("a tenant whose presence outlives its sockets has it corrected, and is not read for", async () => {
  await fixture.open({ age: 121 * MINUTE });
  const fail = () => Promise.reject(new Error("Nothing is to be read."));
  const { conversations } = fixture.ports;
  await fixture.push(
    { kind: "events", events: [fixture.event(await fixture.recordMessage("m"))] },
    { conversations: { ...conversations, getNewest: fail } },
  );
  expect(await fixture.stores.sockets.presence(fixture.tenant)).toMatchObject({ count: 0 });
});

it("a management API that fails has the message come again, and the others of the batch are pushed", async () => {
  const [fixture, other] = [await openPushFixture(testEnv), await openPushFixture(testEnv)];
  const sick = await fixture.open();
  const well = await fixture.open();
  await fixture.send({ kind: "events", events: [fixture.event(await fixture.recordMessage("m"))] });
  fixture.onPost((connectionId) => {
    if (connectionId === sick.connectionId) throw new Error("The gateway does not answer.");
  });
  expect((await fixture.run()).failed).toHaveLength(1);
  expect(new Set(fixture.takeFrames().map(({ connectionId }) => connectionId))).toEqual(new Set([well.connectionId]));
  fixture.onPost(() => {});
  testEnv.advance(MINUTE);
  expect((await fixture.run()).failed).toEqual([]);
  expect(new Set(fixture.takeFrames().map(({ connectionId }) => connectionId))).toEqual(
    new Set([sick.connectionId, well.connectionId]),
  );
  expect(other.takeFrames()).toEqual([]);
});

it("a management API that is dead is asked a few times for a message, not for each of a thousand sockets", async () => {
  for (let i = 0; i < 80; i++) await fixture.open();
  let posts = 0;
  fixture.onPost(() => {
    posts++;
    throw new Error("The gateway does not answer.");
  });
  await fixture.push({ kind: "events", events: [fixture.event(await fixture.recordMessage("m"))] });
  // Fifty are in flight when the tenth fails.
  expect(posts).toBeLessThanOrEqual(60);
});

it.each(faultPoints)("events are pushed to every socket despite a fault (%s) at any call", async (faultPoint) => {
  await strikeEachCall(testEnv, faultPoint, async (strike) => {
    const fixture = await openPushFixture(testEnv);
    await fixture.open();
    const gone = await fixture.open();
    fixture.gone.add(gone.connectionId);
    const record = await fixture.recordMessage("m");
    await fixture.send({ kind: "events", events: [fixture.event(record)] });
    await strike.invoke(fixture.queues.realtime, fixture.worker());
    await runUntilEmpty(testEnv, fixture.queues.realtime, fixture.run);
    const frames = fixture.takeFrames().map(({ frame }) => frame);
    expect(new Set(frames.map(({ type }) => type))).toEqual(new Set(["message.received", "conversation.updated"]));
    expect(new Set(frames.map(({ id }) => id)).size).toBe(2);
    expect(await fixture.stores.sockets.presence(fixture.tenant)).toMatchObject({ count: 1 });
  });
});
