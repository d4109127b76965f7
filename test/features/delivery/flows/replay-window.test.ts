import { beforeEach, expect, it } from "vitest";
import { isRefusal } from "#base/kernel/refusals.ts";
import { iso } from "#base/kernel/time.ts";
import { type ReplayWindow, type ReplayWindowResult, replayWindow } from "#features/delivery/flows/replay-window.ts";
import { type EndpointFixture, openEndpointFixture } from "../../../support/flows/endpoint-fixture.ts";
import { faultPoints, strikeEachCall } from "../../../support/flows/fault-injection.ts";
import { queueDepth } from "../../../support/flows/queue-worker.ts";
import { openTestEnv } from "../../../support/flows/test-env.ts";
import { openedOnce } from "../../../support/opened.ts";
import { newTenant } from "../../../support/stores/samples.ts";

let fixture: EndpointFixture;
let windowStart: number;
const testEnv = openedOnce(openTestEnv);
beforeEach(async () => {
  fixture = await openEndpointFixture(testEnv);
  windowStart = testEnv.now();
});

const requestReplay = (endpoint: { id: string }, rest: Partial<ReplayWindow> = {}) =>
  fixture.replayWindow(endpoint, { from: windowStart, statuses: ["dlq", "failed"], ...rest });
/** The answer to a tenant without the endpoint. */
const requestByAnother = (endpoint: { id: string }, rest: Partial<ReplayWindow> = {}) => {
  const window = {
    from: windowStart,
    to: testEnv.now(),
    statuses: ["dlq"],
    force: false,
    after: null,
    limit: 50,
  } as const;
  const request = { tenant: newTenant(), endpointId: endpoint.id, author: fixture.by, now: testEnv.now() };
  return replayWindow(fixture.ports, { ...request, window: { ...window, ...rest } });
};

async function replayOrThrow(endpoint: { id: string }, rest: Partial<ReplayWindow> = {}): Promise<ReplayWindowResult> {
  const answer = await requestReplay(endpoint, rest);
  if (isRefusal(answer)) throw new Error(answer.refused);
  return answer;
}

const listStatuses = async (endpoint: { id: string }) =>
  (await fixture.rows(endpoint)).map(({ status }) => status).reverse();

it("a replay of a window sends deliveries with the requested statuses, and no others", async () => {
  const { endpoint } = await fixture.endpointWith();
  for (const status of ["dlq", "delivered", "failed", "retrying", "blocked"] as const) {
    testEnv.advance(1);
    await fixture.createDelivery(endpoint, status);
  }
  expect(await replayOrThrow(endpoint)).toEqual({ matched: 2, enqueued: 2, skipped: 0, next: null });
  expect(await listStatuses(endpoint)).toEqual(["pending", "delivered", "pending", "retrying", "blocked"]);
  testEnv.advance(1);
  expect(await replayOrThrow(endpoint)).toEqual({ matched: 0, enqueued: 0, skipped: 0, next: null });
  testEnv.advance(1);
  expect(await replayOrThrow(endpoint, { statuses: ["blocked"] })).toMatchObject({ matched: 1, enqueued: 1 });
  await fixture.drainQueues();
  expect(fixture.receiver.requests).toHaveLength(3);
  expect(await fixture.audits("webhook.bulk_replay")).toMatchObject([
    {
      rs: `webhook:${endpoint.id}`,
      by: "key:key1",
      dt: {
        from: iso(windowStart),
        to: iso(windowStart + 5),
        statuses: "dlq,failed",
        matched: 2,
        enqueued: 2,
        skipped: 0,
      },
    },
    { dt: { matched: 0 } },
    { dt: { matched: 1, statuses: "blocked" } },
  ]);
});

it.each(faultPoints)(
  "a replay of a window writes its audit row before anything is sent, despite a fault (%s) at any call",
  async (faultPoint) => {
    await strikeEachCall(testEnv, faultPoint, async (strike) => {
      fixture = await openEndpointFixture(testEnv);
      windowStart = testEnv.now();
      const { endpoint } = await fixture.endpointWith();
      for (let i = 0; i < 3; i++) await fixture.createDelivery(endpoint, "dlq");
      await strike.during(() => replayOrThrow(endpoint).catch(() => {}));
      await fixture.sweepSafetyNet();
      await fixture.drainQueues();
      const rows = await fixture.audits("webhook.bulk_replay");
      const window = { from: iso(windowStart), to: iso(windowStart), statuses: "dlq,failed" };
      if (fixture.receiver.requests.length > 0) expect(rows).toMatchObject([{ dt: window }]);
      if (!strike.reached()) {
        expect(rows).toMatchObject([{ dt: { ...window, matched: 3, enqueued: 3, skipped: 0 } }]);
      }
    });
  },
);

it("a replay of a window counts as matched only the requested statuses, and as skipped also a delivery that is being attempted", async () => {
  const { endpoint } = await fixture.endpointWith();
  await fixture.createDelivery(endpoint, "dlq");
  testEnv.advance(1);
  await fixture.createDelivery(endpoint, "attempting");
  testEnv.advance(1);
  const erased = await fixture.createDelivery(endpoint, "failed");
  await fixture.ports.messages.remove(fixture.tenant, erased.source ?? { conversationId: "", position: "" });
  expect(await replayOrThrow(endpoint)).toEqual({ matched: 2, enqueued: 1, skipped: 2, next: null });
  expect(await listStatuses(endpoint)).toEqual(["pending", "attempting", "failed"]);
});

it("a replay of a window selects by the time of the events, both ends included", async () => {
  const { endpoint } = await fixture.endpointWith();
  const times: number[] = [];
  for (let i = 0; i < 4; i++) {
    testEnv.advance(10);
    times.push(testEnv.now());
    await fixture.createDelivery(endpoint, "dlq");
  }
  const [, second = 0, third = 0] = times;
  expect(await replayOrThrow(endpoint, { from: second, to: third })).toMatchObject({ matched: 2 });
  expect(await listStatuses(endpoint)).toEqual(["dlq", "pending", "pending", "dlq"]);
});

it("a replay of a window sends delivered ones only with force", async () => {
  const { endpoint } = await fixture.endpointWith();
  await fixture.createDelivery(endpoint, "delivered");
  testEnv.advance(1);
  await fixture.createDelivery(endpoint, "dlq");
  const window = { statuses: ["dlq", "delivered"] } as const;
  expect(await requestReplay(endpoint, window)).toMatchObject({ refused: "replay_conflict" });
  expect(await listStatuses(endpoint)).toEqual(["delivered", "dlq"]);
  expect(await fixture.audits("webhook.bulk_replay")).toEqual([]);
  expect(await replayOrThrow(endpoint, { ...window, force: true })).toMatchObject({ matched: 2, enqueued: 2 });
  await fixture.drainQueues();
  expect(fixture.receiver.requests).toHaveLength(2);
});

it.each([false, true])(
  "a replay of a window reads a limited number of rows in one call, and continues from there (delivered: %s)",
  async (delivered) => {
    const { endpoint } = await fixture.endpointWith();
    const every = ["dlq", "retrying", "delivered", "failed", "dlq", "blocked", "dlq"] as const;
    for (const status of every) {
      testEnv.advance(1);
      await fixture.createDelivery(endpoint, status);
    }
    const rest = delivered ? ({ statuses: ["dlq", "failed", "delivered"], force: true } as const) : {};
    const calls: ReplayWindowResult[] = [];
    let after: string | null = null;
    do {
      const call: ReplayWindowResult = await replayOrThrow(endpoint, { ...rest, limit: 2, after });
      calls.push(call);
      after = call.next;
    } while (after !== null);
    expect(calls).toHaveLength(delivered ? 4 : 3);
    expect(calls.reduce((sum, { enqueued }) => sum + enqueued, 0)).toBe(delivered ? 5 : 4);
    await fixture.drainQueues();
    expect(new Set(fixture.receiver.requests.map(({ headers }) => headers["svc-event-id"])).size).toBe(
      delivered ? 5 : 4,
    );
  },
);

it("a replay of a window sends each delivery once when it is requested twice at once", async () => {
  const { endpoint } = await fixture.endpointWith();
  for (let i = 0; i < 12; i++) await fixture.createDelivery(endpoint, "dlq");
  const calls = await Promise.all([replayOrThrow(endpoint), replayOrThrow(endpoint)]);
  expect(calls.reduce((sum, { enqueued }) => sum + enqueued, 0)).toBe(12);
  for (const { matched, enqueued, skipped } of calls) expect(matched).toBe(enqueued + skipped);
  await fixture.drainQueues();
  expect(fixture.receiver.requests).toHaveLength(12);
});

it("a replay of a window refuses an unknown, a deleted or another tenant's endpoint before it reads a row", async () => {
  const { endpoint } = await fixture.endpointWith();
  await fixture.createDelivery(endpoint, "dlq");
  const notFound = { refused: "endpoint_not_found" };
  expect(await requestByAnother(endpoint)).toEqual(notFound);
  expect(await requestReplay({ id: "x" })).toEqual(notFound);
  expect(await requestByAnother(endpoint, { statuses: ["delivered"] })).toEqual(notFound);
  await fixture.remove(endpoint);
  expect(await requestReplay(endpoint)).toEqual(notFound);
  expect(await listStatuses(endpoint)).toEqual(["dlq"]);
  expect(await queueDepth(testEnv.eventSource, fixture.queues.deliveries)).toBe(0);
});
