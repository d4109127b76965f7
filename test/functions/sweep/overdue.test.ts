import { expect, it } from "vitest";
import { newUlid } from "#base/kernel/ids.ts";
import { DAY, HOUR, MINUTE, SECOND } from "#base/kernel/time.ts";
import { rescheduleOverdue } from "#features/delivery/flows/sweep/overdue.ts";
import { CLOSED } from "#features/delivery/rules/breaker.ts";
import { type InitialStatus, waitingForEndpoint } from "#features/delivery/rules/deliveries.ts";
import type { ScanCursor } from "#features/delivery/store/waiting-deliveries.ts";
import { sweepWorker } from "../../../functions/sweep/worker.ts";
import { openOutage } from "../../support/flows/outage-fixture.ts";
import { findUnscheduled, receiveAllMessages } from "../../support/flows/queue-worker.ts";
import { openTestEnv } from "../../support/flows/test-env.ts";
import { openedEach } from "../../support/opened.ts";
import { decodeRetry } from "../../support/pipeline/deliveries-messages.ts";

// Each test has a table of its own, because the search reads the rows of all tenants.
const testEnv = openedEach(openTestEnv);
const outage = openedEach(() => openOutage(testEnv));

const ports = () => ({ ...testEnv.apiPorts(outage.queues), ...testEnv.sweepPorts(outage.queues) });
const runDaily = () =>
  sweepWorker(ports(), testEnv.now)({ task: "reschedule_overdue" }, { getRemainingTimeInMillis: () => 50 * SECOND });

/** A row that nothing will attempt. @returns its event's ULID */
async function createRow(verdict: InitialStatus): Promise<string> {
  const [tenant, now, eventUlid] = [outage.tenant, testEnv.now(), newUlid(testEnv.now())];
  const delivery = { endpointId: outage.endpoint.id, eventUlid, eventType: "message.received", source: null } as const;
  await outage.ports.deliveries.recordFirst(tenant, delivery, { verdict, outcome: null, settledAt: now });
  return eventUlid;
}

const setBreaker = async (change: { openUntil?: number; slowUntil?: number }) =>
  outage.deliverPorts.endpoints.saveBreaker(
    outage.tenant,
    await outage.readEndpoint(),
    { ...CLOSED, ...change },
    testEnv.now(),
  );

async function queuedRetries() {
  const messages = await receiveAllMessages(testEnv.eventSource, outage.queues.deliveries);
  return messages.map(({ body }) => decodeRetry(body)).map((retry) => [retry?.eventUlid, retry?.attempt]);
}

const checks = () =>
  testEnv.lines.filter(({ event }) => event === "deliveries.checked" || event === "deliveries.rescheduled");

it("the daily check schedules each delivery that nothing will attempt, and counts them", async () => {
  const pending = await createRow({ status: "pending" });
  const waiting = await createRow(waitingForEndpoint);
  const overdue = await createRow({ status: "retrying", nextRetryAt: testEnv.now() + 5 * MINUTE });
  const abandoned = await createRow({ status: "retrying", nextRetryAt: testEnv.now() });
  const claimed = { endpointId: outage.endpoint.id, eventUlid: abandoned, attempt: 1 };
  await outage.ports.deliveries.claimDelivery(outage.tenant, claimed, testEnv.now());
  const inTwoHours = await createRow({ status: "retrying", nextRetryAt: testEnv.now() + 2 * HOUR });
  await createRow({ status: "dlq" });
  testEnv.advance(HOUR + 5 * MINUTE);
  const recent = await createRow({ status: "pending" });
  const unscheduled = (await findUnscheduled(testEnv, outage.queues, outage.tenant)).map(({ eventUlid }) => eventUlid);
  expect(unscheduled.sort()).toEqual([pending, waiting, overdue, abandoned, inTwoHours, recent].sort());

  await runDaily();
  const retries = await queuedRetries();
  expect(retries.sort()).toEqual(
    [
      [pending, 1],
      [waiting, 1],
      [overdue, 1],
      [abandoned, 1],
    ].sort(),
  );
  expect(checks()).toEqual([
    { event: "deliveries.checked", examined: 7, waiting: 6, rescheduled: 4, complete: true },
    { event: "deliveries.rescheduled", deliveries: 4 },
  ]);
});

it("the daily check schedules no delivery whose endpoint's circuit is open, and finds it when the probe was lost", async () => {
  const ulid = await createRow(waitingForEndpoint);
  testEnv.advance(2 * HOUR);
  await setBreaker({ openUntil: testEnv.now() + MINUTE });
  await runDaily();
  expect(await queuedRetries()).toEqual([]);
  testEnv.advance(HOUR);
  await runDaily();
  expect(await queuedRetries()).toEqual([[ulid, 1]]);
});

it("the daily check waits a day for the attempts of a slow endpoint, which take turns", async () => {
  const ulid = await createRow({ status: "pending" });
  testEnv.advance(23 * HOUR);
  await setBreaker({ slowUntil: testEnv.now() + 2 * DAY });
  await runDaily();
  expect(await queuedRetries()).toEqual([]);
  testEnv.advance(HOUR);
  await runDaily();
  expect(await queuedRetries()).toEqual([[ulid, 1]]);
});

it("the daily check continues where the last run ended for lack of time, and then starts over", async () => {
  const { waitingDeliveries } = ports();
  const pagesRead: (ScanCursor | null)[] = [];
  const page = async (after: ScanCursor | null) => {
    pagesRead.push(after);
    const next = after === null ? { PK: "1" } : after.PK === "1" ? { PK: "2" } : null;
    return { deliveries: [], examined: 1, next };
  };
  const run = (pages: number) => {
    const end = pagesRead.length + pages;
    const fakePorts = { ...ports(), waitingDeliveries: { ...waitingDeliveries, page } };
    return rescheduleOverdue(fakePorts, testEnv.now(), () => pagesRead.length < end);
  };
  await run(2);
  await run(9);
  await run(1);
  expect(pagesRead).toEqual([null, { PK: "1" }, { PK: "2" }, null]);
  expect(checks()).toMatchObject([{ complete: false }, { complete: true }, { complete: false }]);
});
