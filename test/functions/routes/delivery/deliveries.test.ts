import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { deliveryId } from "../../../../shared/domain/delivery/deliveries.ts";
import { newUlid } from "../../../../shared/kernel/ids.ts";
import { DAY, iso } from "../../../../shared/kernel/time.ts";
import { type House, openHouse } from "../../../shared/flows/support/house.ts";
import { invalid, openWebhookDesk, type WebhookAnswer, type WebhookDesk } from "../support/webhook-desk.ts";

let house: House;
let desk: WebhookDesk;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());
beforeEach(async () => {
  desk = await openWebhookDesk(house);
});

describe("the summary", () => {
  it("lists failures of the last day, newest first, in rows without body, address or secret", async () => {
    const ids: string[] = [];
    for (const status of ["dlq", "failed", "delivered", "blocked", "retrying", "attempting"] as const) {
      house.turn(1_000);
      const row = await desk.delivery(desk.endpoint, status);
      if (status !== "delivered" && status !== "attempting") ids.unshift(deliveryId(row.eventUlid, desk.endpoint.id));
    }
    const { body } = await desk.ask("GET", desk.at("/deliveries/summary"));
    expect(body.data.truncated).toBe(false);
    expect(body.data.deliveries.map((row: { delivery_id: string }) => row.delivery_id)).toEqual(ids);
    const some = await desk.ask("GET", desk.at("/deliveries/summary?status=failed,blocked"));
    expect(some.body.data.deliveries.map((row: { status: string }) => row.status)).toEqual(["blocked", "failed"]);
    const since = house.now() - 2_000;
    for (const text of [String(since), iso(since)]) {
      const late = await desk.ask("GET", desk.at(`/deliveries/summary?since=${text}`));
      expect(late.body.data.deliveries.map((row: { status: string }) => row.status)).toEqual(["retrying", "blocked"]);
    }
    house.turn(DAY);
    expect((await desk.ask("GET", desk.at("/deliveries/summary"))).body.data.deliveries).toEqual([]);
  });

  it("looks at the newest thousand, and says so where there are more", async () => {
    for (let i = 0; i < 1_000; i++) {
      house.turn(1);
      const of = {
        endpointId: desk.endpoint.id,
        eventUlid: newUlid(house.now()),
        eventType: "test.event",
        source: null,
      } as const;
      const verdict = { status: i === 0 ? "failed" : "dlq" } as const;
      await desk.ports.deliveries.recordFirst(desk.tenant, of, verdict, null, house.now());
    }
    const summary = async (query = "") => (await desk.ask("GET", desk.at(`/deliveries/summary${query}`))).body.data;
    expect(await summary("?status=failed")).toMatchObject({ deliveries: [{ status: "failed" }], truncated: false });
    const whole = await summary();
    expect([whole.deliveries.length, whole.truncated]).toEqual([1_000, false]);
    house.turn(1);
    const newest = await desk.delivery(desk.endpoint, "blocked");
    const cut = await summary();
    expect([cut.deliveries.length, cut.truncated]).toEqual([1_000, true]);
    expect(cut.deliveries[0].delivery_id).toBe(deliveryId(newest.eventUlid, desk.endpoint.id));
    expect(cut.deliveries.some(({ status }: { status: string }) => status === "failed")).toBe(false);
    expect(await summary("?status=failed")).toEqual({ deliveries: [], truncated: true });
  });

  it.each(["since=yesterday", "since=", "status=delivered", "status=", "status=dlq,pending", "since=1&since=2"])(
    "asked for with %s is 400",
    async (query) => {
      expect(await desk.ask("GET", desk.at(`/deliveries/summary?${query}`))).toMatchObject(invalid);
    },
  );
});

describe("a replay", () => {
  it("answers that the delivery is pending; what stands in its way is 409 or 404", async () => {
    const dead = await desk.delivery(desk.endpoint, "dlq");
    const fine = await desk.delivery(desk.endpoint, "delivered");
    const path = (row: { eventUlid: string }, query = "") =>
      desk.at(`/deliveries/${deliveryId(row.eventUlid, desk.endpoint.id)}/replay${query}`);
    expect(await desk.post(path(dead))).toMatchObject({
      status: 200,
      body: { data: { delivery_id: deliveryId(dead.eventUlid, desk.endpoint.id), status: "pending" } },
    });
    const conflict = { status: 409, body: { error: { code: "replay_conflict" } } };
    for (const force of ["", "?force=false", "?force=1", "?force=TRUE", "?force="]) {
      expect(await desk.post(path(fine, force))).toMatchObject(conflict);
    }
    expect(await desk.post(path(dead, "?force=true"))).toMatchObject(conflict);
    expect((await desk.post(path(fine, "?force=true"))).status).toBe(200);
    const lost = await desk.delivery(desk.endpoint, "failed");
    await desk.ports.messages.remove(desk.tenant, lost.source ?? { conversationId: "", place: "" });
    expect(await desk.post(path(lost))).toMatchObject({ status: 409, body: { error: { code: "replay_expired" } } });
    expect(await desk.post(desk.at("/deliveries/x/replay"))).toMatchObject({
      status: 404,
      body: { error: { code: "delivery_not_found" } },
    });
  });
});

describe("a replay of a window", () => {
  const from = () => house.now() - 60_000;

  it("takes its window from the query or the body, and the query wins", async () => {
    await desk.delivery(desk.endpoint, "dlq");
    const path = desk.at("/deliveries/replay");
    expect((await desk.post(path, { from: from(), status: "blocked" })).body.data).toMatchObject({ matched: 0 });
    expect(
      (await desk.post(`${path}?from=${from()}&status=failed`, { from: 1, status: "dlq" })).body.data,
    ).toMatchObject({
      matched: 0,
    });
    expect(
      (await desk.post(`${path}?status=dlq`, { from: iso(from()), to: house.now(), status: "blocked" })).body.data,
    ).toEqual({
      matched: 1,
      enqueued: 1,
      skipped: 0,
      next_cursor: null,
    });
  });

  it("walks a window by its cursor, and its end stays that of the first call", async () => {
    const path = desk.at(`/deliveries/replay?from=${from()}&limit=2`);
    for (let i = 0; i < 5; i++) {
      house.turn(1);
      await desk.delivery(desk.endpoint, "dlq");
    }
    const counts: number[] = [];
    let cursor: string | null = "";
    let late: string | null = null;
    while (cursor !== null) {
      const { body }: WebhookAnswer = await desk.post(cursor === "" ? path : `${path}&cursor=${cursor}`);
      counts.push(body.data.enqueued);
      cursor = body.data.next_cursor;
      house.turn(10);
      late ??= (await desk.delivery(desk.endpoint, "dlq")).eventUlid;
    }
    expect(counts).toEqual([2, 2, 1]);
    expect(await desk.row(desk.endpoint, late ?? "")).toMatchObject({ status: "dlq" });
  });

  it.each([
    ["", undefined],
    ["?from=soon", undefined],
    ["?from=", undefined],
    ["?from=2&to=1", undefined],
    ["?from=1&status=pending", undefined],
    ["?from=1&status=", undefined],
    ["?from=1&limit=0", undefined],
    ["?from=1&cursor=x", undefined],
    ["", { from: null }],
    ["", { from: true }],
    ["", { from: 1, status: ["dlq"] }],
    ["", []],
  ])("asked for with %s and %j is 400", async (query, body) => {
    expect(await desk.post(desk.at(`/deliveries/replay${query}`), body)).toMatchObject(invalid);
  });

  it("refuses a cursor of another endpoint, of another window or of other statuses", async () => {
    for (let i = 0; i < 3; i++) await desk.delivery(desk.endpoint, "dlq");
    const start = from();
    const { next_cursor } = (await desk.post(desk.at(`/deliveries/replay?from=${start}&limit=1`))).body.data;
    const { endpoint: other } = await desk.endpointWith({ path: "/other" });
    for (const path of [
      `/v1/webhooks/${other.id}/deliveries/replay?from=${start}&cursor=${next_cursor}`,
      desk.at(`/deliveries/replay?from=${start - 1}&cursor=${next_cursor}`),
      desk.at(`/deliveries/replay?from=${start}&status=dlq&cursor=${next_cursor}`),
      desk.at(`/deliveries/replay?from=${start}&to=${house.now()}&cursor=${next_cursor}`),
      desk.at(`/deliveries?cursor=${next_cursor}`),
    ]) {
      expect(await (path.includes("replay") ? desk.post(path) : desk.ask("GET", path))).toMatchObject(invalid);
    }
    expect(
      (await desk.post(desk.at(`/deliveries/replay?from=${start}&limit=5&cursor=${next_cursor}`))).body.data,
    ).toMatchObject({
      matched: 2,
      next_cursor: null,
    });
  });

  it("takes delivered ones for true alone, in the query or the body", async () => {
    await desk.delivery(desk.endpoint, "delivered");
    const path = desk.at(`/deliveries/replay?from=${from()}&status=delivered`);
    const conflict = { status: 409, body: { error: { code: "replay_conflict" } } };
    expect(await desk.post(path)).toMatchObject(conflict);
    expect(await desk.post(`${path}&force=1`)).toMatchObject(conflict);
    expect(await desk.post(path, { force: 1 })).toMatchObject(conflict);
    expect(await desk.post(`${path}&force=false`, { force: true })).toMatchObject(conflict);
    expect((await desk.post(path, { force: true })).body.data).toMatchObject({ enqueued: 1 });
  });
});

it("a test answers the delivery's id, and the list shows it waiting", async () => {
  const { status, body } = await desk.post(desk.at("/test"));
  expect(status).toBe(200);
  expect((await desk.ask("GET", desk.at("/deliveries"))).body.data.deliveries).toMatchObject([
    { delivery_id: body.data.delivery_id, event_type: "test.event", status: "pending", attempt_number: 0 },
  ]);
});
