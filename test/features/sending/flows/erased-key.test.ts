import { expect, it } from "vitest";
import { HOUR, MINUTE, SECOND } from "#base/kernel/time.ts";
import { replyFixtures } from "../../../support/flows/reply-fixture.ts";
import { runFrozen } from "../../../support/processes/frozen-process.ts";
import { interceptCalls } from "../../../support/processes/port-calls.ts";

// A key whose first process left no result.

const { testEnv, fixture } = replyFixtures();

const outcomeUnknown = { refused: "outcome_unknown", detail: "outcome_unknown" };
const keyed = (ports = fixture.ports()) => fixture.sendReply({ idempotencyKey: "key" }, "live", ports);

const replyAndDie = (lastCall: string) => fixture.sendAndDie(lastCall, { idempotencyKey: "key" });

async function eraseAndWriteAgain(): Promise<void> {
  testEnv.advance(SECOND);
  await fixture.eraseConversation();
  testEnv.advance(SECOND);
  await fixture.take({ messageId: `${fixture.tenant}-again` });
}

it.each(["platform.send", "sendRecords.settleSend", "sendRecords.start"])(
  "a key whose process died (%s) before an erasure answers outcome_unknown, and sends nothing",
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

it("a key sends once when its process died before the record, in a conversation that was erased long before", async () => {
  await eraseAndWriteAgain();
  testEnv.advance(HOUR);
  await replyAndDie("dueSends.put");
  testEnv.advance(MINUTE);
  expect(await keyed()).toHaveProperty("messageId");
  expect(fixture.platformCalls).toHaveLength(1);
});

it("a key is used by the next request when its first process gives it back while the next one takes it over", async () => {
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

it("a key keeps its first result when a process that was frozen stores another one", async () => {
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
