import { beforeAll, describe, expect, it } from "vitest";
import { MINUTE, SECOND } from "#base/kernel/time.ts";
import { updateBreaker } from "#features/delivery/flows/endpoint-health.ts";
import { sweepDue } from "#features/delivery/flows/sweep/due.ts";
import { onBatch } from "#features/delivery/rules/breaker.ts";
import { waitingForEndpoint } from "#features/delivery/rules/deliveries.ts";
import { drainTask, scheduleTask } from "#features/delivery/schedule.ts";
import { Crash } from "../../../support/faults.ts";
import { faultPoints, strikeEachCall } from "../../../support/flows/fault-injection.ts";
import { type Outage, openOutage } from "../../../support/flows/outage-fixture.ts";
import { findUnscheduled, queueDepth } from "../../../support/flows/queue-worker.ts";
import { recordMessage } from "../../../support/flows/test-endpoints.ts";
import { openTestEnv } from "../../../support/flows/test-env.ts";
import { openedOnce } from "../../../support/opened.ts";

const testEnv = openedOnce(openTestEnv);
beforeAll(async () => {
  // The first sweep of a deployment reads several days back.
  await sweepDue(testEnv.sweepPorts(await testEnv.newQueues()), testEnv.now());
});

/** An endpoint that failed nine times, with events that wait on the queue. */
async function openAlmostFailing(waiting: number): Promise<Outage> {
  const outage = await openOutage(testEnv);
  await outage.setBreaker({ failures: 9, failingSince: testEnv.now() - MINUTE, failedSince: 9 });
  await outage.write(waiting);
  return outage;
}

/** The same after the tenth failure: one delivery was attempted, the others wait, and the probe is due. */
async function openCircuitOutage(waiting: number): Promise<Outage> {
  const outage = await openAlmostFailing(1);
  outage.respondWith(500);
  await outage.drainQueues();
  await outage.write(waiting);
  await outage.drainQueues();
  const { openUntil } = await outage.breaker();
  testEnv.advance((openUntil ?? 0) - testEnv.now());
  outage.calls();
  return outage;
}

/** Injects a fault into each call of the queue's next batch in turn, and calls `after` each time. */
const faultEverywhere = (
  faultPoint: (typeof faultPoints)[number],
  setUp: () => Promise<Outage>,
  queue: "events" | "deliveries" | "slowDeliveries",
  after: (outage: Outage) => Promise<void>,
) =>
  strikeEachCall(testEnv, faultPoint, async (strike) => {
    const outage = await setUp();
    await strike.invoke(outage.queues[queue], outage.worker);
    await after(outage);
  });

it("the probe is on its queue before the circuit opens", async () => {
  const outage = await openAlmostFailing(0);
  const { tenant, deliverPorts } = outage;
  const saveBreaker = () => Promise.reject(new Crash("died before the circuit opened"));
  const ports = { ...deliverPorts, endpoints: { ...deliverPorts.endpoints, saveBreaker } };
  const now = testEnv.now();
  const tenthFailure = updateBreaker(ports, { tenant, endpoint: await outage.readEndpoint(), now }, (breaker) =>
    onBatch(breaker, { succeeded: false, failed: 1, slowFor: 0 }, now),
  );
  await expect(tenthFailure).rejects.toThrow("died before the circuit opened");
  expect(await queueDepth(testEnv.eventSource, outage.queues.slowDeliveries)).toBe(1);
});

/** Lets all work complete: messages that were not deleted, leases, delays, second drains. */
async function settleOutage(outage: Outage): Promise<void> {
  for (const span of [31 * SECOND, 31 * SECOND, 31 * SECOND, 31 * SECOND, 2 * MINUTE, 5 * MINUTE, 2 * MINUTE]) {
    await sweepDue(testEnv.sweepPorts(outage.queues), testEnv.now());
    testEnv.advance(span);
    await outage.drainQueues();
  }
}

async function expectScheduled(outage: Outage): Promise<void> {
  expect(await findUnscheduled(testEnv, outage.queues, outage.tenant)).toEqual([]);
}

async function expectAllDelivered(outage: Outage, count: number): Promise<void> {
  const statuses = Object.values(await outage.statuses());
  expect(statuses).toEqual(Array(count).fill("delivered"));
  expect(await outage.breaker()).toMatchObject({ failures: 0, openUntil: null });
  expect(await queueDepth(testEnv.eventSource, outage.queues.deliveries)).toBe(0);
  expect(await queueDepth(testEnv.eventSource, outage.queues.slowDeliveries)).toBe(0);
}

describe.each(faultPoints)("a fault (%s) at any call of a worker", (faultPoint) => {
  it("every delivery is delivered later when the tenth failure opens the circuit", async () => {
    const setUp = async () => {
      const outage = await openAlmostFailing(3);
      outage.respondWith(500);
      return outage;
    };
    const calls = await faultEverywhere(faultPoint, setUp, "events", async (outage) => {
      await expectScheduled(outage);
      outage.respondWith(200);
      await settleOutage(outage);
      await expectAllDelivered(outage, 3);
    });
    // The calls: endpoints, messages, a secret, three rows and retries, the probe, the breaker.
    expect(calls).toBeGreaterThanOrEqual(11);
  });

  it("no delivery stays waiting when a probe succeeds", async () => {
    const setUp = async () => {
      const outage = await openCircuitOutage(3);
      outage.respondWith(200);
      return outage;
    };
    const calls = await faultEverywhere(faultPoint, setUp, "slowDeliveries", async (outage) => {
      await expectScheduled(outage);
      await settleOutage(outage);
      await expectAllDelivered(outage, 4);
    });
    // The calls: endpoint, waiting rows, claim, message, secret, row, breaker, drain, counter.
    expect(calls).toBeGreaterThanOrEqual(9);
  });

  it("the next probe is scheduled and no attempt is spent when a probe fails", async () => {
    const calls = await faultEverywhere(
      faultPoint,
      () => openCircuitOutage(2),
      "slowDeliveries",
      async (outage) => {
        outage.respondWith(500);
        await settleOutage(outage);
        expect((await outage.breaker()).openUntil).toBeGreaterThan(testEnv.now());
        const rows = await outage.rows(outage.endpoint);
        // The attempt of a worker that died is returned when its delivery is processed again.
        const spent = rows.map(({ status, attempt }) => attempt - (status === "attempting" ? 1 : 0));
        expect(spent.sort()).toEqual([0, 0, 1]);
        outage.respondWith(200);
        await outage.runProbes(1);
        await settleOutage(outage);
        await expectAllDelivered(outage, 3);
      },
    );
    expect(calls).toBeGreaterThanOrEqual(8);
  });

  it("a page of a drained endpoint is sent again, and so are the pages after it", async () => {
    const setUp = async () => {
      const outage = await openOutage(testEnv);
      const { tenant, endpoint } = outage;
      const target = { endpointId: endpoint.id, eventType: "message.received" } as const;
      for (let i = 0; i < 5; i++) {
        const { message, ref } = await recordMessage(testEnv, tenant, `waiting ${i}`);
        const row = { ...target, eventUlid: message.eventUlid, source: ref };
        await outage.ports.deliveries.recordFirst(tenant, row, {
          verdict: waitingForEndpoint,
          outcome: null,
          settledAt: testEnv.now(),
        });
      }
      await scheduleTask(
        outage.deliverPorts,
        { ...drainTask(tenant, endpoint.id), pageSize: 2 },
        testEnv.now(),
        testEnv.now(),
      );
      return outage;
    };
    const calls = await faultEverywhere(faultPoint, setUp, "deliveries", async (outage) => {
      await expectScheduled(outage);
      await settleOutage(outage);
      await expectAllDelivered(outage, 5);
    });
    // The calls: endpoint, waiting rows, their messages, the next page.
    expect(calls).toBeGreaterThanOrEqual(4);
  });
});
