import { beforeAll, expect, it } from "vitest";
import type { TenantId } from "#base/kernel/tenant.ts";
import { MINUTE } from "#base/kernel/time.ts";
import { auditStore } from "#features/access/store/audit.ts";
import { holdStore } from "#features/holds/store/holds.ts";
import { conversationId } from "#features/inbox/rules/messages.ts";
import { setTenantStatus } from "#features/tenants/flows/tenant-status.ts";
import { createTenant } from "#features/tenants/flows/tenants.ts";
import { tenantStore } from "#features/tenants/store/tenants.ts";
import { apiRoutes } from "../../../../functions/api/routes.ts";
import { openTestEnv } from "../../../support/flows/test-env.ts";
import { openedOnce } from "../../../support/opened.ts";
import { openApiApp } from "../../../support/routes/api-app.ts";
import { holdAuditEntry, LAST_MESSAGE_AT, recordInbound, sampleHold } from "../../../support/stores/hold-samples.ts";
import { newTenant, PERSON } from "../../../support/stores/samples.ts";
import { openCutOff } from "../../realtime/flows/support/no-stream.ts";

let tenant: TenantId;
let other: TenantId;
let keys: { live: string; test: string; operator: string };
const testEnv = openedOnce(openTestEnv);
const api = openedOnce(() => openApiApp(testEnv));
beforeAll(async () => {
  [tenant, other] = [newTenant(), newTenant()];
  const settings = { name: "Shop", ownerEmail: null, author: { actor: "cli" } };
  for (const slug of [tenant, other]) {
    const ports = { tenants: tenantStore(testEnv.table), addressKeys: testEnv.addressKeys };
    await createTenant(ports, slug, settings, testEnv.now());
  }
  keys = {
    live: await api.newKey(tenant),
    test: await api.newKey(tenant, "test"),
    operator: await api.newOperatorKey([tenant, other]),
  };
  await setStatus("suspended");
});

const setStatus = (status: "active" | "suspended") =>
  setTenantStatus(openCutOff(testEnv.table), tenant, { status, author: { actor: "cli" } }, testEnv.now());
const refused = { status: 403, body: { ok: false, error: { code: "forbidden", detail: "" } } };
const message = expect.stringContaining("This tenant is suspended");

it.each(apiRoutes.filter(({ auth }) => auth !== "none").map(({ method, path }) => [method, path]))(
  "%s %s with a key of a suspended tenant is 403",
  async (method, path) => {
    const filled = path.replace(/\{\w+\}/g, "some-id");
    for (const key of [keys.live, keys.test]) {
      const headers = { authorization: `Bearer ${key}` };
      const response = await api.app.fetch(new Request(`http://gateway${filled}`, { method, headers }));
      const body = (await response.json()) as { error: { message: string } };
      expect({ status: response.status, body }).toMatchObject(refused);
      expect(body.error.message).toEqual(message);
    }
  },
);

it("an operator key is refused for its suspended tenant and no other", async () => {
  const suspended = await api.request(keys.operator, `/v1/conversations?tenant=${tenant}`);
  expect(suspended).toMatchObject(refused);
  expect(suspended.body.error.message).toEqual(message);
  expect(await api.request(keys.operator, `/v1/conversations?tenant=${other}`)).toMatchObject({ status: 200 });
});

it("an operator key is refused where the conversation or the hold names the tenant", async () => {
  const conversationIdFor = (slug: TenantId) =>
    conversationId({ tenant: slug, account: { platform: "instagram", externalId: "1" }, participantId: PERSON });
  const sends = [
    ["/v1/messages/reply", { text: "hi" }],
    ["/v1/messages/human-agent", { text: "hi", actor_id: "ann" }],
  ] as const;
  for (const [path, body] of sends) {
    const send = (slug: TenantId) =>
      api.request(keys.operator, path, { conversation_id: conversationIdFor(slug), ...body });
    expect(await send(tenant), path).toMatchObject(refused);
    expect(await send(other), path).toMatchObject({ status: 404 });
  }
  const hold = sampleHold(tenant, { createdAt: testEnv.now(), expiresAt: testEnv.now() + MINUTE });
  await recordInbound(testEnv.table, tenant);
  await holdStore(testEnv.table).create(hold, LAST_MESSAGE_AT, holdAuditEntry(hold));
  expect(await api.request(keys.operator, `/v1/messages/holds/${hold.id}`)).toMatchObject(refused);
});

it("a resumed tenant's keys work again, and its audit log says what happened", async () => {
  await setStatus("active");
  for (const key of Object.values(keys)) {
    expect(await api.request(key, `/v1/conversations?tenant=${tenant}`)).toMatchObject({ status: 200 });
  }
  const { rows } = await auditStore(testEnv.table).list(tenant, { before: null, limit: 10, now: testEnv.now() });
  const changes = rows.filter(({ action }) => action === "tenant.update");
  expect(changes.map(({ detail }) => detail.status).sort()).toEqual(["active", "suspended"]);
});
