import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { deliveryId } from "../../../../shared/domain/delivery/deliveries.ts";
import { createOperatorKey } from "../../../../shared/flows/access/set-up-tenant.ts";
import { DAY, iso } from "../../../../shared/kernel/time.ts";
import { type House, openHouse } from "../../../shared/flows/support/house.ts";
import { beside, newTenant } from "../../../shared/stores/support/samples.ts";
import { invalid, openWebhookDesk, type WebhookDesk } from "../support/webhook-desk.ts";

let house: House;
let desk: WebhookDesk;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());
beforeEach(async () => {
  desk = await openWebhookDesk(house);
});

describe("PATCH", () => {
  it("answers the endpoint as it is now, without a secret", async () => {
    const changed = await desk.ask("PATCH", desk.at(), {
      events: ["message.sent", "test.event", "message.sent"],
      status: "paused",
    });
    expect(changed).toMatchObject({
      status: 200,
      body: { data: { endpoint: { id: desk.endpoint.id, events: ["message.sent", "test.event"], status: "paused" } } },
    });
    expect((await desk.ask("GET", desk.at())).text).toBe(changed.text);
    expect((await desk.ask("PATCH", desk.at(), { status: "active" })).body.data.endpoint.status).toBe("active");
  });

  it("of nothing changes nothing", async () => {
    const before = await desk.ask("GET", desk.at());
    expect(await desk.ask("PATCH", desk.at(), {})).toEqual(before);
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
    const refused = await desk.ask("PATCH", desk.at(), body);
    expect(refused).toMatchObject(invalid);
    expect(refused.body.error.detail).not.toBe("");
    expect(await desk.ports.endpoints.get(desk.tenant, desk.endpoint.id)).toEqual(desk.endpoint);
  });
});

it("rotate answers the new secret once, and that the one before still signs", async () => {
  const { status, body } = await desk.post(desk.at("/rotate"));
  expect(status).toBe(200);
  expect(body.data.signing_secret).toMatch(/^whs_/);
  expect(body.data.endpoint).toMatchObject({
    signing_secret_prefix: body.data.signing_secret.slice(0, 12),
    secondary_active: true,
    secondary_expires_at: iso(house.now() + DAY),
  });
  expect((await desk.ask("GET", desk.at())).text).not.toContain(body.data.signing_secret.slice(0, 13));
  house.turn(DAY);
  expect((await desk.ask("GET", desk.at())).body.data.endpoint).toMatchObject({
    secondary_active: false,
    secondary_expires_at: null,
  });
});

it("DELETE says so once; then there is nothing but the history", async () => {
  const row = await desk.delivery(desk.endpoint, "dlq");
  expect(await desk.ask("DELETE", desk.at())).toMatchObject({
    status: 200,
    body: { ok: true, data: { deleted: true } },
  });
  expect((await desk.ask("DELETE", desk.at())).status).toBe(404);
  expect((await desk.ask("GET", "/v1/webhooks")).body.data.endpoints).toEqual([]);
  expect((await desk.ask("GET", desk.at("/deliveries"))).body.data.deliveries).toMatchObject([
    { delivery_id: deliveryId(row.eventUlid, desk.endpoint.id), status: "dlq" },
  ]);
});

it("a tenant's eleventh host name in a minute is 429 with the seconds until the next", async () => {
  house.turn(60_000 - (house.now() % 60_000) + 15_000);
  const urls = Array.from({ length: 11 }, (_, i) => `http://localhost/${i}`);
  const answers: number[] = [];
  for (const url of urls.slice(0, 10)) answers.push((await desk.ask("PATCH", desk.at(), { url })).status);
  expect(answers).toEqual(Array(10).fill(200));
  for (const [method, path] of [
    ["PATCH", desk.at()],
    ["POST", "/v1/webhooks"],
  ] as const) {
    const response = await desk.app.request(path, {
      method,
      headers: { authorization: `Bearer ${desk.key}` },
      body: JSON.stringify({ url: urls[10] }),
    });
    expect([response.status, response.headers.get("retry-after")]).toEqual([429, "45"]);
    expect(await response.json()).toMatchObject({ ok: false, error: { code: "rate_limited" } });
  }
  expect((await desk.ask("PATCH", desk.at(), { url: "no url" })).status).toBe(400);
  expect((await desk.ask("PATCH", desk.at(), { url: "http://127.0.0.1/in" })).status).toBe(200);
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
      const row = await desk.delivery(desk.endpoint, "dlq");
      const path = (id: string) =>
        `/v1/webhooks/${encodeURIComponent(id)}${rest.replace("DELIVERY", deliveryId(row.eventUlid, desk.endpoint.id))}`;
      const stranger = await desk.keyOf(newTenant());
      const { endpoint: deleted } = await desk.endpointWith({ path: "/deleted" });
      await desk.ask("DELETE", `/v1/webhooks/${deleted.id}`);
      const answers = [
        await desk.ask(method, path(desk.endpoint.id), body, stranger),
        await desk.ask(method, path(deleted.id), body),
        await desk.ask(method, path(beside(desk.endpoint.id)), body),
        await desk.ask(method, path(desk.endpoint.id.toLowerCase()), body),
        await desk.ask(method, path("x#y"), body),
      ];
      expect(answers[0]).toMatchObject({ status: 404, body: { error: { code: "endpoint_not_found" } } });
      expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
      expect(await desk.ports.endpoints.get(desk.tenant, desk.endpoint.id)).toEqual(desk.endpoint);
      expect(await desk.row(desk.endpoint, row.eventUlid)).toEqual(row);
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
  for (const with_ of [desk.key, secret]) {
    const { status, body } = await desk.ask("GET", "/v1/event-types", undefined, with_);
    expect(status).toBe(200);
    expect(body.data.event_types).toHaveLength(14);
  }
  expect((await desk.ask("GET", "/v1/event-types", undefined, "none")).status).toBe(401);
});
