import { expect, it } from "vitest";
import { isRefusal } from "#base/kernel/refusals.ts";
import { startRequestTime } from "#base/kernel/request-time.ts";
import { DAY, MINUTE, SECOND } from "#base/kernel/time.ts";
import { completeHold } from "#features/holds/flows/complete.ts";
import { settleDueSends } from "#features/sending/flows/settle-due.ts";
import { openHoldFixture } from "../../../support/flows/hold-fixture.ts";
import { openTestEnv } from "../../../support/flows/test-env.ts";
import { openedOnce } from "../../../support/opened.ts";
import { forEachFreezePoint, runFrozen } from "../../../support/processes/frozen-process.ts";

const testEnv = openedOnce(openTestEnv);

it("twenty right completions make one call and one message, and the others get hold_sending or hold_sent", async () => {
  const fixture = await openHoldFixture(testEnv);
  const hold = await fixture.newHold();
  const answers = await Promise.all(Array.from({ length: 20 }, () => fixture.complete(hold)));
  expect(fixture.calls).toHaveLength(1);
  const sent = answers.filter((answer) => !isRefusal(answer));
  expect(sent).toMatchObject([{ state: { status: "sent" } }]);
  for (const answer of answers.filter((one) => isRefusal(one))) {
    expect(["hold_sending", "hold_sent"]).toContain(answer.refused);
  }
  expect((await fixture.messages()).filter(({ direction }) => direction === "outbound")).toHaveLength(1);
  expect((await fixture.auditEntries()).map(({ action }) => action).sort()).toEqual(["hold.create", "hold.verify"]);
});

it("either a completion or the expiry at the same millisecond wins, never both", async () => {
  for (const before of [1, 0]) {
    const fixture = await openHoldFixture(testEnv);
    const hold = await fixture.newHold();
    const answer = await fixture.solvedAnswer(hold);
    testEnv.advance(hold.expiresAt - testEnv.now() - before);
    const reads = () => Promise.all(Array.from({ length: 5 }, () => fixture.read(hold.id)));
    const [done] = await Promise.all([fixture.answer(answer), reads(), reads()]);
    if (before === 1) {
      expect(done).toMatchObject({ state: { status: "sent" } });
      expect(fixture.calls).toHaveLength(1);
    } else {
      expect(done).toMatchObject({ refused: "hold_expired" });
      expect(await fixture.read(hold.id)).toMatchObject({ state: { status: "expired" } });
      expect(fixture.calls).toEqual([]);
    }
  }
});

it("a process with a slower clock does not send a hold that another process has expired", async () => {
  const fixture = await openHoldFixture(testEnv);
  const hold = await fixture.newHold();
  const answer = await fixture.solvedAnswer(hold);
  testEnv.advance(hold.expiresAt - testEnv.now());
  expect(await fixture.read(hold.id)).toMatchObject({ state: { status: "expired" } });
  const behind = () => testEnv.now() - 5 * SECOND;
  expect(await completeHold(fixture.checkPagePorts(), answer, startRequestTime(behind))).toMatchObject({
    refused: "hold_expired",
  });
  expect(fixture.calls).toEqual([]);
});

// Lambda freezes the function of the check page at any await.

it("a completion that is frozen for a minute at any call sends nothing once its hold was shown as failed", async () => {
  const calls = await forEachFreezePoint(async (point) => {
    const fixture = await openHoldFixture(testEnv);
    const hold = await fixture.newHold();
    let callsBefore = 0;
    const run = await runFrozen(fixture.checkPagePorts(), point, {
      work: (ports) => fixture.complete(hold, ports),
      async whileFrozen() {
        testEnv.advance(61 * SECOND);
        await fixture.read(hold.id);
        await settleDueSends(fixture.apiPorts(), testEnv.now());
        callsBefore = fixture.calls.length;
      },
    });
    if (!run.reached) return run;
    const view = await fixture.read(hold.id);
    if (isRefusal(view)) throw new Error(view.refused);
    // Before the claim, the completion continues as if it had just started.
    const isClaimedAfter = run.callsAfterThaw.includes("holds.claimHold");
    if (!isClaimedAfter) expect.soft([point, fixture.calls.length]).toEqual([point, callsBefore]);
    expect.soft(["sent", "failed", "sending"]).toContain(view.state.status);
    if (view.state.status === "sent") expect.soft(fixture.calls).toHaveLength(1);
    return run;
  });
  expect(calls).toBeGreaterThanOrEqual(15);
});

it("a completion that is frozen past the seventh day never sends the human-agent tag", async () => {
  for (const call of ["dueSends.put", "sendRecords.start", "platform.send"]) {
    const fixture = await openHoldFixture(testEnv, { wroteAgo: 7 * DAY - MINUTE });
    const hold = await fixture.newHold();
    testEnv.advance(MINUTE - 5 * SECOND);
    await runFrozen(
      fixture.checkPagePorts(),
      { call, when: "before" },
      {
        work: (ports) => fixture.complete(hold, ports),
        whileFrozen: async () => testEnv.advance(5 * SECOND),
      },
    );
    expect([call, fixture.calls]).toEqual([call, []]);
    expect(await fixture.read(hold.id)).toMatchObject({ state: { status: "failed" } });
  }
});
