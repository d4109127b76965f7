import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openQueue } from "../../../../shared/aws/queues.ts";
import { deliveryId } from "../../../../shared/domain/delivery/deliveries.ts";
import { replayDelivery } from "../../../../shared/flows/delivery/replay.ts";
import { replayWindow } from "../../../../shared/flows/delivery/replay-window.ts";
import { sendTestEvent } from "../../../../shared/flows/webhooks/send-test.ts";
import { isRefusal } from "../../../../shared/kernel/refusals.ts";
import { type Desk, openDesk } from "../support/desk.ts";
import { type House, openHouse } from "../support/house.ts";
import { depth, handOut } from "../support/queue-work.ts";
import { announce } from "../support/receivers.ts";
import { strikeAt, strikes } from "../support/strikes.ts";

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

/** Runs `work` in a process that is struck at each of its calls to AWS in turn, until it has no more of them. */
async function struckEverywhere(
  strike: (typeof strikes)[number],
  work: (desk: Desk, run: (body: () => Promise<unknown>) => Promise<boolean>) => Promise<void>,
): Promise<number> {
  for (let k = 0; ; k++) {
    const desk = await openDesk(house);
    let reached = false;
    await work(desk, async (body) => {
      const struck = strikeAt(house.clients, strike, k);
      const lived = await body().then(
        (answer) => !isRefusal(answer as object),
        () => false,
      );
      struck.end();
      reached = struck.reached();
      return lived;
    });
    if (!reached) return k;
  }
}

describe.each(strikes)("a process that is struck (%s) at any call to AWS", (strike) => {
  it("while it replays a delivery leaves it as it was, or on its way without anyone's help", async () => {
    const calls = await struckEverywhere(strike, async (desk, run) => {
      const { endpoint } = await desk.endpointWith();
      const row = await desk.delivery(endpoint, "dlq");
      const wanted = { endpointId: endpoint.id, deliveryId: deliveryId(row.eventUlid, endpoint.id), force: false };
      const lived = await run(() => replayDelivery(desk.ports, desk.tenant, { ...wanted, ...desk.by }, house.now()));
      const after = await desk.row(endpoint, row.eventUlid);
      if (lived) expect(after?.status).toBe("pending");
      else expect(["dlq", "pending"]).toContain(after?.status);
      // Whatever is pending now has its audit row, and nothing else has.
      expect(await desk.audits("webhook.replay")).toHaveLength(after?.status === "pending" ? 1 : 0);
      await desk.work();
      await desk.sweepLater();
      await desk.work();
      expect(desk.receiver.taken).toHaveLength(after?.status === "pending" ? 1 : 0);
      expect(await desk.row(endpoint, row.eventUlid)).toMatchObject(
        after?.status === "pending" ? { status: "delivered", attempt: 1 } : { status: "dlq" },
      );
    });
    // Endpoint, row, message; stand-by, reset and audit, queue.
    expect(calls).toBeGreaterThanOrEqual(6);
  });

  it("while it replays a window loses none of what it reset", async () => {
    const calls = await struckEverywhere(strike, async (desk, run) => {
      const { endpoint } = await desk.endpointWith();
      const from = house.now();
      for (let i = 0; i < 3; i++) await desk.delivery(endpoint, "dlq");
      const window = { from, to: house.now(), statuses: ["dlq"] as const, force: false, after: null, limit: 50 };
      const lived = await run(() => replayWindow(desk.ports, desk.tenant, endpoint.id, window, desk.by, house.now()));
      const reset = (await desk.rows(endpoint)).filter(({ status }) => status === "pending");
      if (lived) expect(reset).toHaveLength(3);
      await desk.work();
      await desk.sweepLater();
      await desk.work();
      const sent = desk.receiver.taken.map(({ headers }) => headers["svc-event-id"]).sort();
      expect(sent).toEqual(reset.map(({ eventUlid }) => `evt_${eventUlid}`).sort());
      const again = await replayWindow(desk.ports, desk.tenant, endpoint.id, window, desk.by, house.now());
      expect(again).toMatchObject({ matched: 3 - reset.length, enqueued: 3 - reset.length });
    });
    expect(calls).toBeGreaterThanOrEqual(11);
  });

  it("while it sends a test event sends it whole or not at all", async () => {
    const calls = await struckEverywhere(strike, async (desk, run) => {
      const { endpoint } = await desk.endpointWith();
      const lived = await run(() => sendTestEvent(desk.ports, desk.tenant, endpoint.id, desk.by, house.now()));
      const rows = await desk.rows(endpoint);
      expect(rows.length).toBeLessThanOrEqual(1);
      if (lived) expect(rows).toHaveLength(1);
      expect(await desk.audits("webhook.test")).toHaveLength(rows.length);
      await desk.work();
      await desk.sweepLater();
      await desk.work();
      expect(desk.receiver.taken).toHaveLength(rows.length);
      expect((await desk.rows(endpoint)).map(({ status }) => status)).toEqual(rows.map(() => "delivered"));
    });
    expect(calls).toBeGreaterThanOrEqual(5);
  });

  it("while a receiver says that it is gone pauses the endpoint once, and tells the others once", async () => {
    for (let k = 0; ; k++) {
      const desk = await openDesk(house);
      const { endpoint } = await desk.endpointWith({ events: ["message.received", "webhook.paused"] });
      const { endpoint: other } = await desk.endpointWith({ path: "/other", events: ["webhook.paused"] });
      desk.answer(410);
      const { body } = await announce(house, desk.tenant);
      await openQueue(desk.lane.events, house.eventSource).send({ body });
      const struck = strikeAt(house.clients, strike, k);
      await handOut(house.eventSource, desk.lane.events, struck.mortal(desk.worker));
      struck.end();
      desk.answer(200);
      for (let round = 0; (await depth(house.eventSource, desk.lane.events)) > 0; round++) {
        expect(round).toBeLessThan(5);
        house.turn(31_000);
        await desk.work();
      }
      // A worker that died before it wrote the row asks the receiver once more, which then answered 200.
      const [row] = await desk.rows(endpoint);
      const gone = row?.status === "failed";
      expect(gone || row?.status === "delivered").toBe(true);
      if (strike === "lost") expect(gone).toBe(true);
      const kept = await desk.ports.endpoints.get(desk.tenant, endpoint.id);
      expect(kept?.status).toBe(gone ? "paused" : "active");
      expect(await desk.audits("webhook.auto_pause")).toHaveLength(gone ? 1 : 0);
      expect(await desk.rows(other)).toMatchObject(gone ? [{ status: "delivered", eventType: "webhook.paused" }] : []);
      expect(await desk.rows(endpoint)).toHaveLength(1);
      if (!struck.reached()) {
        expect(k).toBeGreaterThanOrEqual(7);
        expect(gone).toBe(true);
        return;
      }
    }
  });
});
