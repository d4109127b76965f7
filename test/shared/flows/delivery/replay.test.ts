import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { eventSchema } from "../../../../functions/routes/webhooks/event-schemas.ts";
import { deliveryId } from "../../../../shared/domain/delivery/deliveries.ts";
import { replayDelivery } from "../../../../shared/flows/delivery/replay.ts";
import { sendTestEvent } from "../../../../shared/flows/webhooks/send-test.ts";
import { deleteWebhook } from "../../../../shared/flows/webhooks/update.ts";
import { isRefusal } from "../../../../shared/kernel/refusals.ts";
import { DAY, HOUR } from "../../../../shared/kernel/time.ts";
import type { DeliveryRow } from "../../../../shared/stores/delivery/delivery-items.ts";
import { beside, newTenant } from "../../stores/support/samples.ts";
import { type Desk, openDesk } from "../support/desk.ts";
import { type House, openHouse } from "../support/house.ts";
import { depth } from "../support/queue-work.ts";

let house: House;
let desk: Desk;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());
beforeEach(async () => {
  desk = await openDesk(house);
});

const replay = (row: Pick<DeliveryRow, "endpointId" | "eventUlid">, force = false, tenant = desk.tenant) =>
  replayDelivery(
    desk.ports,
    tenant,
    { endpointId: row.endpointId, deliveryId: deliveryId(row.eventUlid, row.endpointId), force, ...desk.by },
    house.now(),
  );

describe("a replay", () => {
  it.each(["dlq", "failed", "blocked"] as const)(
    "of a %s delivery sends the same event again, signed anew",
    async (status) => {
      const { endpoint } = await desk.endpointWith();
      const row = await desk.delivery(endpoint, status);
      expect(await replay(row)).toEqual({ status: "pending" });
      expect(await desk.row(endpoint, row.eventUlid)).toMatchObject({
        status: "pending",
        attempt: 0,
        nextRetryAt: house.now(),
        leaseUntil: null,
        createdAt: row.createdAt,
      });
      await desk.work();
      expect(await desk.row(endpoint, row.eventUlid)).toMatchObject({ status: "delivered", attempt: 1 });
      expect(desk.receiver.taken.map(({ headers }) => headers["svc-delivery-id"])).toEqual([
        deliveryId(row.eventUlid, endpoint.id),
      ]);
      expect(await desk.audits("webhook.replay")).toMatchObject([
        {
          rs: `webhook:${endpoint.id}`,
          by: "key:key1",
          dt: { delivery: deliveryId(row.eventUlid, endpoint.id), force: false },
        },
      ]);
    },
  );

  it("of a delivered one is made by force alone", async () => {
    const { endpoint } = await desk.endpointWith();
    const row = await desk.delivery(endpoint, "delivered");
    expect(await replay(row)).toMatchObject({
      refused: "replay_conflict",
      detail: expect.stringContaining("force=true"),
    });
    expect(await desk.row(endpoint, row.eventUlid)).toEqual(row);
    expect(await replay(row, true)).toEqual({ status: "pending" });
    await desk.work();
    expect(desk.receiver.taken).toHaveLength(1);
  });

  it.each(["attempting", "retrying"] as const)("of one that is %s is refused, by force too", async (status) => {
    const { endpoint } = await desk.endpointWith();
    const row = await desk.delivery(endpoint, status);
    for (const force of [false, true]) expect(await replay(row, force)).toMatchObject({ refused: "replay_conflict" });
    expect(await desk.row(endpoint, row.eventUlid)).toEqual(row);
    expect(await desk.audits("webhook.replay")).toEqual([]);
    expect(await depth(house.eventSource, desk.lane.deliveries)).toBe(0);
  });

  it("of one that waits for its first attempt, as after a replay, is refused", async () => {
    const { endpoint } = await desk.endpointWith();
    const row = await desk.delivery(endpoint, "dlq");
    await replay(row);
    expect(await replay(row, true)).toMatchObject({ refused: "replay_conflict" });
  });

  it("is one replay when ten ask at once", async () => {
    const { endpoint } = await desk.endpointWith();
    const row = await desk.delivery(endpoint, "dlq");
    const answers = await Promise.all(Array.from({ length: 10 }, () => replay(row)));
    expect(answers.filter((answer) => !isRefusal(answer))).toHaveLength(1);
    expect(await desk.audits("webhook.replay")).toHaveLength(1);
    await desk.work();
    expect(desk.receiver.taken).toHaveLength(1);
  });

  it("has ten attempts again, on the schedule of a first one", async () => {
    const { endpoint } = await desk.endpointWith();
    const row = await desk.delivery(endpoint, "dlq");
    desk.answer(500);
    await replay(row);
    await desk.work();
    expect(await desk.row(endpoint, row.eventUlid)).toMatchObject({
      status: "retrying",
      attempt: 1,
      nextRetryAt: house.now() + 5_000,
    });
    house.turn(5_000);
    await desk.work();
    expect(await desk.row(endpoint, row.eventUlid)).toMatchObject({ status: "retrying", attempt: 2 });
  });

  it("of an event whose body is gone, or that is seven days old, is refused to the millisecond", async () => {
    const { endpoint } = await desk.endpointWith();
    const [erased, old] = [await desk.delivery(endpoint, "dlq"), await desk.delivery(endpoint, "dlq")];
    await desk.ports.messages.remove(desk.tenant, erased.source ?? { conversationId: "", place: "" });
    expect(await replay(erased)).toEqual({ refused: "replay_expired" });
    house.turn(7 * DAY - 1);
    expect(isRefusal(await replay(old))).toBe(false);
    const other = await desk.delivery(endpoint, "dlq");
    house.turn(7 * DAY);
    expect(await replay(other)).toEqual({ refused: "replay_expired" });
    expect(await desk.row(endpoint, other.eventUlid)).toMatchObject({ status: "dlq" });
  });

  it("late in the body's life gives up at once where no retry would fit", async () => {
    const { endpoint } = await desk.endpointWith();
    const row = await desk.delivery(endpoint, "dlq");
    desk.answer(500);
    house.turn(7 * DAY - 1_000);
    await replay(row);
    await desk.work();
    expect(await desk.row(endpoint, row.eventUlid)).toMatchObject({ status: "dlq", attempt: 1 });
  });

  it("of what there is not, or is someone else's, says what is missing and no more", async () => {
    const { endpoint } = await desk.endpointWith();
    const { endpoint: other } = await desk.endpointWith({ path: "/other" });
    const row = await desk.delivery(endpoint, "dlq");
    expect(await replay(row, false, newTenant())).toEqual({ refused: "endpoint_not_found" });
    expect(await replay({ ...row, eventUlid: beside(row.eventUlid) })).toEqual({
      refused: "delivery_not_found",
    });
    for (const id of [
      deliveryId(row.eventUlid, other.id),
      "x",
      "",
      "dlv_",
      `${deliveryId(row.eventUlid, endpoint.id)}_`,
    ]) {
      const wanted = { endpointId: endpoint.id, deliveryId: id, force: true, ...desk.by };
      expect(await replayDelivery(desk.ports, desk.tenant, wanted, house.now())).toEqual({
        refused: "delivery_not_found",
      });
    }
    await deleteWebhook(desk.ports, desk.tenant, endpoint.id, desk.by, house.now());
    expect(await replay(row)).toEqual({ refused: "endpoint_not_found" });
  });

  it("meets messages of the delivery's earlier attempts, which start none before its time", async () => {
    const { endpoint } = await desk.endpointWith();
    const row = await desk.delivery(endpoint, "retrying");
    await desk.ports.deliveries.giveUp(desk.tenant, endpoint.id, row.eventUlid, 2, house.now());
    const stale = JSON.stringify({ v: 1, t: desk.tenant, w: endpoint.id, e: row.eventUlid, n: 2 });
    desk.answer(500);
    await replay(row);
    await desk.work();
    await desk.ports.retries.send({ body: stale });
    await desk.work();
    expect(desk.receiver.taken).toHaveLength(1);
    expect(await desk.row(endpoint, row.eventUlid)).toMatchObject({ status: "retrying", attempt: 1 });
    house.turn(5_000);
    await desk.work();
    expect(desk.receiver.taken).toHaveLength(2);
    expect(await desk.row(endpoint, row.eventUlid)).toMatchObject({ status: "retrying", attempt: 2 });
  });

  it("that went well leaves nothing behind that would send again", async () => {
    const { endpoint } = await desk.endpointWith();
    const row = await desk.delivery(endpoint, "dlq");
    await replay(row);
    await desk.work();
    await desk.sweepLater();
    await desk.work();
    house.turn(HOUR);
    await desk.work();
    expect(desk.receiver.taken).toHaveLength(1);
    expect(await desk.row(endpoint, row.eventUlid)).toMatchObject({ status: "delivered", attempt: 1 });
  });
});

describe("a test event", () => {
  const send = (id: string, tenant = desk.tenant) => sendTestEvent(desk.ports, tenant, id, desk.by, house.now());

  it("goes to that endpoint alone, whatever it subscribes to, and tells who asked", async () => {
    const { endpoint } = await desk.endpointWith({ events: ["message.sent"] });
    await desk.endpointWith({ path: "/other", events: ["test.event"] });
    const sent = await send(endpoint.id);
    if (isRefusal(sent)) throw new Error(sent.refused);
    const [waiting] = await desk.rows(endpoint);
    expect(waiting).toMatchObject({ status: "pending", attempt: 0, eventType: "test.event" });
    expect(deliveryId(waiting?.eventUlid ?? "", endpoint.id)).toBe(sent.deliveryId);
    await desk.work();
    expect(await desk.rows(endpoint)).toMatchObject([{ status: "delivered", attempt: 1 }]);
    const [taken, ...rest] = desk.receiver.taken;
    expect(rest).toEqual([]);
    expect(taken).toMatchObject({ url: "/in", headers: { "svc-event-type": "test.event" } });
    expect(JSON.parse(taken?.body ?? "")).toMatchObject({
      type: "test.event",
      tenant_id: desk.tenant,
      data: { endpoint_id: endpoint.id, note: expect.any(String), requested_by: "key:key1" },
    });
    const event: unknown = JSON.parse(taken?.body ?? "");
    expect(eventSchema("test.event").parse(event)).toEqual(event);
    expect(await desk.audits("webhook.test")).toMatchObject([{ rs: `webhook:${endpoint.id}`, by: "key:key1" }]);
  });

  it("that fails is tried again like any other, and may be replayed", async () => {
    const { endpoint } = await desk.endpointWith();
    desk.answer(500);
    await send(endpoint.id);
    await desk.work();
    const [row] = await desk.rows(endpoint);
    expect(row).toMatchObject({ status: "retrying", attempt: 1 });
    desk.answer(200);
    house.turn(5_000);
    await desk.work();
    expect(await desk.rows(endpoint)).toMatchObject([{ status: "delivered", attempt: 2 }]);
    expect(await replay(row ?? { endpointId: "", eventUlid: "" }, true)).toEqual({ status: "pending" });
    await desk.work();
    expect(new Set(desk.receiver.taken.map(({ body }) => body)).size).toBe(1);
    expect(desk.receiver.taken).toHaveLength(3);
  });

  it("of a paused endpoint is blocked, of a deleted or foreign one not found", async () => {
    const { endpoint } = await desk.endpointWith();
    await desk.ports.endpoints.update(
      desk.tenant,
      endpoint.id,
      { status: "paused" },
      {
        action: "webhook.update",
        resource: "webhook:x",
        actor: "cli",
        ip: null,
        detail: {},
        at: house.now(),
      },
    );
    await send(endpoint.id);
    await desk.work();
    expect(await desk.rows(endpoint)).toMatchObject([{ status: "blocked", attempt: 0 }]);
    expect(await send(endpoint.id, newTenant())).toEqual({ refused: "endpoint_not_found" });
    await deleteWebhook(desk.ports, desk.tenant, endpoint.id, desk.by, house.now());
    expect(await send(endpoint.id)).toEqual({ refused: "endpoint_not_found" });
    expect(desk.receiver.taken).toEqual([]);
  });
});
