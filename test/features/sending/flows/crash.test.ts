import { describe, expect, it } from "vitest";
import { SECOND } from "#base/kernel/time.ts";
import { unknownOutcome } from "../../../support/flows/conversation-fixture.ts";
import {
  FAULT_STEP,
  type FaultPoint,
  faultPoints,
  firstFault,
  injectFaultAt,
} from "../../../support/flows/fault-injection.ts";
import { openReplyFixture, type ReplyFixture, refusedWith } from "../../../support/flows/reply-fixture.ts";
import { openTestEnv } from "../../../support/flows/test-env.ts";
import { openedOnce } from "../../../support/opened.ts";

// A sender or a sweep that dies between any two calls.

const testEnv = openedOnce(openTestEnv);

const sentMessageId = (fixture: ReplyFixture) => `${fixture.tenant}-out`;
const deadTokenRefusal = refusedWith({ class: "token", accountStatus: "needs_reauth", coolDownMs: 60 * SECOND });

/** @returns whether call `k` was reached, and the result or error unless the process died */
async function runWithFault(faultPoint: FaultPoint, k: number, work: () => Promise<unknown>) {
  const injection = injectFaultAt(testEnv.clients, faultPoint, k);
  const result = await work().catch((error: unknown) => error);
  const reached = injection.reached();
  injection.remove();
  return { reached, result: reached && faultPoint !== "lost" ? null : result };
}

async function advancePastDue(fixture: ReplyFixture): Promise<void> {
  testEnv.advance(61 * SECOND);
  await fixture.sweepSends();
  await fixture.sweepSends();
}

/** No send is in progress any more, and the platform was called at most once. */
async function expectSettled(fixture: ReplyFixture): Promise<void> {
  expect(fixture.platformCalls.length).toBeLessThanOrEqual(1);
  expect(await fixture.dueItems()).toEqual([]);
  expect((await fixture.records()).map(({ st }) => st)).not.toContain("sending");
}

const eventTypes = async (fixture: ReplyFixture) => (await fixture.events()).map(({ type }) => type).sort();

describe.each(faultPoints)("a sender that fails (%s) at any call", (faultPoint) => {
  it("publishes an accepted message or its unknown outcome within a minute, and the echo settles it", async () => {
    for (let k = firstFault(faultPoint); ; k += FAULT_STEP) {
      const fixture = await openReplyFixture(testEnv);
      fixture.setPlatformResponse({ kind: "accepted", messageId: sentMessageId(fixture) });
      const { reached, result } = await runWithFault(faultPoint, k, () => fixture.sendReply());
      await advancePastDue(fixture);
      await expectSettled(fixture);
      const [record] = await fixture.records();
      const types = await eventTypes(fixture);
      if (!record) expect([fixture.platformCalls, types]).toEqual([[], []]);
      else if (record.st === "sent") expect(types).toEqual(["message.sent"]);
      else expect([record.st, types]).toEqual(["unknown", ["message.failed"]]);
      if (result) expect([result, types]).toEqual([{ messageId: sentMessageId(fixture) }, ["message.sent"]]);

      if (fixture.platformCalls.length > 0) {
        await fixture.echo(sentMessageId(fixture), "hi");
        await advancePastDue(fixture);
        const failed = types.filter((type) => type === "message.failed");
        expect(await eventTypes(fixture)).toEqual([...failed, "message.sent"]);
        const outbound = (await fixture.messageRows()).filter(({ message }) => message.direction !== "inbound");
        expect(outbound.map(({ message }) => [message.id, message.direction])).toEqual([
          [sentMessageId(fixture), "outbound"],
        ]);
        expect(await fixture.head()).toMatchObject({ lastDirection: "outbound", lastMessageText: "hi" });
        expect(await fixture.records()).toMatchObject([{ st: "sent", m: sentMessageId(fixture) }]);
      }
      if (reached) continue;
      // Reads, due item, record, settled record, marker, message, head, event, due item removed.
      expect(k).toBeGreaterThanOrEqual(13);
      return;
    }
  });

  it("leaves nothing to the sweep when the echo is faster", async () => {
    for (let k = firstFault(faultPoint); ; k += FAULT_STEP) {
      const fixture = await openReplyFixture(testEnv);
      fixture.setPlatformResponse({ kind: "accepted", messageId: sentMessageId(fixture) });
      const { reached } = await runWithFault(faultPoint, k, () => fixture.sendReply());
      testEnv.advance(SECOND);
      if (fixture.platformCalls.length > 0) await fixture.echo(sentMessageId(fixture), "hi");
      await advancePastDue(fixture);
      await expectSettled(fixture);
      const records = await fixture.records();
      if (fixture.platformCalls.length > 0) expect(await eventTypes(fixture)).toEqual(["message.sent"]);
      // A send that was started but never sent has an unknown outcome.
      else expect(await eventTypes(fixture)).toEqual(records.length > 0 ? ["message.failed"] : []);
      if (!reached) return;
    }
  });

  it("publishes a refusal and the new account status once each", async () => {
    for (let k = firstFault(faultPoint); ; k += FAULT_STEP) {
      const fixture = await openReplyFixture(testEnv);
      fixture.setPlatformResponse(deadTokenRefusal);
      const { reached } = await runWithFault(faultPoint, k, () => fixture.sendReply());
      await advancePastDue(fixture);
      await expectSettled(fixture);
      const [record] = await fixture.records();
      const status = (await fixture.account())?.status;
      if (record?.st === "failed") {
        expect(await eventTypes(fixture)).toEqual(["account.needs_reauth", "message.failed"]);
        expect(status).toBe("needs_reauth");
      } else {
        expect(await eventTypes(fixture)).toEqual(record ? ["message.failed"] : []);
        expect(status).toBe("active");
      }
      if (!reached) return;
    }
  });
});

describe.each(faultPoints)("a sweep that fails (%s) at any call and is repeated", (faultPoint) => {
  it.each(["sent", "refused", "unknown"] as const)(
    "settles a send that its sender left %s like a living sender",
    async (remaining) => {
      for (let k = firstFault(faultPoint); ; k += FAULT_STEP) {
        const fixture = await openReplyFixture(testEnv);
        fixture.setPlatformResponse(
          remaining === "sent"
            ? { kind: "accepted", messageId: sentMessageId(fixture) }
            : remaining === "refused"
              ? deadTokenRefusal
              : unknownOutcome,
        );
        await stopsOnceSettled(fixture);
        testEnv.advance(61 * SECOND);
        const { reached } = await runWithFault(faultPoint, k, () => fixture.sweepSends());
        testEnv.advance(61 * SECOND);
        await fixture.sweepSends();
        await expectSettled(fixture);
        const due = {
          sent: ["message.sent"],
          refused: ["account.needs_reauth", "message.failed"],
          unknown: ["message.failed"],
        };
        expect(await eventTypes(fixture)).toEqual(due[remaining]);
        if (remaining === "sent") {
          expect(await fixture.head()).toMatchObject({ lastDirection: "outbound", lastMessageText: "hi" });
        }
        if (!reached) return;
      }
    },
  );
});

/** The sender dies right after it has stored the platform's response in the record. */
async function stopsOnceSettled(fixture: ReplyFixture): Promise<void> {
  const ports = fixture.ports();
  const settle: typeof ports.sendRecords.settleSend = async (...settled) => {
    await ports.sendRecords.settleSend(...settled);
    throw new Error("injected");
  };
  await fixture.sendReply({}, "live", { ...ports, sendRecords: { ...ports.sendRecords, settleSend: settle } });
}
