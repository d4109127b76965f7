import { expect, it } from "vitest";
import { newUlid } from "#base/kernel/ids.ts";
import { DAY, HOUR, MINUTE, SECOND } from "#base/kernel/time.ts";
import { streamFrameSchemas } from "#features/realtime/events.ts";
import { openTestEnv } from "../../../../support/flows/test-env.ts";
import { openedEach, openedOnce } from "../../../../support/opened.ts";
import { createHold, createUpload, openConversationFixture } from "./support/conversation-fixture.ts";
import { openPushFixture } from "./support/push-fixture.ts";

// What is pushed besides events: conversations, held messages and uploads that changed.

const testEnv = openedOnce(openTestEnv);

const fixture = openedEach(() => openConversationFixture(testEnv));

const ulid = () => newUlid(testEnv.now());

it("a conversation is pushed as it is, and nothing when it is gone", async () => {
  const { conversationId } = fixture;
  const eventUlid = ulid();
  await fixture.push({ kind: "conversation", conversationId, eventUlid });
  expect(fixture.takeFrames().map(({ frame }) => frame)).toMatchObject([
    {
      id: `evt_${eventUlid}`,
      type: "conversation.updated",
      data: { conversation: { last_message_text: "text of first" } },
    },
  ]);
  await fixture.push({ kind: "conversation", conversationId: `${conversationId}9`, eventUlid });
  expect(fixture.takeFrames()).toEqual([]);
});

it("a conversation that was erased is pushed as erased, and then as it is if the person wrote again", async () => {
  const gone = `${fixture.conversationId}9`;
  await fixture.push({ kind: "conversation", conversationId: gone, eventUlid: ulid(), erased: true });
  expect(fixture.takeFrames().map(({ frame }) => frame.data)).toEqual([{ conversation: { id: gone, erased: true } }]);

  const { conversationId } = fixture;
  await fixture.push({ kind: "conversation", conversationId, eventUlid: ulid(), erased: true });
  const frames = fixture.takeFrames().map(({ frame }) => frame);
  expect(frames.map(({ data }) => data.conversation.erased ?? data.conversation.last_message_text)).toEqual([
    true,
    "text of first",
  ]);
  expect(new Set(frames.map(({ id }) => id)).size).toBe(2);
});

it("a held message is pushed without its text and URL, and again when no one checked it in time", async () => {
  const { id } = await createHold(testEnv, fixture);
  await fixture.push({ kind: "hold", holdId: id, eventUlid: ulid() });
  // Another push of the same state sets another timer.
  await fixture.push({ kind: "hold", holdId: id, eventUlid: ulid() });
  const [first] = fixture.takeFrames().map(({ frame }) => frame);
  expect(streamFrameSchemas["hold.updated"]().parse(first)).toEqual(first);
  expect(first.data.hold).toMatchObject({ id, status: "awaiting_verification" });
  expect(JSON.stringify(first)).not.toMatch(/held text|verify/);

  testEnv.advance(9 * MINUTE);
  await fixture.run();
  expect(fixture.takeFrames()).toEqual([]);
  testEnv.advance(MINUTE + SECOND);
  await fixture.run();
  const frames = fixture.takeFrames().map(({ frame }) => frame);
  expect(frames.map(({ data }) => data.hold.status)).toEqual(["expired", "expired"]);
  expect(new Set(frames.map((frame) => frame.id)).size).toBe(1);
  // The end is stored before it is shown.
  const stored = await fixture.stores.holds.get(id);
  expect(stored?.content).toBeNull();
});

it("a held message that was sent is not pushed again by its timer", async () => {
  const { id, secretHash } = await createHold(testEnv, fixture);
  await fixture.push({ kind: "hold", holdId: id, eventUlid: ulid() });
  const sendId = ulid();
  await fixture.stores.holds.claimHold({ id, secretHash }, sendId, testEnv.now());
  const outcome = { trigger: "accept", platformMessageId: "m_9" } as const;
  await fixture.stores.holds.settleHold(id, sendId, outcome, testEnv.now());
  await fixture.push({ kind: "hold", holdId: id, eventUlid: ulid() });
  expect(fixture.takeFrames().map(({ frame }) => frame.data.hold.status)).toEqual(["awaiting_verification", "sent"]);
  testEnv.advance(11 * MINUTE);
  await fixture.run();
  expect(fixture.takeFrames()).toEqual([]);
});

it("a held message whose sender died is pushed as failed after a minute", async () => {
  const { id, secretHash } = await createHold(testEnv, fixture);
  await fixture.stores.holds.claimHold({ id, secretHash }, ulid(), testEnv.now());
  await fixture.push({ kind: "hold", holdId: id, eventUlid: ulid() });
  expect(fixture.takeFrames().map(({ frame }) => frame.data.hold.status)).toEqual(["sending"]);
  testEnv.advance(MINUTE + 2 * SECOND);
  await fixture.run();
  expect(fixture.takeFrames().map(({ frame }) => frame.data.hold)).toMatchObject([
    { status: "failed", error: { detail: "outcome_unknown" } },
  ]);
});

it("a held message of another tenant, or one that can no longer be read, is not pushed", async () => {
  const other = await openConversationFixture(testEnv);
  const { id } = await createHold(testEnv, other);
  await fixture.push({ kind: "hold", holdId: id, eventUlid: ulid() });
  testEnv.advance(HOUR / 2);
  await other.push({ kind: "hold", holdId: id, eventUlid: ulid() });
  expect([...fixture.takeFrames(), ...other.takeFrames()]).toEqual([]);
});

it("a held message is pushed with the message that it became", async () => {
  const { id } = await createHold(testEnv, fixture);
  const sent = await fixture.recordMessage("sent", { direction: "outbound", holdId: id });
  await fixture.push({ kind: "events", events: [fixture.event(sent)] });
  const frames = fixture.takeFrames().map(({ frame }) => frame);
  expect(frames.map(({ type }) => type).sort()).toEqual(["conversation.updated", "hold.updated", "message.sent"]);
});

it("an upload is pushed as it is, and as failed when its platform did not take it in time", async () => {
  const id = await createUpload(testEnv, fixture);
  await fixture.push({ kind: "upload", uploadId: id, eventUlid: ulid() });
  await fixture.stores.uploads.startProcessing(id, { copyKey: "h/1/r/a.png", size: 4, at: testEnv.now() });
  await fixture.push({ kind: "upload", uploadId: id, eventUlid: ulid() });
  const frames = fixture.takeFrames().map(({ frame }) => frame);
  for (const frame of frames) expect(streamFrameSchemas["upload.updated"]().parse(frame)).toEqual(frame);
  expect(frames.map(({ data }) => [data.upload.status, data.upload.size])).toEqual([
    ["waiting", 3],
    ["processing", 4],
  ]);
  testEnv.advance(5 * MINUTE + SECOND);
  await fixture.run();
  expect(fixture.takeFrames().map(({ frame }) => frame.data.upload.status)).toEqual(["failed"]);
});

it("an upload that is ready is not pushed again by its timer", async () => {
  const id = await createUpload(testEnv, fixture);
  await fixture.stores.uploads.startProcessing(id, { copyKey: "h/1/r/a.png", size: 4, at: testEnv.now() });
  await fixture.push({ kind: "upload", uploadId: id, eventUlid: ulid() });
  await fixture.stores.uploads.complete(id, "att-1", testEnv.now());
  fixture.takeFrames();
  testEnv.advance(6 * MINUTE);
  await fixture.run();
  expect(fixture.takeFrames()).toEqual([]);
});

it("an upload of another tenant, or one older than a day, is not pushed", async () => {
  const other = await openConversationFixture(testEnv);
  const task = { kind: "upload", uploadId: await createUpload(testEnv, other), eventUlid: ulid() } as const;
  expect(await fixture.push(task)).toEqual({ batchItemFailures: [] });
  expect(fixture.takeFrames()).toEqual([]);
  testEnv.advance(DAY - 1);
  await other.open();
  await other.push(task);
  expect(other.takeFrames().map(({ frame }) => frame.data.upload.status)).toEqual(["waiting"]);
  testEnv.advance(1);
  await other.push(task);
  expect(other.takeFrames()).toEqual([]);
});

it("an upload that was erased while its time ended is not pushed, and nothing fails", async () => {
  const id = await createUpload(testEnv, fixture);
  await fixture.stores.uploads.startProcessing(id, { copyKey: "h/1/r/a.png", size: 4, at: testEnv.now() });
  testEnv.advance(5 * MINUTE);
  const uploads = { ...fixture.ports.uploads, lapse: async () => null };
  const outcome = await fixture.push({ kind: "upload", uploadId: id, eventUlid: ulid() }, { uploads });
  expect(outcome).toEqual({ batchItemFailures: [] });
  expect(fixture.takeFrames()).toEqual([]);
});

it("nothing is read for a tenant without sockets", async () => {
  const fixture = await openPushFixture(testEnv);
  const conversationId = (await fixture.recordMessage("m")).message.conversationId;
  const fail = () => Promise.reject(new Error("Nothing is to be read."));
  const overrides = {
    conversations: { ...fixture.ports.conversations, get: fail },
    holds: { ...fixture.ports.holds, get: fail },
    uploads: { ...fixture.ports.uploads, get: fail },
  };
  for (const task of [
    { kind: "conversation", conversationId, eventUlid: ulid() },
    { kind: "hold", holdId: `hold_${ulid()}`, eventUlid: ulid() },
    { kind: "upload", uploadId: `upl_${ulid()}`, eventUlid: ulid() },
  ] as const) {
    expect(await fixture.push(task, overrides)).toEqual({ batchItemFailures: [] });
  }
});
