import { describe, expect, it } from "vitest";
import { isRefusal } from "#base/kernel/refusals.ts";
import { type EndpointFixture, openEndpointFixture } from "../../../support/flows/endpoint-fixture.ts";
import { faultPoints, strikeEachCall } from "../../../support/flows/fault-injection.ts";
import { runUntilEmpty } from "../../../support/flows/queue-worker.ts";
import { openTestEnv } from "../../../support/flows/test-env.ts";
import { openedOnce } from "../../../support/opened.ts";

const testEnv = openedOnce(openTestEnv);

/** Whether a request ended well. */
const succeeded = (request: Promise<object>) =>
  request.then(
    (answer) => !isRefusal(answer),
    () => false,
  );

/** Attempts what was sent, what a sweep finds, and what that sends. */
async function attemptAll(fixture: EndpointFixture): Promise<void> {
  await fixture.drainQueues();
  await fixture.sweepSafetyNet();
  await fixture.drainQueues();
}

describe.each(faultPoints)("a fault (%s) at any call of a process", (faultPoint) => {
  it("a replayed delivery stays unchanged or is scheduled without outside help", async () => {
    const calls = await strikeEachCall(testEnv, faultPoint, async (strike) => {
      const fixture = await openEndpointFixture(testEnv);
      const { endpoint } = await fixture.endpointWith();
      const row = await fixture.createDelivery(endpoint, "dlq");
      const survived = await strike.during(() => succeeded(fixture.replay(row)));
      const after = await fixture.row(endpoint, row.eventUlid);
      if (survived) expect(after?.status).toBe("pending");
      else expect(["dlq", "pending"]).toContain(after?.status);
      // Every pending delivery has its audit row, and no other delivery has one.
      expect(await fixture.audits("webhook.replay")).toHaveLength(after?.status === "pending" ? 1 : 0);
      await attemptAll(fixture);
      expect(fixture.receiver.requests).toHaveLength(after?.status === "pending" ? 1 : 0);
      expect(await fixture.row(endpoint, row.eventUlid)).toMatchObject(
        after?.status === "pending" ? { status: "delivered", attempt: 1 } : { status: "dlq" },
      );
    });
    // The calls: endpoint, row, message; safety net, reset and audit, queue.
    expect(calls).toBeGreaterThanOrEqual(6);
  });

  it("no delivery that the replay of a window reset is lost", async () => {
    const calls = await strikeEachCall(testEnv, faultPoint, async (strike) => {
      const fixture = await openEndpointFixture(testEnv);
      const { endpoint } = await fixture.endpointWith();
      const from = testEnv.now();
      for (let i = 0; i < 3; i++) await fixture.createDelivery(endpoint, "dlq");
      const window = { from, to: testEnv.now() };
      const survived = await strike.during(() => succeeded(fixture.replayWindow(endpoint, window)));
      const reset = (await fixture.rows(endpoint)).filter(({ status }) => status === "pending");
      if (survived) expect(reset).toHaveLength(3);
      await attemptAll(fixture);
      const sent = fixture.receiver.requests.map(({ headers }) => headers["svc-event-id"]).sort();
      expect(sent).toEqual(reset.map(({ eventUlid }) => `evt_${eventUlid}`).sort());
      const again = await fixture.replayWindow(endpoint, window);
      expect(again).toMatchObject({ matched: 3 - reset.length, enqueued: 3 - reset.length });
    });
    expect(calls).toBeGreaterThanOrEqual(11);
  });

  it("a test event is sent completely or not at all", async () => {
    const calls = await strikeEachCall(testEnv, faultPoint, async (strike) => {
      const fixture = await openEndpointFixture(testEnv);
      const { endpoint } = await fixture.endpointWith();
      const survived = await strike.during(() => succeeded(fixture.sendTest(endpoint)));
      const rows = await fixture.rows(endpoint);
      expect(rows.length).toBeLessThanOrEqual(1);
      if (survived) expect(rows).toHaveLength(1);
      expect(await fixture.audits("webhook.test")).toHaveLength(rows.length);
      await attemptAll(fixture);
      expect(fixture.receiver.requests).toHaveLength(rows.length);
      expect((await fixture.rows(endpoint)).map(({ status }) => status)).toEqual(rows.map(() => "delivered"));
    });
    expect(calls).toBeGreaterThanOrEqual(5);
  });

  it("an endpoint whose receiver responds with 410 is paused once, and the others are notified once", async () => {
    const calls = await strikeEachCall(testEnv, faultPoint, async (strike) => {
      const fixture = await openEndpointFixture(testEnv);
      const { endpoint } = await fixture.endpointWith({ events: ["message.received", "webhook.paused"] });
      const { endpoint: other } = await fixture.endpointWith({ path: "/other", events: ["webhook.paused"] });
      fixture.respondWith(410);
      await fixture.publish();
      await strike.invoke(fixture.queues.events, fixture.worker);
      fixture.respondWith(200);
      await runUntilEmpty(testEnv, fixture.queues.events, fixture.drainQueues, { runsMax: 5 });
      // A worker that died before it wrote the row calls the receiver again, which then responds with 200.
      const [row] = await fixture.rows(endpoint);
      const isGone = row?.status === "failed";
      expect(isGone || row?.status === "delivered").toBe(true);
      if (faultPoint === "lost") expect(isGone).toBe(true);
      expect((await fixture.stored(endpoint))?.status).toBe(isGone ? "paused" : "active");
      expect(await fixture.audits("webhook.auto_pause")).toHaveLength(isGone ? 1 : 0);
      expect(await fixture.rows(other)).toMatchObject(
        isGone ? [{ status: "delivered", eventType: "webhook.paused" }] : [],
      );
      expect(await fixture.rows(endpoint)).toHaveLength(1);
      if (!strike.reached()) {
        expect(isGone).toBe(true);
      }
    });
    expect(calls).toBeGreaterThanOrEqual(7);
  });
});
