import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Replayed, type ReplayWindow, replayWindow } from "../../../../shared/flows/delivery/replay-window.ts";
import { deleteWebhook } from "../../../../shared/flows/webhooks/update.ts";
import { isRefusal } from "../../../../shared/kernel/refusals.ts";
import { iso } from "../../../../shared/kernel/time.ts";
import { newTenant } from "../../stores/support/samples.ts";
import { type Desk, openDesk } from "../support/desk.ts";
import { type House, openHouse } from "../support/house.ts";
import { depth } from "../support/queue-work.ts";
import { strikeAt, strikes } from "../support/strikes.ts";

let house: House;
let desk: Desk;
let begun: number;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());
beforeEach(async () => {
  desk = await openDesk(house);
  begun = house.now();
});

const ask = (id: string, rest: Partial<ReplayWindow> = {}, tenant = desk.tenant) =>
  replayWindow(
    desk.ports,
    tenant,
    id,
    { from: begun, to: house.now(), statuses: ["dlq", "failed"], force: false, after: null, limit: 50, ...rest },
    desk.by,
    house.now(),
  );

async function replayed(id: string, rest: Partial<ReplayWindow> = {}): Promise<Replayed> {
  const answer = await ask(id, rest);
  if (isRefusal(answer)) throw new Error(answer.refused);
  return answer;
}

const statuses = async (endpoint: { id: string }) => (await desk.rows(endpoint)).map(({ status }) => status).reverse();

describe("a replay of a window", () => {
  it("sends what its statuses name, and leaves the rest alone", async () => {
    const { endpoint } = await desk.endpointWith();
    for (const status of ["dlq", "delivered", "failed", "retrying", "blocked"] as const) {
      house.turn(1);
      await desk.delivery(endpoint, status);
    }
    expect(await replayed(endpoint.id)).toEqual({ matched: 2, enqueued: 2, skipped: 0, next: null });
    expect(await statuses(endpoint)).toEqual(["pending", "delivered", "pending", "retrying", "blocked"]);
    house.turn(1);
    expect(await replayed(endpoint.id)).toEqual({ matched: 0, enqueued: 0, skipped: 0, next: null });
    house.turn(1);
    expect(await replayed(endpoint.id, { statuses: ["blocked"] })).toMatchObject({ matched: 1, enqueued: 1 });
    await desk.work();
    expect(desk.receiver.taken).toHaveLength(3);
    expect(await desk.audits("webhook.bulk_replay")).toMatchObject([
      {
        rs: `webhook:${endpoint.id}`,
        by: "key:key1",
        dt: { from: iso(begun), to: iso(begun + 5), statuses: "dlq,failed", matched: 2, enqueued: 2, skipped: 0 },
      },
      { dt: { matched: 0 } },
      { dt: { matched: 1, statuses: "blocked" } },
    ]);
  });

  it.each(strikes)("that is struck (%s) at any call leaves its audit row before anything is sent", async (strike) => {
    for (let k = 0; ; k++) {
      desk = await openDesk(house);
      begun = house.now();
      const { endpoint } = await desk.endpointWith();
      for (let i = 0; i < 3; i++) await desk.delivery(endpoint, "dlq");
      const struck = strikeAt(house.clients, strike, k);
      await replayed(endpoint.id).catch(() => {});
      struck.end();
      await desk.sweepLater();
      await desk.work();
      const rows = await desk.audits("webhook.bulk_replay");
      const window = { from: iso(begun), to: iso(begun), statuses: "dlq,failed" };
      if (desk.receiver.taken.length > 0) expect(rows).toMatchObject([{ dt: window }]);
      if (!struck.reached()) {
        expect(rows).toMatchObject([{ dt: { ...window, matched: 3, enqueued: 3, skipped: 0 } }]);
        return;
      }
    }
  });

  it("counts as skipped what is being attempted and what has no body any more", async () => {
    const { endpoint } = await desk.endpointWith();
    await desk.delivery(endpoint, "dlq");
    house.turn(1);
    await desk.delivery(endpoint, "attempting");
    house.turn(1);
    const erased = await desk.delivery(endpoint, "failed");
    await desk.ports.messages.remove(desk.tenant, erased.source ?? { conversationId: "", place: "" });
    expect(await replayed(endpoint.id)).toEqual({ matched: 3, enqueued: 1, skipped: 2, next: null });
    expect(await statuses(endpoint)).toEqual(["pending", "attempting", "failed"]);
  });

  it("goes by the time of the events, both ends included", async () => {
    const { endpoint } = await desk.endpointWith();
    const times: number[] = [];
    for (let i = 0; i < 4; i++) {
      house.turn(10);
      times.push(house.now());
      await desk.delivery(endpoint, "dlq");
    }
    const [, second = 0, third = 0] = times;
    expect(await replayed(endpoint.id, { from: second, to: third })).toMatchObject({ matched: 2 });
    expect(await statuses(endpoint)).toEqual(["dlq", "pending", "pending", "dlq"]);
  });

  it("sends delivered ones by force alone", async () => {
    const { endpoint } = await desk.endpointWith();
    await desk.delivery(endpoint, "delivered");
    house.turn(1);
    await desk.delivery(endpoint, "dlq");
    const wanted = { statuses: ["dlq", "delivered"] } as const;
    expect(await ask(endpoint.id, wanted)).toMatchObject({ refused: "replay_conflict" });
    expect(await statuses(endpoint)).toEqual(["delivered", "dlq"]);
    expect(await desk.audits("webhook.bulk_replay")).toEqual([]);
    expect(await replayed(endpoint.id, { ...wanted, force: true })).toMatchObject({ matched: 2, enqueued: 2 });
    await desk.work();
    expect(desk.receiver.taken).toHaveLength(2);
  });

  it.each([false, true])(
    "looks at as many rows as it may in one call, and goes on from there (delivered: %s)",
    async (delivered) => {
      const { endpoint } = await desk.endpointWith();
      const every = ["dlq", "retrying", "delivered", "failed", "dlq", "blocked", "dlq"] as const;
      for (const status of every) {
        house.turn(1);
        await desk.delivery(endpoint, status);
      }
      const rest = delivered ? ({ statuses: ["dlq", "failed", "delivered"], force: true } as const) : {};
      const calls: Replayed[] = [];
      let after: string | null = null;
      do {
        const call: Replayed = await replayed(endpoint.id, { ...rest, limit: 2, after });
        calls.push(call);
        after = call.next;
      } while (after !== null);
      expect(calls).toHaveLength(delivered ? 4 : 3);
      expect(calls.reduce((sum, { enqueued }) => sum + enqueued, 0)).toBe(delivered ? 5 : 4);
      await desk.work();
      expect(new Set(desk.receiver.taken.map(({ headers }) => headers["svc-event-id"])).size).toBe(delivered ? 5 : 4);
    },
  );

  it("asked for twice at once sends each once", async () => {
    const { endpoint } = await desk.endpointWith();
    for (let i = 0; i < 12; i++) await desk.delivery(endpoint, "dlq");
    const calls = await Promise.all([replayed(endpoint.id), replayed(endpoint.id)]);
    expect(calls.reduce((sum, { enqueued }) => sum + enqueued, 0)).toBe(12);
    for (const { matched, enqueued, skipped } of calls) expect(matched).toBe(enqueued + skipped);
    await desk.work();
    expect(desk.receiver.taken).toHaveLength(12);
  });

  it("of no endpoint, a deleted one or another tenant's says so before it asks for a row", async () => {
    const { endpoint } = await desk.endpointWith();
    await desk.delivery(endpoint, "dlq");
    const notFound = { refused: "endpoint_not_found" };
    expect(await ask(endpoint.id, {}, newTenant())).toEqual(notFound);
    expect(await ask("x")).toEqual(notFound);
    expect(await ask(endpoint.id, { statuses: ["delivered"] }, newTenant())).toEqual(notFound);
    await deleteWebhook(desk.ports, desk.tenant, endpoint.id, desk.by, house.now());
    expect(await ask(endpoint.id)).toEqual(notFound);
    expect(await statuses(endpoint)).toEqual(["dlq"]);
    expect(await depth(house.eventSource, desk.lane.deliveries)).toBe(0);
  });
});
