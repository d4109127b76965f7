import { expect, it } from "vitest";
import { HOUR, MINUTE, SECOND } from "#base/kernel/time.ts";
import { type ReplyFixture, useReplyFixture } from "../../../support/flows/reply-fixture.ts";
import type { TestEnv } from "../../../support/flows/test-env.ts";
import { runFrozen } from "../../../support/processes/frozen-process.ts";
import { interceptCalls } from "../../../support/processes/port-calls.ts";

// A key whose first process left no result.

let testEnv: TestEnv;
let fixture: ReplyFixture;
useReplyFixture((opened) => {
  ({ testEnv, fixture } = opened);
});

const outcomeUnknown = { refused: "outcome_unknown", detail: "outcome_unknown" };
const keyed = (ports = fixture.ports()) => fixture.sendReply({ idempotencyKey: "key" }, "live", ports);

/** Sends a reply in a process that dies: its call `lastCall` does not return. */
async function replyAndDie(lastCall: string): Promise<void> {
  const died = Promise.withResolvers<void>();
  const ports = interceptCalls(fixture.ports(), async (name, call) => {
    if (name !== lastCall) return call();
    await call();
    died.resolve();
    return new Promise(() => {});
  });
  void keyed(ports);
  await died.promise;
}

async function eraseAndWriteAgain(): Promise<void> {
  testEnv.advance(SECOND);
  await fixture.eraseConversation();
  testEnv.advance(SECOND);
  await fixture.take({ messageId: `${fixture.tenant}-again` });
}

it.each(["platform.send", "sendRecords.settleSend", "sendRecords.start"])(
  "answers outcome_unknown when the conversation was erased after its process had died (%s), and sends nothing",
  async (lastCall) => {
    await replyAndDie(lastCall);
    const callsBefore = fixture.platformCalls.length;
    await eraseAndWriteAgain();
    expect(await fixture.records()).toEqual([]);
    testEnv.advance(MINUTE);
    expect(await keyed()).toEqual(outcomeUnknown);
    expect(await keyed()).toEqual(outcomeUnknown);
    expect(fixture.platformCalls).toHaveLength(callsBefore);
  },
);

it("sends once when its process died before the record, in a conversation that was erased long before", async () => {
  await eraseAndWriteAgain();
  testEnv.advance(HOUR);
  await replyAndDie("dueSends.put");
  testEnv.advance(MINUTE);
  expect(await keyed()).toHaveProperty("messageId");
  expect(fixture.platformCalls).toHaveLength(1);
});

it("is used by the next request when its first process gives it back while the next one takes it over", async () => {
  await Promise.all(Array.from({ length: 10 }, () => fixture.sendReply()));
  const [reached, thawed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const first = keyed(
    interceptCalls(fixture.ports(), async (name, call) => {
      if (name === "idempotencyKeys.release") {
        reached.resolve();
        await thawed.promise;
      }
      return call();
    }),
  );
  await reached.promise;
  testEnv.advance(MINUTE);
  const { result } = await runFrozen(
    fixture.ports(),
    { call: "sendRecords.get", when: "after" },
    {
      work: keyed,
      async whileFrozen() {
        thawed.resolve();
        expect(await first).toMatchObject({ refused: "rate_limited" });
      },
    },
  );
  expect(result).toMatchObject({ status: "fulfilled", value: { messageId: expect.any(String) } });
  expect(await keyed()).toEqual((result as PromiseFulfilledResult<unknown>).value);
  expect(fixture.platformCalls).toHaveLength(11);
});

it("keeps its first result when a process that was frozen stores another one", async () => {
  const { result } = await runFrozen(
    fixture.ports(),
    { call: "platform.send", when: "after" },
    {
      work: keyed,
      async whileFrozen() {
        testEnv.advance(MINUTE);
        expect(await keyed()).toEqual(outcomeUnknown);
      },
    },
  );
  expect(result).toMatchObject({ value: { messageId: expect.any(String) } });
  expect(await keyed()).toEqual(outcomeUnknown);
  expect(fixture.platformCalls).toHaveLength(1);
});
