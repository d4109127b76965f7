import { describe, expect, it } from "vitest";
import { SECOND } from "#base/kernel/time.ts";
import { unknownOutcome } from "../../../support/flows/conversation-fixture.ts";
import { faultPoints, strikeEachCall } from "../../../support/flows/fault-injection.ts";
import { openReplyFixture, type ReplyFixture, refusedWith } from "../../../support/flows/reply-fixture.ts";
import { openTestEnv } from "../../../support/flows/test-env.ts";
import { openedOnce } from "../../../support/opened.ts";

// A sender or a sweep that dies between any two calls.

const testEnv = openedOnce(openTestEnv);

const sentMessageId = (fixture: ReplyFixture) => `${fixture.tenant}-out`;
const deadTokenRefusal = refusedWith({ class: "token", accountStatus: "needs_reauth", coolDownMs: 60 * SECOND });

async function advancePastDue(fixture: ReplyFixture): Promise<void> {
  await fixture.sweepPastDue();
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
  it("an accepted message or its unknown outcome is published within a minute, and the echo settles it", async () => {
    const calls = await strikeEachCall(testEnv, faultPoint, async (strike) => {
      const fixture = await openReplyFixture(testEnv);
      fixture.setPlatformResponse({ kind: "accepted", messageId: sentMessageId(fixture) });
      const answer = await strike.during(() => fixture.sendReply()).catch((error: unknown) => error);
      // A process that died has no result.
      const result = strike.reached() && faultPoint !== "lost" ? null : answer;
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
    });
    // Reads, due item, record, settled record, marker, message, head, event, due item removed.
    expect(calls).toBeGreaterThanOrEqual(13);
  });

  it("nothing is left to the sweep when the echo is faster", async () => {
    await strikeEachCall(testEnv, faultPoint, async (strike) => {
      const fixture = await openReplyFixture(testEnv);
      fixture.setPlatformResponse({ kind: "accepted", messageId: sentMessageId(fixture) });
      await strike.during(() => fixture.sendReply()).catch(() => {});
      testEnv.advance(SECOND);
      if (fixture.platformCalls.length > 0) await fixture.echo(sentMessageId(fixture), "hi");
      await advancePastDue(fixture);
      await expectSettled(fixture);
      const records = await fixture.records();
      if (fixture.platformCalls.length > 0) expect(await eventTypes(fixture)).toEqual(["message.sent"]);
      // A send that was started but never sent has an unknown outcome.
      else expect(await eventTypes(fixture)).toEqual(records.length > 0 ? ["message.failed"] : []);
    });
  });

  it("a refusal and the new account status are published once each", async () => {
    await strikeEachCall(testEnv, faultPoint, async (strike) => {
      const fixture = await openReplyFixture(testEnv);
      fixture.setPlatformResponse(deadTokenRefusal);
      await strike.during(() => fixture.sendReply()).catch(() => {});
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
    });
  });
});

describe.each(faultPoints)("a sweep that fails (%s) at any call and is repeated", (faultPoint) => {
  it.each(["sent", "refused", "unknown"] as const)(
    "a send that its sender left %s is settled as by a living sender",
    async (remaining) => {
      await strikeEachCall(testEnv, faultPoint, async (strike) => {
        const fixture = await openReplyFixture(testEnv);
        fixture.setPlatformResponse(
          remaining === "sent"
            ? { kind: "accepted", messageId: sentMessageId(fixture) }
            : remaining === "refused"
              ? deadTokenRefusal
              : unknownOutcome,
        );
        await fixture.sendAndDie("sendRecords.settleSend");
        testEnv.advance(61 * SECOND);
        await strike.during(() => fixture.sweepSends()).catch(() => {});
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
      });
    },
  );
});

/** The sender dies right after it has stored the platform's response in the record. */
