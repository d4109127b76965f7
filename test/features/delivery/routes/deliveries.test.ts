import { expect, it } from "vitest";
import { newUlid } from "#base/kernel/ids.ts";
import { DAY, iso, MINUTE } from "#base/kernel/time.ts";
import { CLOSED } from "#features/delivery/rules/breaker.ts";
import { deliveryId } from "#features/delivery/rules/deliveries.ts";
import { openTestEnv } from "../../../support/flows/test-env.ts";
import { openedEach, openedOnce } from "../../../support/opened.ts";
import {
  type ApiResponse,
  invalidRequest,
  openWebhookApiFixture,
} from "../../../support/routes/webhook-api-fixture.ts";

const testEnv = openedOnce(openTestEnv);
const fixture = openedEach(() => openWebhookApiFixture(testEnv));

it("the summary of deliveries lists failures of the last day, newest first, without body, URL or secret", async () => {
  const ids: string[] = [];
  for (const status of ["dlq", "failed", "delivered", "blocked", "retrying", "attempting"] as const) {
    testEnv.advance(1_000);
    const row = await fixture.createDelivery(fixture.endpoint, status);
    if (status !== "delivered" && status !== "attempting") ids.unshift(deliveryId(row.eventUlid, fixture.endpoint.id));
  }
  const { body } = await fixture.ask("GET", fixture.endpointPath("/deliveries/summary"));
  expect(body.data.truncated).toBe(false);
  expect(body.data.deliveries.map((row: { delivery_id: string }) => row.delivery_id)).toEqual(ids);
  const filtered = await fixture.ask("GET", fixture.endpointPath("/deliveries/summary?status=failed,blocked"));
  expect(filtered.body.data.deliveries.map((row: { status: string }) => row.status)).toEqual(["blocked", "failed"]);
  const since = testEnv.now() - 2_000;
  for (const text of [String(since), iso(since)]) {
    const late = await fixture.ask("GET", fixture.endpointPath(`/deliveries/summary?since=${text}`));
    expect(late.body.data.deliveries.map((row: { status: string }) => row.status)).toEqual(["retrying", "blocked"]);
  }
  testEnv.advance(DAY);
  expect((await fixture.ask("GET", fixture.endpointPath("/deliveries/summary"))).body.data.deliveries).toEqual([]);
});

it("a delivery that waits for its endpoint says so until the next probe, and one that has ended says nothing", async () => {
  const waiting = await fixture.createDelivery(fixture.endpoint, "retrying");
  // The list is in the order of the events' times.
  testEnv.advance(1);
  await fixture.createDelivery(fixture.endpoint, "dlq");
  const waits = async () => {
    const { deliveries } = (await fixture.ask("GET", fixture.endpointPath("/deliveries"))).body.data;
    const id = deliveryId(waiting.eventUlid, fixture.endpoint.id);
    const { delivery } = (await fixture.ask("GET", fixture.endpointPath(`/deliveries/${id}`))).body.data;
    const rows = [...deliveries, delivery] as Record<string, unknown>[];
    return rows.map((row) => [row.status, row.waiting_for, row.waiting_until]);
  };
  // Its next attempt is due.
  const due = ["retrying", "slot", null];
  expect(await waits()).toEqual([["dlq", null, null], due, due]);
  const now = testEnv.now();
  testEnv.advance(DAY);
  const openUntil = testEnv.now() + MINUTE;
  const breaker = { ...CLOSED, failures: 10, openedAt: now, openUntil, wait: MINUTE, failingSince: now };
  await fixture.ports.endpoints.saveBreaker(fixture.tenant, fixture.endpoint, breaker, now);
  expect(await waits()).toEqual([
    ["dlq", null, null],
    ["retrying", "endpoint", openUntil],
    ["retrying", "endpoint", openUntil],
  ]);
});

it("the summary of deliveries examines the newest 1,000 rows and reports when there are more", async () => {
  for (let i = 0; i < 1_000; i++) {
    testEnv.advance(1);
    const target = {
      endpointId: fixture.endpoint.id,
      eventUlid: newUlid(testEnv.now()),
      eventType: "test.event",
      source: null,
    } as const;
    const verdict = { status: i === 0 ? "failed" : "dlq" } as const;
    await fixture.ports.deliveries.recordFirst(fixture.tenant, target, {
      verdict,
      outcome: null,
      settledAt: testEnv.now(),
    });
  }
  const summary = async (query = "") =>
    (await fixture.ask("GET", fixture.endpointPath(`/deliveries/summary${query}`))).body.data;
  expect(await summary("?status=failed")).toMatchObject({ deliveries: [{ status: "failed" }], truncated: false });
  const whole = await summary();
  expect([whole.deliveries.length, whole.truncated]).toEqual([1_000, false]);
  testEnv.advance(1);
  const newest = await fixture.createDelivery(fixture.endpoint, "blocked");
  const cut = await summary();
  expect([cut.deliveries.length, cut.truncated]).toEqual([1_000, true]);
  expect(cut.deliveries[0].delivery_id).toBe(deliveryId(newest.eventUlid, fixture.endpoint.id));
  expect(cut.deliveries.some(({ status }: { status: string }) => status === "failed")).toBe(false);
  expect(await summary("?status=failed")).toEqual({ deliveries: [], truncated: true });
});

it.each(["since=yesterday", "since=", "status=delivered", "status=", "status=dlq,pending", "since=1&since=2"])(
  "the summary of deliveries asked for with %s is 400",
  async (query) => {
    expect(await fixture.ask("GET", fixture.endpointPath(`/deliveries/summary?${query}`))).toMatchObject(
      invalidRequest,
    );
  },
);

it("a replay answers that the delivery is pending; an obstacle is 409 or 404", async () => {
  const dead = await fixture.createDelivery(fixture.endpoint, "dlq");
  const fine = await fixture.createDelivery(fixture.endpoint, "delivered");
  const path = (row: { eventUlid: string }, query = "") =>
    fixture.endpointPath(`/deliveries/${deliveryId(row.eventUlid, fixture.endpoint.id)}/replay${query}`);
  expect(await fixture.post(path(dead))).toMatchObject({
    status: 200,
    body: { data: { delivery_id: deliveryId(dead.eventUlid, fixture.endpoint.id), status: "pending" } },
  });
  const conflict = { status: 409, body: { error: { code: "replay_conflict" } } };
  for (const force of ["", "?force=false", "?force=1", "?force=TRUE", "?force="]) {
    expect(await fixture.post(path(fine, force))).toMatchObject(conflict);
  }
  expect(await fixture.post(path(dead, "?force=true"))).toMatchObject(conflict);
  expect((await fixture.post(path(fine, "?force=true"))).status).toBe(200);
  const lost = await fixture.createDelivery(fixture.endpoint, "failed");
  await fixture.ports.messages.remove(fixture.tenant, lost.source ?? { conversationId: "", position: "" });
  const message =
    "The event is no longer stored and cannot be replayed: its 7 days are over, or its message was unsent or erased.";
  expect(await fixture.post(path(lost))).toMatchObject({
    status: 409,
    body: { error: { code: "replay_expired", message } },
  });
  expect(await fixture.post(fixture.endpointPath("/deliveries/x/replay"))).toMatchObject({
    status: 404,
    body: { error: { code: "delivery_not_found" } },
  });
});

const from = () => testEnv.now() - 60_000;

it("a replay of a time window reads its window from the query or the body, and the query wins", async () => {
  await fixture.createDelivery(fixture.endpoint, "dlq");
  const path = fixture.endpointPath("/deliveries/replay");
  expect((await fixture.post(path, { from: from(), status: "blocked" })).body.data).toMatchObject({ matched: 0 });
  expect(
    (await fixture.post(`${path}?from=${from()}&status=failed`, { from: 0, status: "dlq" })).body.data,
  ).toMatchObject({
    matched: 0,
  });
  expect(
    (await fixture.post(`${path}?status=dlq`, { from: iso(from()), to: testEnv.now(), status: "blocked" })).body.data,
  ).toEqual({
    matched: 1,
    enqueued: 1,
    skipped: 0,
    next_cursor: null,
  });
});

it("a replay of a time window pages through a window whose end stays that of the first call", async () => {
  const path = fixture.endpointPath(`/deliveries/replay?from=${from()}&limit=2`);
  for (let i = 0; i < 5; i++) {
    testEnv.advance(1);
    await fixture.createDelivery(fixture.endpoint, "dlq");
  }
  const counts: number[] = [];
  let cursor: string | null = "";
  let late: string | null = null;
  while (cursor !== null) {
    const { body }: ApiResponse = await fixture.post(cursor === "" ? path : `${path}&cursor=${cursor}`);
    counts.push(body.data.enqueued);
    cursor = body.data.next_cursor;
    testEnv.advance(10);
    late ??= (await fixture.createDelivery(fixture.endpoint, "dlq")).eventUlid;
  }
  expect(counts).toEqual([2, 2, 1]);
  expect(await fixture.row(fixture.endpoint, late ?? "")).toMatchObject({ status: "dlq" });
});

it.each([
  ["", undefined],
  ["?from=soon", undefined],
  ["?from=", undefined],
  ["?from=2026-01-02&to=2026-01-01", undefined],
  ["?from=0&status=pending", undefined],
  ["?from=0&status=", undefined],
  ["?from=0&limit=0", undefined],
  ["?from=0&cursor=x", undefined],
  ["", { from: null }],
  ["", { from: true }],
  ["", { from: 0, status: ["dlq"] }],
  ["", []],
])("a replay of a time window asked for with %s and %j is 400", async (query, body) => {
  expect(await fixture.post(fixture.endpointPath(`/deliveries/replay${query}`), body)).toMatchObject(invalidRequest);
});

it("a replay of a time window refuses a cursor of another endpoint, window or status list", async () => {
  for (let i = 0; i < 3; i++) await fixture.createDelivery(fixture.endpoint, "dlq");
  const start = from();
  const { next_cursor } = (await fixture.post(fixture.endpointPath(`/deliveries/replay?from=${start}&limit=1`))).body
    .data;
  const { endpoint: other } = await fixture.endpointWith({ path: "/other" });
  for (const path of [
    `/v1/webhooks/${other.id}/deliveries/replay?from=${start}&cursor=${next_cursor}`,
    fixture.endpointPath(`/deliveries/replay?from=${start - 1}&cursor=${next_cursor}`),
    fixture.endpointPath(`/deliveries/replay?from=${start}&status=dlq&cursor=${next_cursor}`),
    fixture.endpointPath(`/deliveries/replay?from=${start}&to=${testEnv.now()}&cursor=${next_cursor}`),
    fixture.endpointPath(`/deliveries?cursor=${next_cursor}`),
  ]) {
    expect(await (path.includes("replay") ? fixture.post(path) : fixture.ask("GET", path))).toMatchObject(
      invalidRequest,
    );
  }
  expect(
    (await fixture.post(fixture.endpointPath(`/deliveries/replay?from=${start}&limit=5&cursor=${next_cursor}`))).body
      .data,
  ).toMatchObject({
    matched: 2,
    next_cursor: null,
  });
});

it("a replay of a time window includes delivered events only for force true, in the query or the body", async () => {
  await fixture.createDelivery(fixture.endpoint, "delivered");
  const path = fixture.endpointPath(`/deliveries/replay?from=${from()}&status=delivered`);
  const conflict = { status: 409, body: { error: { code: "replay_conflict" } } };
  expect(await fixture.post(path)).toMatchObject(conflict);
  expect(await fixture.post(`${path}&force=1`)).toMatchObject(conflict);
  expect(await fixture.post(path, { force: 1 })).toMatchObject(conflict);
  expect(await fixture.post(`${path}&force=false`, { force: true })).toMatchObject(conflict);
  expect((await fixture.post(path, { force: true })).body.data).toMatchObject({ enqueued: 1 });
});

it("a test event returns the delivery id, and the list shows it as pending", async () => {
  const { status, body } = await fixture.post(fixture.endpointPath("/test"));
  expect(status).toBe(200);
  expect((await fixture.ask("GET", fixture.endpointPath("/deliveries"))).body.data.deliveries).toMatchObject([
    { delivery_id: body.data.delivery_id, event_type: "test.event", status: "pending", attempt_number: 0 },
  ]);
});

const list = async (query: string) =>
  (await fixture.ask("GET", fixture.endpointPath(`/deliveries?${query}`))).body.data;
const statusesOf = ({ deliveries }: { deliveries: { status: string }[] }) => deliveries.map(({ status }) => status);

it("the list's filters select by status, event type and time", async () => {
  const start = testEnv.now();
  for (const status of ["dlq", "delivered", "failed", "attempting"] as const) {
    testEnv.advance(10);
    await fixture.createDelivery(fixture.endpoint, status);
  }
  await fixture.post(fixture.endpointPath("/test"));
  expect(statusesOf(await list("status=dlq,failed"))).toEqual(["failed", "dlq"]);
  expect(statusesOf(await list("status=attempting"))).toEqual(["attempting"]);
  expect(statusesOf(await list("event_type=test.event"))).toEqual(["pending"]);
  expect(statusesOf(await list("event_type=message.sent"))).toEqual([]);
  expect(statusesOf(await list(`from=${start + 20}&to=${iso(start + 30)}`))).toEqual(["failed", "delivered"]);
  expect(statusesOf(await list(`from=${start + 20}&to=${start + 30}&status=failed`))).toEqual(["failed"]);
  expect(statusesOf(await list(`to=${start}`))).toEqual([]);
});

it("the list's filters are bound to their cursor", async () => {
  for (let i = 0; i < 3; i++) await fixture.createDelivery(fixture.endpoint, "dlq");
  const { next_cursor } = await list("status=dlq&limit=1");
  expect((await list(`status=dlq&limit=5&cursor=${next_cursor}`)).deliveries).toHaveLength(2);
  for (const query of ["", "status=failed&", "status=dlq&event_type=message.received&", "status=dlq&from=0&"]) {
    const path = fixture.endpointPath(`/deliveries?${query}cursor=${next_cursor}`);
    expect(await fixture.ask("GET", path)).toMatchObject(invalidRequest);
  }
});

it.each([
  "status=lost",
  "status=",
  "event_type=message",
  "event_type=",
  "from=x",
  "to=",
  "from=2026-01-02&to=2026-01-01",
  "status=dlq&status=failed",
])("the list's filters asked for with %s are 400, also at an unknown endpoint", async (query) => {
  for (const path of [fixture.endpointPath(""), "/v1/webhooks/x"]) {
    expect(await fixture.ask("GET", `${path}/deliveries?${query}`)).toMatchObject(invalidRequest);
  }
});
