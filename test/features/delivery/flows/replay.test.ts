import { expect, it } from "vitest";
import { isRefusal } from "#base/kernel/refusals.ts";
import { DAY, HOUR } from "#base/kernel/time.ts";
import { replayDelivery } from "#features/delivery/replay.ts";
import { deliveryId } from "#features/delivery/rules/deliveries.ts";
import type { DeliveryRow } from "#features/delivery/store/items.ts";
import { eventSchema } from "#features/webhooks/event-catalog.ts";
import { sendTestEvent } from "#features/webhooks/flows.ts";
import { Crash } from "../../../support/faults.ts";
import { openEndpointFixture } from "../../../support/flows/endpoint-fixture.ts";
import { queueDepth } from "../../../support/flows/queue-worker.ts";
import { openTestEnv } from "../../../support/flows/test-env.ts";
import { openedEach, openedOnce } from "../../../support/opened.ts";
import { interceptCalls } from "../../../support/processes/port-calls.ts";
import { newTenant, siblingId } from "../../../support/stores/samples.ts";

const testEnv = openedOnce(openTestEnv);
const fixture = openedEach(() => openEndpointFixture(testEnv));

const replay = (row: Pick<DeliveryRow, "endpointId" | "eventUlid">, tenant = fixture.tenant, ports = fixture.ports) =>
  replayDelivery(
    ports,
    tenant,
    {
      endpointId: row.endpointId,
      deliveryId: deliveryId(row.eventUlid, row.endpointId),
      force: false,
      author: fixture.by,
    },
    testEnv.now(),
  );

it.each(["dlq", "failed", "blocked"] as const)(
  "a replay of a %s delivery sends the same event again with a new signature",
  async (status) => {
    const { endpoint } = await fixture.endpointWith();
    const row = await fixture.createDelivery(endpoint, status);
    expect(await fixture.replay(row)).toEqual({ status: "pending" });
    expect(await fixture.row(endpoint, row.eventUlid)).toMatchObject({
      status: "pending",
      attempt: 0,
      nextRetryAt: testEnv.now(),
      leaseUntil: null,
      createdAt: row.createdAt,
    });
    await fixture.drainQueues();
    expect(await fixture.row(endpoint, row.eventUlid)).toMatchObject({ status: "delivered", attempt: 1 });
    expect(fixture.receiver.requests.map(({ headers }) => headers["svc-delivery-id"])).toEqual([
      deliveryId(row.eventUlid, endpoint.id),
    ]);
    expect(await fixture.audits("webhook.replay")).toMatchObject([
      {
        rs: `webhook:${endpoint.id}`,
        by: "key:key1",
        dt: { delivery: deliveryId(row.eventUlid, endpoint.id), force: false },
      },
    ]);
  },
);

it("a replay whose process dies right after the reset is attempted by a sweep", async () => {
  const { endpoint } = await fixture.endpointWith();
  const row = await fixture.createDelivery(endpoint, "dlq");
  const ports = interceptCalls(fixture.ports, async (name, call) => {
    const result = await call();
    if (name === "deliveries.reset") throw new Crash("died after the reset");
    return result;
  });
  await expect(replay(row, fixture.tenant, ports)).rejects.toThrow("died after the reset");
  await fixture.drainQueues();
  expect(await fixture.row(endpoint, row.eventUlid)).toMatchObject({ status: "pending", attempt: 0 });
  await fixture.sweepSafetyNet();
  await fixture.drainQueues();
  expect(await fixture.row(endpoint, row.eventUlid)).toMatchObject({ status: "delivered", attempt: 1 });
});

it("a replay of a delivered one needs force", async () => {
  const { endpoint } = await fixture.endpointWith();
  const row = await fixture.createDelivery(endpoint, "delivered");
  expect(await fixture.replay(row)).toMatchObject({
    refused: "replay_conflict",
    detail: expect.stringContaining("force=true"),
  });
  expect(await fixture.row(endpoint, row.eventUlid)).toEqual(row);
  expect(await fixture.replay(row, true)).toEqual({ status: "pending" });
  await fixture.drainQueues();
  expect(fixture.receiver.requests).toHaveLength(1);
});

it.each(["attempting", "retrying"] as const)(
  "a replay of one that is %s is refused, even with force",
  async (status) => {
    const { endpoint } = await fixture.endpointWith();
    const row = await fixture.createDelivery(endpoint, status);
    for (const force of [false, true])
      expect(await fixture.replay(row, force)).toMatchObject({ refused: "replay_conflict" });
    expect(await fixture.row(endpoint, row.eventUlid)).toEqual(row);
    expect(await fixture.audits("webhook.replay")).toEqual([]);
    expect(await queueDepth(testEnv.eventSource, fixture.queues.deliveries)).toBe(0);
  },
);

it("a replay of one that waits for its first attempt, as after a replay, is refused", async () => {
  const { endpoint } = await fixture.endpointWith();
  const row = await fixture.createDelivery(endpoint, "dlq");
  await fixture.replay(row);
  expect(await fixture.replay(row, true)).toMatchObject({ refused: "replay_conflict" });
});

it("a replay happens once when ten are requested at once", async () => {
  const { endpoint } = await fixture.endpointWith();
  const row = await fixture.createDelivery(endpoint, "dlq");
  const answers = await Promise.all(Array.from({ length: 10 }, () => fixture.replay(row)));
  expect(answers.filter((answer) => !isRefusal(answer))).toHaveLength(1);
  expect(await fixture.audits("webhook.replay")).toHaveLength(1);
  await fixture.drainQueues();
  expect(fixture.receiver.requests).toHaveLength(1);
});

it("a replay has ten attempts again, on the schedule of a new delivery", async () => {
  const { endpoint } = await fixture.endpointWith();
  const row = await fixture.createDelivery(endpoint, "dlq");
  fixture.respondWith(500);
  await fixture.replay(row);
  await fixture.drainQueues();
  expect(await fixture.row(endpoint, row.eventUlid)).toMatchObject({
    status: "retrying",
    attempt: 1,
    nextRetryAt: testEnv.now() + 5_000,
  });
  testEnv.advance(5_000);
  await fixture.drainQueues();
  expect(await fixture.row(endpoint, row.eventUlid)).toMatchObject({ status: "retrying", attempt: 2 });
});

it("a replay of an event whose body is gone, or that is seven days old, is refused to the millisecond", async () => {
  const { endpoint } = await fixture.endpointWith();
  const [erased, old] = [await fixture.createDelivery(endpoint, "dlq"), await fixture.createDelivery(endpoint, "dlq")];
  await fixture.ports.messages.remove(fixture.tenant, erased.source ?? { conversationId: "", position: "" });
  expect(await fixture.replay(erased)).toEqual({ refused: "replay_expired" });
  testEnv.advance(7 * DAY - 1);
  expect(isRefusal(await fixture.replay(old))).toBe(false);
  const other = await fixture.createDelivery(endpoint, "dlq");
  testEnv.advance(7 * DAY);
  expect(await fixture.replay(other)).toEqual({ refused: "replay_expired" });
  expect(await fixture.row(endpoint, other.eventUlid)).toMatchObject({ status: "dlq" });
});

it("a replay shortly before the body expires ends at once when no retry would fit", async () => {
  const { endpoint } = await fixture.endpointWith();
  const row = await fixture.createDelivery(endpoint, "dlq");
  fixture.respondWith(500);
  testEnv.advance(7 * DAY - 1_000);
  await fixture.replay(row);
  await fixture.drainQueues();
  expect(await fixture.row(endpoint, row.eventUlid)).toMatchObject({ status: "dlq", attempt: 1 });
});

it("a replay of an unknown delivery, or another tenant's, reports what is missing and nothing else", async () => {
  const { endpoint } = await fixture.endpointWith();
  const { endpoint: other } = await fixture.endpointWith({ path: "/other" });
  const row = await fixture.createDelivery(endpoint, "dlq");
  expect(await replay(row, newTenant())).toEqual({ refused: "endpoint_not_found" });
  expect(await fixture.replay({ ...row, eventUlid: siblingId(row.eventUlid) })).toEqual({
    refused: "delivery_not_found",
  });
  for (const id of [
    deliveryId(row.eventUlid, other.id),
    "x",
    "",
    "dlv_",
    `${deliveryId(row.eventUlid, endpoint.id)}_`,
  ]) {
    const request = { endpointId: endpoint.id, deliveryId: id, force: true, author: fixture.by };
    expect(await replayDelivery(fixture.ports, fixture.tenant, request, testEnv.now())).toEqual({
      refused: "delivery_not_found",
    });
  }
  await fixture.remove(endpoint);
  expect(await fixture.replay(row)).toEqual({ refused: "endpoint_not_found" });
});

it("a replay ignores messages of the delivery's earlier attempts until its own time", async () => {
  const { endpoint } = await fixture.endpointWith();
  const row = await fixture.createDelivery(endpoint, "retrying");
  await fixture.ports.deliveries.abandon(
    fixture.tenant,
    { endpointId: endpoint.id, eventUlid: row.eventUlid, attempt: 2 },
    testEnv.now(),
  );
  fixture.respondWith(500);
  await fixture.replay(row);
  await fixture.drainQueues();
  await fixture.queueAttempt({ endpointId: endpoint.id, eventUlid: row.eventUlid }, 2);
  await fixture.drainQueues();
  expect(fixture.receiver.requests).toHaveLength(1);
  expect(await fixture.row(endpoint, row.eventUlid)).toMatchObject({ status: "retrying", attempt: 1 });
  testEnv.advance(5_000);
  await fixture.drainQueues();
  expect(fixture.receiver.requests).toHaveLength(2);
  expect(await fixture.row(endpoint, row.eventUlid)).toMatchObject({ status: "retrying", attempt: 2 });
});

it("a replay that succeeded leaves nothing behind that would send again", async () => {
  const { endpoint } = await fixture.endpointWith();
  const row = await fixture.createDelivery(endpoint, "dlq");
  await fixture.replay(row);
  await fixture.drainQueues();
  await fixture.sweepSafetyNet();
  await fixture.drainQueues();
  testEnv.advance(HOUR);
  await fixture.drainQueues();
  expect(fixture.receiver.requests).toHaveLength(1);
  expect(await fixture.row(endpoint, row.eventUlid)).toMatchObject({ status: "delivered", attempt: 1 });
});

it("a test event goes only to that endpoint, even without a subscription, and names the actor", async () => {
  const { endpoint } = await fixture.endpointWith({ events: ["message.sent"] });
  await fixture.endpointWith({ path: "/other", events: ["test.event"] });
  const sent = await fixture.sendTest(endpoint);
  if (isRefusal(sent)) throw new Error(sent.refused);
  const [waiting] = await fixture.rows(endpoint);
  expect(waiting).toMatchObject({ status: "pending", attempt: 0, eventType: "test.event" });
  expect(deliveryId(waiting?.eventUlid ?? "", endpoint.id)).toBe(sent.deliveryId);
  await fixture.drainQueues();
  expect(await fixture.rows(endpoint)).toMatchObject([{ status: "delivered", attempt: 1 }]);
  const [firstRequest, ...rest] = fixture.receiver.requests;
  expect(rest).toEqual([]);
  expect(firstRequest).toMatchObject({ url: "/in", headers: { "svc-event-type": "test.event" } });
  expect(JSON.parse(firstRequest?.body ?? "")).toMatchObject({
    type: "test.event",
    tenant_id: fixture.tenant,
    data: { endpoint_id: endpoint.id, note: expect.any(String), requested_by: "key:key1" },
  });
  const event: unknown = JSON.parse(firstRequest?.body ?? "");
  expect(eventSchema("test.event").parse(event)).toEqual(event);
  expect(await fixture.audits("webhook.test")).toMatchObject([{ rs: `webhook:${endpoint.id}`, by: "key:key1" }]);
});

it("a test event that fails is retried like any other, and may be replayed", async () => {
  const { endpoint } = await fixture.endpointWith();
  fixture.respondWith(500);
  await fixture.sendTest(endpoint);
  await fixture.drainQueues();
  const [row] = await fixture.rows(endpoint);
  expect(row).toMatchObject({ status: "retrying", attempt: 1 });
  fixture.respondWith(200);
  testEnv.advance(5_000);
  await fixture.drainQueues();
  expect(await fixture.rows(endpoint)).toMatchObject([{ status: "delivered", attempt: 2 }]);
  expect(await fixture.replay(row ?? { endpointId: "", eventUlid: "" }, true)).toEqual({ status: "pending" });
  await fixture.drainQueues();
  expect(new Set(fixture.receiver.requests.map(({ body }) => body)).size).toBe(1);
  expect(fixture.receiver.requests).toHaveLength(3);
});

it("a test event of a paused endpoint is blocked, of a deleted or another tenant's endpoint not found", async () => {
  const { endpoint } = await fixture.endpointWith();
  await fixture.update(endpoint, { status: "paused" });
  await fixture.sendTest(endpoint);
  await fixture.drainQueues();
  expect(await fixture.rows(endpoint)).toMatchObject([{ status: "blocked", attempt: 0 }]);
  expect(
    await sendTestEvent(fixture.ports, {
      tenant: newTenant(),
      endpointId: endpoint.id,
      author: fixture.by,
      now: testEnv.now(),
    }),
  ).toEqual({ refused: "endpoint_not_found" });
  await fixture.remove(endpoint);
  expect(await fixture.sendTest(endpoint)).toEqual({ refused: "endpoint_not_found" });
  expect(fixture.receiver.requests).toEqual([]);
});
