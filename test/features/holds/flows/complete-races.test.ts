import { expect, it } from "vitest";
import { isRefusal } from "#base/kernel/refusals.ts";
import { startRequestTime } from "#base/kernel/request-time.ts";
import { SECOND } from "#base/kernel/time.ts";
import { completeHold } from "#features/holds/flows/complete.ts";
import { openHoldFixture } from "../../../support/flows/hold-fixture.ts";
import { openTestEnv } from "../../../support/flows/test-env.ts";
import { openedOnce } from "../../../support/opened.ts";

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
    const [done] = await Promise.all([
      completeHold(fixture.checkPagePorts(), answer, startRequestTime(testEnv.now)),
      reads(),
      reads(),
    ]);
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
