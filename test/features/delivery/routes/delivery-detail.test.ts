import { expect, it } from "vitest";
import { newUlid } from "#base/kernel/ids.ts";
import { DAY, SECOND } from "#base/kernel/time.ts";
import { deliveryId } from "#features/delivery/rules/deliveries.ts";
import type { DeliveryRow } from "#features/delivery/store/items.ts";
import { startReceiver } from "../../../base/net/receiver.ts";
import { createEndpointAt, recordMessage } from "../../../support/flows/test-endpoints.ts";
import { openTestEnv } from "../../../support/flows/test-env.ts";
import { openedEach, openedOnce } from "../../../support/opened.ts";
import { openWebhookApiFixture } from "../../../support/routes/webhook-api-fixture.ts";
import { newTenant } from "../../../support/stores/samples.ts";

const testEnv = openedOnce(openTestEnv);
const fixture = openedEach(() => openWebhookApiFixture(testEnv));

const detailPath = (id: string, endpointId = fixture.endpoint.id) => `/v1/webhooks/${endpointId}/deliveries/${id}`;
const pathOf = (row: DeliveryRow) => detailPath(deliveryId(row.eventUlid, row.endpointId));
const readDelivery = async (row: DeliveryRow) => (await fixture.ask("GET", pathOf(row))).body.data.delivery;

it("a delivery in detail is the row of the list with the event as it was sent, and each attempt", async () => {
  const { endpoint, receiver } = fixture;
  fixture.respondWith(503);
  const { body } = await recordMessage(testEnv, fixture.tenant, "m-detail");
  await fixture.deliverPorts.events.send({ body });
  await fixture.drainQueues();
  fixture.respondWith(200);
  testEnv.advance(6 * SECOND);
  await fixture.drainQueues();
  const { deliveries } = (await fixture.ask("GET", fixture.endpointPath("/deliveries"))).body.data;
  expect(deliveries).toHaveLength(1);
  const { status, body: answer } = await fixture.ask("GET", detailPath(deliveries[0].delivery_id));
  expect(status).toBe(200);
  const { event, attempts, ...row } = answer.data.delivery;
  expect(row).toEqual(deliveries[0]);
  expect(JSON.stringify(event)).toBe(receiver.requests.at(-1)?.body);
  expect(event.id).toBe(row.event_id);
  const entry = (attempt: number, result: object) => {
    const common = { at: expect.any(Number), duration_ms: expect.any(Number), response: null };
    return { attempt, ...common, ...result };
  };
  expect(attempts).toEqual([entry(2, { status: 200, error: null }), entry(1, { status: 503, error: "status" })]);
  expect(attempts[0].at).toBe(row.updated_at - attempts[0].duration_ms);
  expect(answer.text ?? "").not.toContain(endpoint.url);
});

it("a delivery in detail has the response of its newest attempt alone", async () => {
  const row = await fixture.createDelivery(fixture.endpoint, "retrying");
  const target = { ...row, attempt: 2 };
  const claim = await fixture.ports.deliveries.claimDelivery(fixture.tenant, target, testEnv.now());
  if (claim.outcome !== "claimed") throw new Error("It is not claimed.");
  const outcome = { kind: "answered", status: 422, retryAfter: null, durationMs: 4, response: "no field x" } as const;
  const record = { verdict: { status: "dlq" }, outcome, settledAt: testEnv.now() } as const;
  await fixture.ports.deliveries.settleDelivery(fixture.tenant, claim.row, record);
  const { attempts } = await readDelivery(row);
  expect(attempts).toMatchObject([
    { attempt: 2, status: 422, error: "status", response: "no field x" },
    { attempt: 1, status: 503, response: null },
  ]);
  const source = row.source ?? expect.unreachable("it has a message");
  await fixture.ports.messages.remove(fixture.tenant, source);
  const afterErasure = await readDelivery(row);
  expect(afterErasure.event).toBeNull();
  expect(afterErasure.attempts).toMatchObject([{ attempt: 2, response: null }, { attempt: 1 }]);
});

it("a delivery in detail has what the receiver answered, also to an attempt that succeeds at once, and none of its secrets", async () => {
  const receiver = await startReceiver((response, { headers }) => {
    response.end(`stored ${headers["svc-event-id"]}, signed ${headers["svc-signature"]}`);
  });
  const queues = fixture.queues;
  const endpoint = await createEndpointAt(testEnv, queues, fixture.tenant, `http://127.0.0.1:${receiver.port}/in`);
  const { body, message } = await recordMessage(testEnv, fixture.tenant, "m-answered");
  await fixture.deliverPorts.events.send({ body });
  await fixture.drainQueues();
  const path = detailPath(deliveryId(message.eventUlid, endpoint.id), endpoint.id);
  const { delivery } = (await fixture.ask("GET", path)).body.data;
  expect(delivery.status).toBe("delivered");
  expect(delivery.attempts).toMatchObject([
    { attempt: 1, status: 200, response: `stored evt_${message.eventUlid}, signed [redacted]` },
  ]);
});

it("a delivery in detail has no event and no response seven days after its event", async () => {
  const row = await fixture.createDelivery(fixture.endpoint, "delivered");
  testEnv.advance(7 * DAY - 1);
  expect(await readDelivery(row)).toMatchObject({ status: "delivered", event: { type: "message.received" } });
  testEnv.advance(1);
  expect(await readDelivery(row)).toMatchObject({ status: "delivered", event: null });
});

it("a delivery in detail shows a delivery without an attempt, and the stored body of a test event", async () => {
  const blocked = await fixture.createDelivery(fixture.endpoint, "blocked");
  expect(await readDelivery(blocked)).toMatchObject({ status: "blocked", attempts: [] });
  const { delivery_id } = (await fixture.post(fixture.endpointPath("/test"))).body.data;
  const { delivery } = (await fixture.ask("GET", detailPath(delivery_id))).body.data;
  expect(delivery).toMatchObject({ status: "pending", attempts: [], event: { type: "test.event" } });
});

it("a delivery in detail is readable after its endpoint was deleted, as the list is", async () => {
  const row = await fixture.createDelivery(fixture.endpoint, "dlq");
  await fixture.ask("DELETE", fixture.endpointPath());
  expect((await fixture.ask("GET", pathOf(row))).status).toBe(200);
});

it("a delivery in detail is the same 404 for an unknown, malformed or foreign id of a delivery or an endpoint", async () => {
  const row = await fixture.createDelivery(fixture.endpoint, "dlq");
  const id = deliveryId(row.eventUlid, row.endpointId);
  const otherEndpoint = (await fixture.endpointWith({ path: "/other" })).endpoint.id;
  const now = testEnv.now();
  const paths = [
    detailPath(deliveryId(newUlid(now), row.endpointId)),
    detailPath("x"),
    detailPath(`${id}_x`),
    detailPath(id.toLowerCase()),
    detailPath(id, otherEndpoint),
    detailPath(id, newUlid(now)),
    detailPath(id, "x"),
    detailPath("%00"),
  ];
  const foreignKey = await fixture.keyOf(newTenant());
  const answers = await Promise.all(paths.map((path) => fixture.ask("GET", path)));
  answers.push(await fixture.ask("GET", detailPath(id), undefined, foreignKey));
  for (const answer of answers) {
    expect(answer.status).toBe(404);
    expect(answer.body.error.code).toBe("delivery_not_found");
    expect(answer.text).toBe(answers[0]?.text);
  }
});
