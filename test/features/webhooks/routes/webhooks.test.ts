import { expect, it } from "vitest";
import { eventTypes } from "#base/events/events.ts";
import { DAY, iso, MINUTE } from "#base/kernel/time.ts";
import { createOperatorKey } from "#features/access/flows/keys.ts";
import { type Breaker, CLOSED, onBatch } from "#features/delivery/rules/breaker.ts";
import { deliveryId } from "#features/delivery/rules/deliveries.ts";
import { NO_ANSWERS } from "#features/stats/rules.ts";
import type { Counters } from "#features/stats/store.ts";
import { openTestEnv } from "../../../support/flows/test-env.ts";
import { openedEach, openedOnce } from "../../../support/opened.ts";
import { invalidRequest, openWebhookApiFixture } from "../../../support/routes/webhook-api-fixture.ts";
import { newTenant, siblingId } from "../../../support/stores/samples.ts";

const testEnv = openedOnce(openTestEnv);
const fixture = openedEach(() => openWebhookApiFixture(testEnv));

it("a PATCH of an endpoint returns the updated endpoint without a secret", async () => {
  const changed = await fixture.ask("PATCH", fixture.endpointPath(), {
    events: ["message.sent", "test.event", "message.sent"],
    status: "paused",
  });
  expect(changed).toMatchObject({
    status: 200,
    body: {
      data: { endpoint: { id: fixture.endpoint.id, events: ["message.sent", "test.event"], status: "paused" } },
    },
  });
  expect((await fixture.ask("GET", fixture.endpointPath())).text).toBe(changed.text);
  expect((await fixture.ask("PATCH", fixture.endpointPath(), { status: "active" })).body.data.endpoint.status).toBe(
    "active",
  );
});

it("an endpoint shows its circuit, since when it fails and who paused it, in the list and alone", async () => {
  const shown = async () => {
    const { endpoint } = (await fixture.ask("GET", fixture.endpointPath())).body.data;
    expect((await fixture.ask("GET", "/v1/webhooks")).body.data.endpoints).toEqual([endpoint]);
    return { circuit: endpoint.circuit, failing_since: endpoint.failing_since, paused_by: endpoint.paused_by };
  };
  const healthy = {
    circuit: { state: "closed", opened_at: null, next_probe_at: null },
    failing_since: null,
    paused_by: null,
  };
  expect(await shown()).toEqual(healthy);
  const openedAt = testEnv.now();
  const breaker = {
    ...CLOSED,
    failures: 10,
    openedAt,
    openUntil: openedAt + MINUTE,
    wait: MINUTE,
    failingSince: openedAt,
  };
  await fixture.ports.endpoints.saveBreaker(fixture.tenant, fixture.endpoint, breaker, openedAt);
  const times = { opened_at: iso(openedAt), next_probe_at: iso(openedAt + MINUTE) };
  const failing = { ...healthy, failing_since: iso(openedAt) };
  expect(await shown()).toEqual({ ...failing, circuit: { state: "open", ...times } });
  testEnv.advance(MINUTE);
  expect(await shown()).toEqual({ ...failing, circuit: { state: "probing", ...times } });
  await fixture.ask("PATCH", fixture.endpointPath(), { status: "paused" });
  const paused = await shown();
  expect(paused).toMatchObject({ failing_since: null, paused_by: expect.stringMatching(/^key:/) });
  const [audit] = (await fixture.ask("GET", "/v1/audit")).body.data.audit;
  expect(audit).toMatchObject({ action: "webhook.update", actor: paused.paused_by });
});

it("an endpoint's health names the state that counts most, with its times, its newest failure and the deliveries of a day", async () => {
  const health = async () => (await fixture.ask("GET", fixture.endpointPath())).body.data.endpoint.health;
  const ok = {
    state: "ok",
    since: null,
    failing_since: null,
    next_try_at: null,
    last_error: null,
    delivered_24h: 0,
    failed_24h: 0,
  };
  expect(await health()).toEqual(ok);
  const now = testEnv.now();
  const ended = { delivered: 3, failed: 2, dlq: 1 };
  const counts = { received: 0, sent: 0, answers: NO_ANSWERS, endpoints: new Map([[fixture.endpoint.id, ended]]) };
  await (fixture.ports.counters as Counters).add(fixture.tenant, counts, now);
  const counted = { ...ok, delivered_24h: 3, failed_24h: 3 };
  expect(await health()).toEqual(counted);

  let endpoint = fixture.endpoint;
  const save = async (breaker: Breaker) => {
    await fixture.ports.endpoints.saveBreaker(fixture.tenant, endpoint, breaker, now);
    endpoint = (await fixture.ports.endpoints.get(fixture.tenant, endpoint.id)) ?? endpoint;
  };
  const slow = { ...CLOSED, slowUntil: now + MINUTE };
  await save(slow);
  expect(await health()).toEqual({ ...counted, state: "slow" });
  const failed = onBatch(slow, { succeeded: false, failed: 1, lastError: "tls", slowFor: 0 }, now) ?? CLOSED;
  await save(failed);
  const failing = { ...counted, state: "failing", since: iso(now), failing_since: iso(now), last_error: "tls" };
  expect(await health()).toEqual(failing);
  await save(onBatch(failed, { succeeded: false, failed: 9, lastError: "status", slowFor: 0 }, now) ?? CLOSED);
  const open = { ...failing, state: "circuit_open", next_try_at: iso(now + MINUTE), last_error: "status" };
  expect(await health()).toEqual(open);
  expect((await fixture.ask("GET", "/v1/webhooks")).body.data.endpoints[0].health).toEqual(open);
  const paused = (await fixture.ask("PATCH", fixture.endpointPath(), { status: "paused" })).body.data.endpoint;
  expect(paused.health).toEqual({ ...counted, state: "paused", since: paused.updated_at });
});

it("a PATCH of an endpoint without fields changes nothing", async () => {
  const before = await fixture.ask("GET", fixture.endpointPath());
  expect(await fixture.ask("PATCH", fixture.endpointPath(), {})).toEqual(before);
  expect(await fixture.audits("webhook.update")).toEqual([]);
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
])("a PATCH of an endpoint with %j is 400 with a word for it", async (body) => {
  const refused = await fixture.ask("PATCH", fixture.endpointPath(), body);
  expect(refused).toMatchObject(invalidRequest);
  expect(refused.body.error.detail).not.toBe("");
  expect(await fixture.ports.endpoints.get(fixture.tenant, fixture.endpoint.id)).toEqual(fixture.endpoint);
});

it("a rotation returns the new secret once, and the previous one is still active", async () => {
  const { status, body } = await fixture.post(fixture.endpointPath("/rotate"));
  expect(status).toBe(200);
  expect(body.data.signing_secret).toMatch(/^whs_/);
  expect(body.data.endpoint).toMatchObject({
    signing_secret_prefix: body.data.signing_secret.slice(0, 12),
    secondary_active: true,
    secondary_expires_at: iso(testEnv.now() + DAY),
  });
  expect((await fixture.ask("GET", fixture.endpointPath())).text).not.toContain(body.data.signing_secret.slice(0, 13));
  testEnv.advance(DAY);
  expect((await fixture.ask("GET", fixture.endpointPath())).body.data.endpoint).toMatchObject({
    secondary_active: false,
    secondary_expires_at: null,
  });
});

it("a deletion succeeds once; afterwards only the delivery history remains", async () => {
  const row = await fixture.createDelivery(fixture.endpoint, "dlq");
  expect(await fixture.ask("DELETE", fixture.endpointPath())).toMatchObject({
    status: 200,
    body: { ok: true, data: { deleted: true } },
  });
  expect((await fixture.ask("DELETE", fixture.endpointPath())).status).toBe(404);
  expect((await fixture.ask("GET", "/v1/webhooks")).body.data.endpoints).toEqual([]);
  expect((await fixture.ask("GET", fixture.endpointPath("/deliveries"))).body.data.deliveries).toMatchObject([
    { delivery_id: deliveryId(row.eventUlid, fixture.endpoint.id), status: "dlq" },
  ]);
});

it("the eleventh host name of a tenant in a minute is 429 with the seconds until the next minute", async () => {
  testEnv.advance(60_000 - (testEnv.now() % 60_000) + 15_000);
  const urls = Array.from({ length: 11 }, (_, i) => `http://localhost/${i}`);
  const responses: number[] = [];
  for (const url of urls.slice(0, 10))
    responses.push((await fixture.ask("PATCH", fixture.endpointPath(), { url })).status);
  expect(responses).toEqual(Array(10).fill(200));
  for (const [method, path] of [
    ["PATCH", fixture.endpointPath()],
    ["POST", "/v1/webhooks"],
  ] as const) {
    const response = await fixture.app.request(path, {
      method,
      headers: { authorization: `Bearer ${fixture.key}` },
      body: JSON.stringify({ url: urls[10] }),
    });
    expect([response.status, response.headers.get("retry-after")]).toEqual([429, "45"]);
    expect(await response.json()).toMatchObject({ ok: false, error: { code: "rate_limited" } });
  }
  expect((await fixture.ask("PATCH", fixture.endpointPath(), { url: "no url" })).status).toBe(400);
  expect((await fixture.ask("PATCH", fixture.endpointPath(), { url: "http://127.0.0.1/in" })).status).toBe(200);
});

const routes = [
  ["GET", "", undefined],
  ["PATCH", "", { status: "paused" }],
  ["PATCH", "", { url: "http://10.0.0.1/" }],
  ["DELETE", "", undefined],
  ["POST", "/rotate", undefined],
  ["POST", "/test", undefined],
  ["GET", "/deliveries/summary", undefined],
  ["POST", "/deliveries/replay?from=0", undefined],
  ["POST", "/deliveries/replay?from=0&status=delivered", undefined],
  ["POST", "/deliveries/DELIVERY/replay", undefined],
] as const;

it.each(routes)(
  "the answer of %s …%s is the same bytes for foreign, deleted, unknown and malformed ids",
  async (method, rest, body) => {
    const row = await fixture.createDelivery(fixture.endpoint, "dlq");
    const path = (id: string) =>
      `/v1/webhooks/${encodeURIComponent(id)}${rest.replace("DELIVERY", deliveryId(row.eventUlid, fixture.endpoint.id))}`;
    const stranger = await fixture.keyOf(newTenant());
    const { endpoint: deleted } = await fixture.endpointWith({ path: "/deleted" });
    await fixture.ask("DELETE", `/v1/webhooks/${deleted.id}`);
    const responses = [
      await fixture.ask(method, path(fixture.endpoint.id), body, stranger),
      await fixture.ask(method, path(deleted.id), body),
      await fixture.ask(method, path(siblingId(fixture.endpoint.id)), body),
      await fixture.ask(method, path(fixture.endpoint.id.toLowerCase()), body),
      await fixture.ask(method, path("x#y"), body),
    ];
    expect(responses[0]).toMatchObject({ status: 404, body: { error: { code: "endpoint_not_found" } } });
    expect(new Set(responses.map(({ text }) => text)).size).toBe(1);
    expect(await fixture.ports.endpoints.get(fixture.tenant, fixture.endpoint.id)).toEqual(fixture.endpoint);
    expect(await fixture.row(fixture.endpoint, row.eventUlid)).toEqual(row);
  },
);

it("any key may list the event types, also an operator key without a tenant", async () => {
  const { secret } = await createOperatorKey(
    fixture.ports,
    [fixture.tenant, newTenant()],
    { scope: "live", label: "", author: { actor: "cli" } },
    testEnv.now(),
  );
  for (const apiKey of [fixture.key, secret]) {
    const { status, body } = await fixture.ask("GET", "/v1/event-types", undefined, apiKey);
    expect(status).toBe(200);
    expect(body.data.event_types).toHaveLength(eventTypes.length);
  }
  expect((await fixture.ask("GET", "/v1/event-types", undefined, "none")).status).toBe(401);
});
