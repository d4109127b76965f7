import { describe, expect, it } from "vitest";
import { openQueue } from "#base/aws/queues.ts";
import { isRefusal } from "#base/kernel/refusals.ts";
import { replayWindow } from "#features/delivery/flows/replay-window.ts";
import { replayDelivery } from "#features/delivery/replay.ts";
import { deliveryId } from "#features/delivery/rules/deliveries.ts";
import { sendTestEvent } from "#features/webhooks/flows/send-test.ts";
import { type EndpointFixture, openEndpointFixture } from "../../../support/flows/endpoint-fixture.ts";
import { FAULT_STEP, faultPoints, firstFault, injectFaultAt } from "../../../support/flows/fault-injection.ts";
import { invokeWorker, queueDepth } from "../../../support/flows/queue-worker.ts";
import { recordMessage } from "../../../support/flows/test-endpoints.ts";
import { openTestEnv } from "../../../support/flows/test-env.ts";
import { openedOnce } from "../../../support/opened.ts";

const testEnv = openedOnce(openTestEnv);

/** Runs `work` with a fault in each of its calls to AWS in turn, until no call is left. */
async function faultEverywhere(
  faultPoint: (typeof faultPoints)[number],
  work: (fixture: EndpointFixture, run: (body: () => Promise<unknown>) => Promise<boolean>) => Promise<void>,
): Promise<number> {
  for (let k = firstFault(faultPoint); ; k += FAULT_STEP) {
    const fixture = await openEndpointFixture(testEnv);
    let reached = false;
    await work(fixture, async (body) => {
      const injection = injectFaultAt(testEnv.clients, faultPoint, k);
      const survived = await body().then(
        (answer) => !isRefusal(answer as object),
        () => false,
      );
      injection.remove();
      reached = injection.reached();
      return survived;
    });
    if (!reached) return k;
  }
}

describe.each(faultPoints)("a process with a fault (%s) at any call to AWS", (faultPoint) => {
  it("leaves a replayed delivery unchanged or scheduled without outside help", async () => {
    const calls = await faultEverywhere(faultPoint, async (fixture, run) => {
      const { endpoint } = await fixture.endpointWith();
      const row = await fixture.createDelivery(endpoint, "dlq");
      const request = { endpointId: endpoint.id, deliveryId: deliveryId(row.eventUlid, endpoint.id), force: false };
      const survived = await run(() =>
        replayDelivery(fixture.ports, fixture.tenant, { ...request, ...fixture.by }, testEnv.now()),
      );
      const after = await fixture.row(endpoint, row.eventUlid);
      if (survived) expect(after?.status).toBe("pending");
      else expect(["dlq", "pending"]).toContain(after?.status);
      // Every pending delivery has its audit row, and no other delivery has one.
      expect(await fixture.audits("webhook.replay")).toHaveLength(after?.status === "pending" ? 1 : 0);
      await fixture.drainQueues();
      await fixture.sweepSafetyNet();
      await fixture.drainQueues();
      expect(fixture.receiver.requests).toHaveLength(after?.status === "pending" ? 1 : 0);
      expect(await fixture.row(endpoint, row.eventUlid)).toMatchObject(
        after?.status === "pending" ? { status: "delivered", attempt: 1 } : { status: "dlq" },
      );
    });
    // The calls: endpoint, row, message; safety net, reset and audit, queue.
    expect(calls).toBeGreaterThanOrEqual(6);
  });

  it("loses no delivery that the replay of a window reset", async () => {
    const calls = await faultEverywhere(faultPoint, async (fixture, run) => {
      const { endpoint } = await fixture.endpointWith();
      const from = testEnv.now();
      for (let i = 0; i < 3; i++) await fixture.createDelivery(endpoint, "dlq");
      const window = { from, to: testEnv.now(), statuses: ["dlq"] as const, force: false, after: null, limit: 50 };
      const survived = await run(() =>
        replayWindow(fixture.ports, {
          tenant: fixture.tenant,
          endpointId: endpoint.id,
          window,
          author: fixture.by,
          now: testEnv.now(),
        }),
      );
      const reset = (await fixture.rows(endpoint)).filter(({ status }) => status === "pending");
      if (survived) expect(reset).toHaveLength(3);
      await fixture.drainQueues();
      await fixture.sweepSafetyNet();
      await fixture.drainQueues();
      const sent = fixture.receiver.requests.map(({ headers }) => headers["svc-event-id"]).sort();
      expect(sent).toEqual(reset.map(({ eventUlid }) => `evt_${eventUlid}`).sort());
      const again = await replayWindow(fixture.ports, {
        tenant: fixture.tenant,
        endpointId: endpoint.id,
        window,
        author: fixture.by,
        now: testEnv.now(),
      });
      expect(again).toMatchObject({ matched: 3 - reset.length, enqueued: 3 - reset.length });
    });
    expect(calls).toBeGreaterThanOrEqual(11);
  });

  it("sends a test event completely or not at all", async () => {
    const calls = await faultEverywhere(faultPoint, async (fixture, run) => {
      const { endpoint } = await fixture.endpointWith();
      const survived = await run(() =>
        sendTestEvent(fixture.ports, {
          tenant: fixture.tenant,
          endpointId: endpoint.id,
          author: fixture.by,
          now: testEnv.now(),
        }),
      );
      const rows = await fixture.rows(endpoint);
      expect(rows.length).toBeLessThanOrEqual(1);
      if (survived) expect(rows).toHaveLength(1);
      expect(await fixture.audits("webhook.test")).toHaveLength(rows.length);
      await fixture.drainQueues();
      await fixture.sweepSafetyNet();
      await fixture.drainQueues();
      expect(fixture.receiver.requests).toHaveLength(rows.length);
      expect((await fixture.rows(endpoint)).map(({ status }) => status)).toEqual(rows.map(() => "delivered"));
    });
    expect(calls).toBeGreaterThanOrEqual(5);
  });

  it("pauses an endpoint once, and notifies the others once, when its receiver responds with 410", async () => {
    for (let k = firstFault(faultPoint); ; k += FAULT_STEP) {
      const fixture = await openEndpointFixture(testEnv);
      const { endpoint } = await fixture.endpointWith({ events: ["message.received", "webhook.paused"] });
      const { endpoint: other } = await fixture.endpointWith({ path: "/other", events: ["webhook.paused"] });
      fixture.respondWith(410);
      const { body } = await recordMessage(testEnv, fixture.tenant);
      await openQueue(fixture.queues.events, testEnv.eventSource).send({ body });
      const injection = injectFaultAt(testEnv.clients, faultPoint, k);
      await invokeWorker(testEnv.eventSource, fixture.queues.events, injection.crashable(fixture.worker));
      injection.remove();
      fixture.respondWith(200);
      for (let round = 0; (await queueDepth(testEnv.eventSource, fixture.queues.events)) > 0; round++) {
        expect(round).toBeLessThan(5);
        testEnv.advance(31_000);
        await fixture.drainQueues();
      }
      // A worker that died before it wrote the row calls the receiver again, which then responds with 200.
      const [row] = await fixture.rows(endpoint);
      const isGone = row?.status === "failed";
      expect(isGone || row?.status === "delivered").toBe(true);
      if (faultPoint === "lost") expect(isGone).toBe(true);
      const current = await fixture.ports.endpoints.get(fixture.tenant, endpoint.id);
      expect(current?.status).toBe(isGone ? "paused" : "active");
      expect(await fixture.audits("webhook.auto_pause")).toHaveLength(isGone ? 1 : 0);
      expect(await fixture.rows(other)).toMatchObject(
        isGone ? [{ status: "delivered", eventType: "webhook.paused" }] : [],
      );
      expect(await fixture.rows(endpoint)).toHaveLength(1);
      if (!injection.reached()) {
        expect(k).toBeGreaterThanOrEqual(7);
        expect(isGone).toBe(true);
        return;
      }
    }
  });
});
