import { expect } from "vitest";
import { isRefusal } from "#base/kernel/refusals.ts";
import { startRequestTime } from "#base/kernel/request-time.ts";
import { MINUTE } from "#base/kernel/time.ts";
import { completeHold } from "#features/holds/flows/complete.ts";
import { eachFault } from "../../../support/flows/fault-injection.ts";
import { openHoldFixture } from "../../../support/flows/hold-fixture.ts";
import { openTestEnv } from "../../../support/flows/test-env.ts";
import { openedOnce } from "../../../support/opened.ts";

const testEnv = openedOnce(openTestEnv);

eachFault(
  "a completion that fails (%s) at any AWS call sends at most once, and its hold has ended after a minute",
  testEnv,
  async (interrupt, { callIndex: k, isReached }) => {
    const fixture = await openHoldFixture(testEnv);
    const created = await fixture.newHold();
    const answer = await fixture.solvedAnswer(created);
    const ports = fixture.checkPagePorts();
    const done = await interrupt(() => completeHold(ports, answer, startRequestTime(testEnv.now)));

    // The person presses again, at once and after a minute.
    const repeated = await fixture.complete(created);
    testEnv.advance(MINUTE + 1);
    const later = await fixture.complete(created);
    expect(fixture.calls.length).toBeLessThanOrEqual(1);
    const currentHold = await fixture.read(created.id);
    if (isRefusal(currentHold)) throw new Error(currentHold.refused);
    const { state, hold } = currentHold;
    expect(["sent", "failed"]).toContain(state.status);
    expect(hold.content).toBeNull();
    // Every reported end is the final one.
    for (const result of [done, repeated, later]) {
      if (typeof result !== "object" || result === null || !("state" in result)) continue;
      const { status } = (result as typeof currentHold).state;
      if (status !== "sending") expect(status).toBe(state.status);
    }
    if (state.status === "sent") expect(fixture.calls).toHaveLength(1);
    if (fixture.calls.length === 0) expect(state.status).toBe("failed");
    if (!isReached()) {
      expect(state.status).toBe("sent");
      // Attempts, hold, attempts, head, claim, audit, the three reads of the plan, the send, the settling.
      expect(k).toBeGreaterThanOrEqual(12);
    }
  },
  60_000,
);

eachFault(
  "creating a hold holds the message once when it fails (%s) at any call and is repeated with its key",
  testEnv,
  async (interrupt, { callIndex: k, isReached }) => {
    const fixture = await openHoldFixture(testEnv);
    const create = () => fixture.tryCreateHold({ idempotencyKey: "key" });
    const first = await interrupt(create);
    testEnv.advance(MINUTE);
    const second = await create();
    if (isRefusal(second)) throw new Error(second.refused);
    if (first) expect(second).toEqual(first);
    expect(await fixture.auditEntries()).toHaveLength(1);
    expect(await fixture.read(second.id)).toMatchObject({ state: { status: "awaiting_verification" } });
    if (!isReached()) expect(k).toBeGreaterThanOrEqual(5);
  },
);
