import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type App, createApp } from "../../../functions/http/app.ts";
import { apiRoutes } from "../../../functions/routes/index.ts";
import { deliveryId } from "../../../shared/domain/deliveries.ts";
import type { Endpoint } from "../../../shared/domain/endpoints.ts";
import { authenticate, keepPace } from "../../../shared/flows/authenticate.ts";
import { createKey, createOperatorKey } from "../../../shared/flows/set-up-tenant.ts";
import { newUlid } from "../../../shared/kernel/ids.ts";
import type { TenantId } from "../../../shared/kernel/tenant.ts";
import { DAY, iso } from "../../../shared/kernel/time.ts";
import { type Desk, openDesk } from "../../shared/flows/support/desk.ts";
import { type House, openHouse } from "../../shared/flows/support/house.ts";
import { beside, newTenant } from "../../shared/table/support/samples.ts";

let house: House;
let desk: Desk;
let app: App;
let key: string;
let endpoint: Endpoint;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());
beforeEach(async () => {
  desk = await openDesk(house);
  const { ports } = desk;
  app = createApp({
    endpoints: apiRoutes,
    ports,
    authenticate: (authorization) => authenticate(ports, authorization),
    rateLimit: (caller, now) => keepPace(ports, caller, now),
    now: house.now,
    log: (line) => house.lines.push(line),
    checkData: true,
  });
  key = await keyOf(desk.tenant);
  ({ endpoint } = await desk.endpointWith());
});

const keyOf = async (of: TenantId) =>
  (await createKey(desk.ports, of, { scope: "live", label: "", actor: "cli" }, house.now())).secret;

interface Answer {
  readonly status: number;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: the app has compared the answer with its declared shape
  readonly body: any;
}

async function ask(method: string, path: string, body?: unknown, with_ = key): Promise<Answer> {
  const response = await app.request(path, {
    method,
    headers: { authorization: `Bearer ${with_}` },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, text, body: JSON.parse(text) };
}
const post = (path: string, body?: unknown, with_ = key) => ask("POST", path, body, with_);
const at = (rest = "") => `/v1/webhooks/${endpoint.id}${rest}`;
const invalid = { status: 400, body: { ok: false, error: { code: "invalid_request" } } };

describe("PATCH", () => {
  it("answers the endpoint as it is now, without a secret", async () => {
    const changed = await ask("PATCH", at(), {
      events: ["message.sent", "test.event", "message.sent"],
      status: "paused",
    });
    expect(changed).toMatchObject({
      status: 200,
      body: { data: { endpoint: { id: endpoint.id, events: ["message.sent", "test.event"], status: "paused" } } },
    });
    expect((await ask("GET", at())).text).toBe(changed.text);
    expect((await ask("PATCH", at(), { status: "active" })).body.data.endpoint.status).toBe("active");
  });

  it("of nothing changes nothing", async () => {
    const before = await ask("GET", at());
    expect(await ask("PATCH", at(), {})).toEqual(before);
    expect(await desk.audits("webhook.update")).toEqual([]);
  });

  it.each([
    { status: "deleted" },
    { status: null },
    { events: [] },
    { events: ["message.unknown"] },
    { events: "message.sent" },
    { url: 1 },
    { url: "ftp://127.0.0.1/" },
    { url: "http://10.0.0.1/in" },
    [],
    undefined,
  ])("of %j is 400 with a word for it", async (body) => {
    const refused = await ask("PATCH", at(), body);
    expect(refused).toMatchObject(invalid);
    expect(refused.body.error.detail).not.toBe("");
    expect(await desk.ports.endpoints.get(desk.tenant, endpoint.id)).toEqual(endpoint);
  });
});

it("rotate answers the new secret once, and that the one before still signs", async () => {
  const { status, body } = await post(at("/rotate"));
  expect(status).toBe(200);
  expect(body.data.signing_secret).toMatch(/^whs_/);
  expect(body.data.endpoint).toMatchObject({
    signing_secret_prefix: body.data.signing_secret.slice(0, 12),
    secondary_active: true,
    secondary_expires_at: iso(house.now() + DAY),
  });
  expect((await ask("GET", at())).text).not.toContain(body.data.signing_secret.slice(0, 13));
  house.turn(DAY);
  expect((await ask("GET", at())).body.data.endpoint).toMatchObject({
    secondary_active: false,
    secondary_expires_at: null,
  });
});

it("DELETE says so once; then there is nothing but the history", async () => {
  const row = await desk.delivery(endpoint, "dlq");
  expect(await ask("DELETE", at())).toMatchObject({ status: 200, body: { ok: true, data: { deleted: true } } });
  expect((await ask("DELETE", at())).status).toBe(404);
  expect((await ask("GET", "/v1/webhooks")).body.data.endpoints).toEqual([]);
  expect((await ask("GET", at("/deliveries"))).body.data.deliveries).toMatchObject([
    { delivery_id: deliveryId(row.eventUlid, endpoint.id), status: "dlq" },
  ]);
});

describe("the summary", () => {
  it("lists failures of the last day, newest first, in rows without body, address or secret", async () => {
    const ids: string[] = [];
    for (const status of ["dlq", "failed", "delivered", "blocked", "retrying", "attempting"] as const) {
      house.turn(1_000);
      const row = await desk.delivery(endpoint, status);
      if (status !== "delivered" && status !== "attempting") ids.unshift(deliveryId(row.eventUlid, endpoint.id));
    }
    const { body } = await ask("GET", at("/deliveries/summary"));
    expect(body.data.truncated).toBe(false);
    expect(body.data.deliveries.map((row: { delivery_id: string }) => row.delivery_id)).toEqual(ids);
    const some = await ask("GET", at("/deliveries/summary?status=failed,blocked"));
    expect(some.body.data.deliveries.map((row: { status: string }) => row.status)).toEqual(["blocked", "failed"]);
    const since = house.now() - 2_000;
    for (const text of [String(since), iso(since)]) {
      const late = await ask("GET", at(`/deliveries/summary?since=${text}`));
      expect(late.body.data.deliveries.map((row: { status: string }) => row.status)).toEqual(["retrying", "blocked"]);
    }
    house.turn(DAY);
    expect((await ask("GET", at("/deliveries/summary"))).body.data.deliveries).toEqual([]);
  });

  it("looks at the newest thousand, and says so where there are more", async () => {
    for (let i = 0; i < 1_000; i++) {
      house.turn(1);
      const of = {
        endpointId: endpoint.id,
        eventUlid: newUlid(house.now()),
        eventType: "test.event",
        source: null,
      } as const;
      const verdict = { status: i === 0 ? "failed" : "dlq" } as const;
      await desk.ports.deliveries.recordFirst(desk.tenant, of, verdict, null, house.now());
    }
    const summary = async (query = "") => (await ask("GET", at(`/deliveries/summary${query}`))).body.data;
    expect(await summary("?status=failed")).toMatchObject({ deliveries: [{ status: "failed" }], truncated: false });
    const whole = await summary();
    expect([whole.deliveries.length, whole.truncated]).toEqual([1_000, false]);
    house.turn(1);
    const newest = await desk.delivery(endpoint, "blocked");
    const cut = await summary();
    expect([cut.deliveries.length, cut.truncated]).toEqual([1_000, true]);
    expect(cut.deliveries[0].delivery_id).toBe(deliveryId(newest.eventUlid, endpoint.id));
    expect(cut.deliveries.some(({ status }: { status: string }) => status === "failed")).toBe(false);
    expect(await summary("?status=failed")).toEqual({ deliveries: [], truncated: true });
  });

  it.each(["since=yesterday", "since=", "status=delivered", "status=", "status=dlq,pending", "since=1&since=2"])(
    "asked for with %s is 400",
    async (query) => {
      expect(await ask("GET", at(`/deliveries/summary?${query}`))).toMatchObject(invalid);
    },
  );
});

describe("a replay", () => {
  it("answers that the delivery is pending; what stands in its way is 409 or 404", async () => {
    const dead = await desk.delivery(endpoint, "dlq");
    const fine = await desk.delivery(endpoint, "delivered");
    const path = (row: { eventUlid: string }, query = "") =>
      at(`/deliveries/${deliveryId(row.eventUlid, endpoint.id)}/replay${query}`);
    expect(await post(path(dead))).toMatchObject({
      status: 200,
      body: { data: { delivery_id: deliveryId(dead.eventUlid, endpoint.id), status: "pending" } },
    });
    const conflict = { status: 409, body: { error: { code: "replay_conflict" } } };
    for (const force of ["", "?force=false", "?force=1", "?force=TRUE", "?force="]) {
      expect(await post(path(fine, force))).toMatchObject(conflict);
    }
    expect(await post(path(dead, "?force=true"))).toMatchObject(conflict);
    expect((await post(path(fine, "?force=true"))).status).toBe(200);
    const lost = await desk.delivery(endpoint, "failed");
    await desk.ports.messages.remove(desk.tenant, lost.source ?? { conversationId: "", place: "" });
    expect(await post(path(lost))).toMatchObject({ status: 409, body: { error: { code: "replay_expired" } } });
    expect(await post(at("/deliveries/x/replay"))).toMatchObject({
      status: 404,
      body: { error: { code: "delivery_not_found" } },
    });
  });
});

describe("a replay of a window", () => {
  const from = () => house.now() - 60_000;

  it("takes its window from the query or the body, and the query wins", async () => {
    await desk.delivery(endpoint, "dlq");
    const path = at("/deliveries/replay");
    expect((await post(path, { from: from(), status: "blocked" })).body.data).toMatchObject({ matched: 0 });
    expect((await post(`${path}?from=${from()}&status=failed`, { from: 1, status: "dlq" })).body.data).toMatchObject({
      matched: 0,
    });
    expect(
      (await post(`${path}?status=dlq`, { from: iso(from()), to: house.now(), status: "blocked" })).body.data,
    ).toEqual({
      matched: 1,
      enqueued: 1,
      skipped: 0,
      next_cursor: null,
    });
  });

  it("walks a window by its cursor, and its end stays that of the first call", async () => {
    const path = at(`/deliveries/replay?from=${from()}&limit=2`);
    for (let i = 0; i < 5; i++) {
      house.turn(1);
      await desk.delivery(endpoint, "dlq");
    }
    const counts: number[] = [];
    let cursor: string | null = "";
    let late: string | null = null;
    while (cursor !== null) {
      const { body }: Answer = await post(cursor === "" ? path : `${path}&cursor=${cursor}`);
      counts.push(body.data.enqueued);
      cursor = body.data.next_cursor;
      house.turn(10);
      late ??= (await desk.delivery(endpoint, "dlq")).eventUlid;
    }
    expect(counts).toEqual([2, 2, 1]);
    expect(await desk.row(endpoint, late ?? "")).toMatchObject({ status: "dlq" });
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
    expect(await post(at(`/deliveries/replay${query}`), body)).toMatchObject(invalid);
  });

  it("refuses a cursor of another endpoint, of another window or of other statuses", async () => {
    for (let i = 0; i < 3; i++) await desk.delivery(endpoint, "dlq");
    const start = from();
    const { next_cursor } = (await post(at(`/deliveries/replay?from=${start}&limit=1`))).body.data;
    const { endpoint: other } = await desk.endpointWith({ path: "/other" });
    for (const path of [
      `/v1/webhooks/${other.id}/deliveries/replay?from=${start}&cursor=${next_cursor}`,
      at(`/deliveries/replay?from=${start - 1}&cursor=${next_cursor}`),
      at(`/deliveries/replay?from=${start}&status=dlq&cursor=${next_cursor}`),
      at(`/deliveries/replay?from=${start}&to=${house.now()}&cursor=${next_cursor}`),
      at(`/deliveries?cursor=${next_cursor}`),
    ]) {
      expect(await (path.includes("replay") ? post(path) : ask("GET", path))).toMatchObject(invalid);
    }
    expect((await post(at(`/deliveries/replay?from=${start}&limit=5&cursor=${next_cursor}`))).body.data).toMatchObject({
      matched: 2,
      next_cursor: null,
    });
  });

  it("takes delivered ones for true alone, in the query or the body", async () => {
    await desk.delivery(endpoint, "delivered");
    const path = at(`/deliveries/replay?from=${from()}&status=delivered`);
    const conflict = { status: 409, body: { error: { code: "replay_conflict" } } };
    expect(await post(path)).toMatchObject(conflict);
    expect(await post(`${path}&force=1`)).toMatchObject(conflict);
    expect(await post(path, { force: 1 })).toMatchObject(conflict);
    expect(await post(`${path}&force=false`, { force: true })).toMatchObject(conflict);
    expect((await post(path, { force: true })).body.data).toMatchObject({ enqueued: 1 });
  });
});

it("a test answers the delivery's id, and the list shows it waiting", async () => {
  const { status, body } = await post(at("/test"));
  expect(status).toBe(200);
  expect((await ask("GET", at("/deliveries"))).body.data.deliveries).toMatchObject([
    { delivery_id: body.data.delivery_id, event_type: "test.event", status: "pending", attempt_number: 0 },
  ]);
});

it("a tenant's eleventh host name in a minute is 429 with the seconds until the next", async () => {
  house.turn(60_000 - (house.now() % 60_000) + 15_000);
  const urls = Array.from({ length: 11 }, (_, i) => `http://localhost/${i}`);
  const answers: number[] = [];
  for (const url of urls.slice(0, 10)) answers.push((await ask("PATCH", at(), { url })).status);
  expect(answers).toEqual(Array(10).fill(200));
  for (const [method, path] of [
    ["PATCH", at()],
    ["POST", "/v1/webhooks"],
  ] as const) {
    const response = await app.request(path, {
      method,
      headers: { authorization: `Bearer ${key}` },
      body: JSON.stringify({ url: urls[10] }),
    });
    expect([response.status, response.headers.get("retry-after")]).toEqual([429, "45"]);
    expect(await response.json()).toMatchObject({ ok: false, error: { code: "rate_limited" } });
  }
  expect((await ask("PATCH", at(), { url: "no url" })).status).toBe(400);
  expect((await ask("PATCH", at(), { url: "http://127.0.0.1/in" })).status).toBe(200);
});

describe("every route of one endpoint", () => {
  const routes = [
    ["GET", "", undefined],
    ["PATCH", "", { status: "paused" }],
    ["PATCH", "", { url: "http://10.0.0.1/" }],
    ["DELETE", "", undefined],
    ["POST", "/rotate", undefined],
    ["POST", "/test", undefined],
    ["GET", "/deliveries/summary", undefined],
    ["POST", "/deliveries/replay?from=1", undefined],
    ["POST", "/deliveries/replay?from=1&status=delivered", undefined],
    ["POST", "/deliveries/DELIVERY/replay", undefined],
  ] as const;

  it.each(routes)(
    "%s …%s: another tenant's, a deleted, an unknown and an impossible id get the same bytes",
    async (method, rest, body) => {
      const row = await desk.delivery(endpoint, "dlq");
      const path = (id: string) =>
        `/v1/webhooks/${encodeURIComponent(id)}${rest.replace("DELIVERY", deliveryId(row.eventUlid, endpoint.id))}`;
      const stranger = await keyOf(newTenant());
      const { endpoint: deleted } = await desk.endpointWith({ path: "/deleted" });
      await ask("DELETE", `/v1/webhooks/${deleted.id}`);
      const answers = [
        await ask(method, path(endpoint.id), body, stranger),
        await ask(method, path(deleted.id), body),
        await ask(method, path(beside(endpoint.id)), body),
        await ask(method, path(endpoint.id.toLowerCase()), body),
        await ask(method, path("x#y"), body),
      ];
      expect(answers[0]).toMatchObject({ status: 404, body: { error: { code: "endpoint_not_found" } } });
      expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
      expect(await desk.ports.endpoints.get(desk.tenant, endpoint.id)).toEqual(endpoint);
      expect(await desk.row(endpoint, row.eventUlid)).toEqual(row);
    },
  );
});

it("the event types are for any key, an operator's too, which names no tenant", async () => {
  const { secret } = await createOperatorKey(
    desk.ports,
    [desk.tenant, newTenant()],
    { scope: "live", label: "", actor: "cli" },
    house.now(),
  );
  for (const with_ of [key, secret]) {
    const { status, body } = await ask("GET", "/v1/event-types", undefined, with_);
    expect(status).toBe(200);
    expect(body.data.event_types).toHaveLength(14);
  }
  expect((await ask("GET", "/v1/event-types", undefined, "none")).status).toBe(401);
});
