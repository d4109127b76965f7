import { expect, it } from "vitest";
import { isRefusal } from "#base/kernel/refusals.ts";
import { DAY, HOUR, SECOND } from "#base/kernel/time.ts";
import { createGate } from "#base/net/egress-gate.ts";
import { encodeRetry } from "#features/delivery/queue.ts";
import { deleteWebhook, rotateSecret, updateWebhook } from "#features/webhooks/flows.ts";
import type { Endpoint, EndpointChanges } from "#features/webhooks/rules/endpoints.ts";
import { openEndpointFixture } from "../../../support/flows/endpoint-fixture.ts";
import { invokeWithRecord } from "../../../support/flows/queue-worker.ts";
import { openTestEnv } from "../../../support/flows/test-env.ts";
import { openedEach, openedOnce } from "../../../support/opened.ts";
import { scanItems } from "../../../support/stores/items.ts";
import { newTenant, siblingId } from "../../../support/stores/samples.ts";

const testEnv = openedOnce(openTestEnv);
const fixture = openedEach(() => openEndpointFixture(testEnv));

const notFound = { refused: "endpoint_not_found" };

it("updating an endpoint changes the given fields, and the audit row names them but never the URL", async () => {
  const { endpoint } = await fixture.endpointWith();
  testEnv.advance(5);
  const url = `http://127.0.0.1:${fixture.receiver.port}/other?secret=1`;
  const changed = await fixture.update(endpoint, {
    url,
    events: ["message.sent", "message.sent"],
    status: "paused",
  });
  const writtenFields = { breakerOp: expect.any(String), updatedAt: testEnv.now() };
  expect(changed).toEqual({
    ...endpoint,
    url,
    events: ["message.sent"],
    status: "paused",
    pausedBy: "key:key1",
    ...writtenFields,
  });
  const [audit] = await fixture.audits("webhook.update");
  expect(audit).toMatchObject({
    rs: `webhook:${endpoint.id}`,
    by: "key:key1",
    ip: "192.0.2.1",
    dt: { fields: "events,status,url", status: "paused" },
  });
  expect(JSON.stringify(audit)).not.toContain("127.0.0.1");
});

it("updating an endpoint to its current values writes nothing and audits nothing", async () => {
  const { endpoint } = await fixture.endpointWith({ events: ["message.sent", "message.received"] });
  testEnv.advance(5);
  const same = { url: endpoint.url, events: ["message.received", "message.sent"], status: "active" } as const;
  expect(await fixture.update(endpoint, {})).toEqual(endpoint);
  expect(await fixture.update(endpoint, same)).toEqual(endpoint);
  expect(await fixture.audits("webhook.update")).toEqual([]);
});

it("updating an endpoint to a URL that the gate refuses changes nothing and returns the reason", async () => {
  const { endpoint } = await fixture.endpointWith();
  const ports = { ...fixture.ports, gate: createGate({ mode: "public", resolver: async () => ["10.0.0.7"] }) };
  const changes = { url: "https://inside.example/in", status: "paused" } as const;
  const refused = await updateWebhook(ports, {
    tenant: fixture.tenant,
    endpointId: endpoint.id,
    changes,
    author: fixture.by,
    now: testEnv.now(),
  });
  expect(refused).toMatchObject({ refused: "invalid_request", detail: expect.stringMatching(/\w/) });
  expect(await fixture.stored(endpoint)).toEqual(endpoint);
});

it("a deleted endpoint is a tombstone without a secret, and no read finds it", async () => {
  const { endpoint, secret } = await fixture.endpointWith();
  const rotated = await fixture.rotate(endpoint);
  const row = await fixture.createDelivery(endpoint, "dlq");
  expect(await fixture.remove(endpoint)).toBeNull();
  const Items = await scanItems(testEnv.table);
  const item = Items.find(({ SK }) => SK === `WH#${endpoint.id}`);
  expect(item).toMatchObject({ st: "deleted", u: endpoint.url });
  for (const name of ["s1", "s2", "s2x"]) expect(item).not.toHaveProperty(name);
  expect(JSON.stringify(item)).not.toContain(secret.slice(4, 12));
  expect(isRefusal(rotated)).toBe(false);
  expect((await fixture.rows(endpoint)).map(({ eventUlid }) => eventUlid)).toEqual([row.eventUlid]);
  for (const again of [
    await fixture.remove(endpoint),
    await fixture.update(endpoint, { status: "active" }),
    await fixture.rotate(endpoint),
  ]) {
    expect(again).toEqual(notFound);
  }
  expect(await fixture.audits("webhook.delete")).toMatchObject([{ rs: `webhook:${endpoint.id}`, dt: {} }]);
});

it("another tenant's endpoint, an unknown one and an impossible one are equally not found", async () => {
  const { endpoint } = await fixture.endpointWith();
  for (const id of [endpoint.id, siblingId(endpoint.id), "x", "", `${endpoint.id}#`]) {
    const request = { tenant: newTenant(), endpointId: id, author: fixture.by, now: testEnv.now() };
    const answers = [
      await deleteWebhook(fixture.ports, request),
      await updateWebhook(fixture.ports, { ...request, changes: { status: "paused" } }),
      await rotateSecret(fixture.ports, request),
    ];
    expect(answers).toEqual([notFound, notFound, notFound]);
  }
  expect(await fixture.stored(endpoint)).toEqual(endpoint);
});

it("a rotated secret signs together with the previous one for 24 hours to the millisecond, then alone", async () => {
  const { endpoint, secret: first } = await fixture.endpointWith();
  const rotated = await fixture.rotate(endpoint);
  if (isRefusal(rotated)) throw new Error(rotated.refused);
  expect(rotated.secret).toMatch(/^whs_/);
  expect(rotated.endpoint.secondary?.expiresAt).toBe(testEnv.now() + DAY);
  expect(await fixture.audits("webhook.rotate")).toMatchObject([{ rs: `webhook:${endpoint.id}`, dt: {} }]);
  const signatures = async () => {
    await fixture.createDelivery(endpoint, "retrying");
    const [row] = await fixture.rows(endpoint);
    const { worker } = fixture;
    const body = encodeRetry({
      tenant: fixture.tenant,
      endpointId: endpoint.id,
      eventUlid: row?.eventUlid ?? "",
      attempt: 2,
    });
    await invokeWithRecord(worker, body);
    return String(fixture.receiver.requests.at(-1)?.headers["svc-signature"]).split(",");
  };
  testEnv.advance(DAY - 1);
  expect(await signatures()).toHaveLength(2);
  testEnv.advance(1);
  expect(await signatures()).toHaveLength(1);
  expect(first).not.toBe(rotated.secret);
});

it("a rotated secret replaces the previous secret when it is rotated again, and every stored secret is sealed", async () => {
  const { endpoint } = await fixture.endpointWith();
  const second = await fixture.rotate(endpoint);
  testEnv.advance(HOUR);
  const third = await fixture.rotate(endpoint);
  if (isRefusal(second) || isRefusal(third)) throw new Error("refused");
  const current = await fixture.stored(endpoint);
  const to = { purpose: "webhook-secret", tenant: fixture.tenant, owner: endpoint.id } as const;
  const open = (sealed: Uint8Array | null | undefined) => testEnv.newVault().open(sealed ?? new Uint8Array(), to);
  expect(await open(current?.sealedSecret)).toBe(third.secret);
  expect(await open(current?.secondary?.sealedSecret)).toBe(second.secret);
  expect(current?.secondary?.expiresAt).toBe(testEnv.now() + DAY);
});

// docs/guides/webhooks.md: a new endpoint and each change of one apply within a second.

/** An endpoint of before, and a worker that has sent an event with it. */
async function openFirst(): Promise<Endpoint> {
  const { endpoint } = await fixture.endpointWith({ path: "/first" });
  await deliverMessage();
  return endpoint;
}

/** Delivers one message. @returns the ULID of its event */
async function deliverMessage(): Promise<string> {
  const { eventUlid } = await fixture.publish();
  await fixture.drainQueues();
  return eventUlid;
}

async function updateFirst(first: Endpoint, changes: EndpointChanges): Promise<void> {
  await fixture.update(first, changes);
  testEnv.advance(SECOND);
}

it("a second after the response, a worker that has sent the tenant's events before sends events to a new endpoint", async () => {
  await openFirst();
  const { endpoint } = await fixture.endpointWith({ path: "/second" });
  testEnv.advance(SECOND);
  const eventUlid = await deliverMessage();
  expect(await fixture.row(endpoint, eventUlid)).toMatchObject({ status: "delivered" });
});

it("a second after the response, a worker that has sent the tenant's events before sends events to the new URL", async () => {
  const first = await openFirst();
  fixture.respondWith(410, "/first");
  await updateFirst(first, { url: first.url.replace("/first", "/new") });
  expect(await fixture.row(first, await deliverMessage())).toMatchObject({ status: "delivered" });
});

it("a second after the response, a worker that has sent the tenant's events before sends no event of a type that the endpoint no longer subscribes to", async () => {
  const first = await openFirst();
  await updateFirst(first, { events: ["message.sent"] });
  expect(await fixture.row(first, await deliverMessage())).toBeNull();
});

it("a second after the response, a worker that has sent the tenant's events before stores the events of a paused endpoint as blocked", async () => {
  const first = await openFirst();
  await updateFirst(first, { status: "paused" });
  expect(await fixture.row(first, await deliverMessage())).toMatchObject({ status: "blocked" });
});
