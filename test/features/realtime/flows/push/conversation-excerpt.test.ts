import { beforeEach, expect, it } from "vitest";
import { MINUTE, SECOND } from "#base/kernel/time.ts";
import { openTestEnv } from "../../../../support/flows/test-env.ts";
import { openedEach, openedOnce } from "../../../../support/opened.ts";
import { openPushFixture, type PushFixture } from "./support/push-fixture.ts";

// What is read for the events of a conversation's messages, and what of it is pushed.

const testEnv = openedOnce(openTestEnv);
const fixture = openedEach(() => openPushFixture(testEnv));
beforeEach(async () => {
  await fixture.open();
});

type Recorded = Awaited<ReturnType<PushFixture["recordMessage"]>>;

/** Pushes the events of messages. @returns the reads of the conversation, and of single messages */
async function pushAndCount(...records: readonly Recorded[]) {
  const { conversations, messages } = fixture.ports;
  const reads: ("eventual" | "consistent")[] = [];
  let singleReads = 0;
  const getNewest: typeof conversations.getNewest = (tenant, query) => {
    reads.push(query.consistent ? "consistent" : "eventual");
    return conversations.getNewest(tenant, query);
  };
  const getByRefs: typeof messages.getByRefs = (...args) => {
    singleReads += 1;
    return messages.getByRefs(...args);
  };
  const outcome = await fixture.push(
    { kind: "events", events: records.map(fixture.event) },
    { conversations: { ...conversations, getNewest }, messages: { ...messages, getByRefs } },
  );
  expect(outcome).toEqual({ batchItemFailures: [] });
  return { reads, singleReads };
}

const frames = () => fixture.takeFrames().map(({ frame }) => frame);

it("a conversation is read once and eventually consistently, when the answer has its messages and their head", async () => {
  const first = await fixture.recordMessage("first");
  testEnv.advance(SECOND);
  const second = await fixture.recordMessage("second");
  expect(await pushAndCount(first, second)).toEqual({ reads: ["eventual"], singleReads: 0 });
  // A test send does not change the head.
  testEnv.advance(SECOND);
  const test = await fixture.recordMessage("test", { scope: "test", direction: "outbound" });
  expect(await pushAndCount(test)).toEqual({ reads: ["eventual"], singleReads: 0 });
});

it("a conversation is read once and consistently within five minutes of an erasure of the tenant", async () => {
  const record = await fixture.recordMessage("m");
  const gone = await fixture.recordMessage("gone");
  await fixture.stores.messages.remove(fixture.tenant, gone.ref);
  await fixture.stores.sockets.markErasure(fixture.tenant, testEnv.now());
  testEnv.advance(5 * MINUTE - 1);
  expect(await pushAndCount(record)).toEqual({ reads: ["consistent"], singleReads: 0 });
  expect(await pushAndCount(record, gone)).toEqual({ reads: ["consistent"], singleReads: 1 });
  testEnv.advance(1);
  expect(await pushAndCount(record)).toEqual({ reads: ["eventual"], singleReads: 0 });
});

it("a conversation without a head is over: nothing of it is pushed, and nothing fails", async () => {
  const test = await fixture.recordMessage("test", { scope: "test", direction: "outbound" });
  expect(await pushAndCount(test)).toMatchObject({ reads: ["eventual", "consistent"] });
  expect(frames()).toEqual([]);
});

it("a message that was unsent is not pushed, and the others of its conversation are", async () => {
  const first = await fixture.recordMessage("first");
  testEnv.advance(SECOND);
  const unsent = await fixture.recordMessage("unsent");
  await fixture.stores.messageChanges.unsend(fixture.tenant, unsent.ref, { at: testEnv.now() });
  await pushAndCount(unsent);
  expect(frames()).toEqual([]);
  await pushAndCount(first, unsent);
  expect(frames().map(({ type, data }) => [type, data.message?.id])).toEqual([
    ["message.received", "first"],
    ["conversation.updated", undefined],
  ]);
});
