import { beforeEach, expect, it } from "vitest";
import type { TenantId } from "#base/kernel/tenant.ts";
import { DAY, iso } from "#base/kernel/time.ts";
import { createTenant } from "#features/tenants/flows/tenants.ts";
import { tenantStore } from "#features/tenants/store/tenants.ts";
import { openTestEnv } from "../../../support/flows/test-env.ts";
import { openedOnce } from "../../../support/opened.ts";
import { openApiApp } from "../../../support/routes/api-app.ts";
import { openStores } from "../../../support/stores/open-stores.ts";
import { newTenant } from "../../../support/stores/samples.ts";
import { linkTestAccount } from "../../accounts/flows/support/link-test-account.ts";

let tenant: TenantId;
let key: string;
const testEnv = openedOnce(openTestEnv);
const api = openedOnce(() => openApiApp(testEnv));
beforeEach(async () => {
  tenant = newTenant();
  key = await api.newKey(tenant);
});

interface AuditRow {
  readonly id: string;
  readonly action: string;
  readonly actor: string;
  readonly ip: string | null;
  readonly resource: string;
}
const readAudit = async (query = "", apiKey = key) => (await api.request(apiKey, `/v1/audit${query}`)).body.data;
async function hook(): Promise<string> {
  testEnv.advance(1);
  const response = await api.request(key, "/v1/webhooks", { url: "http://127.0.0.1:1/in" }, "198.51.100.9");
  return response.body.data.endpoint.id;
}

it("GET /v1/audit lists every action with its actor, address and time, newest first", async () => {
  const otherTenant = newTenant();
  await createTenant(
    { tenants: tenantStore(testEnv.table), addressKeys: testEnv.addressKeys },
    otherTenant,
    { author: { actor: "cli" }, name: "N", ownerEmail: null },
    testEnv.now(),
  );
  testEnv.advance(1);
  const otherKey = await api.newKey(otherTenant);
  testEnv.advance(1);
  const operator = await api.newOperatorKey([otherTenant, tenant]);
  testEnv.advance(1);
  const account = { platform: "instagram", externalId: "1", connection: "instagram_login" } as const;
  const accountNames = { handle: "h", displayName: "D", pageId: null };
  const session = { token: "secret-token", author: { actor: "console:usr_1", ip: "192.0.2.1" } };
  await linkTestAccount(
    { ...openStores(testEnv.table), vault: api.ports.vault },
    { ...session, tenant: otherTenant, account: { ...account, ...accountNames }, now: testEnv.now() },
  );
  testEnv.advance(1);
  const response = await api.request(operator, `/v1/webhooks?tenant=${otherTenant}`, {
    url: "http://127.0.0.1:1/in?secret",
  });
  const keyId = expect.stringMatching(/^key:[0-9A-Z]{26}$/);
  const trail = await readAudit("", otherKey);
  expect(trail).toEqual({
    audit: [
      [
        "webhook.create",
        `webhook:${response.body.data.endpoint.id}`,
        expect.stringMatching(/^operator:/),
        "203.0.113.7",
      ],
      ["account.connect", "account:instagram#1", "console:usr_1", "192.0.2.1"],
      ["operator_key.create", keyId, "cli", null],
      ["key.create", keyId, "cli", null],
      ["tenant.create", `tenant:${otherTenant}`, "cli", null],
    ].map(([action, resource, actor, ip], i) => ({
      id: expect.stringMatching(/^aud_[0-9A-Z]{26}$/),
      action,
      resource,
      actor,
      ip,
      at: iso(testEnv.now() - i),
      detail: expect.any(Object),
    })),
    next_cursor: null,
  });
  expect(JSON.stringify(trail)).not.toContain("secret");
});

it("GET /v1/audit pages through each row once and refuses a cursor of another tenant or route", async () => {
  for (let i = 0; i < 6; i++) await hook();
  const visited: AuditRow[] = [];
  let cursor = "";
  do {
    const page = await readAudit(`?limit=3${cursor}`);
    visited.push(...page.audit);
    cursor = page.next_cursor === null ? "" : `&cursor=${page.next_cursor}`;
  } while (cursor !== "");
  const earlier = ["key.create", "tenant.create"];
  expect(visited.map(({ action }) => action)).toEqual([...Array(6).fill("webhook.create"), ...earlier]);
  expect(new Set(visited.map(({ id }) => id)).size).toBe(8);
  expect(visited[0]).toMatchObject({ ip: "198.51.100.9", actor: expect.stringMatching(/^key:/) });

  const { next_cursor } = await readAudit("?limit=1");
  const stranger = await api.newKey(newTenant());
  for (const [apiKey, path] of [
    [stranger, `/v1/audit?cursor=${next_cursor}`],
    [key, `/v1/messages?cursor=${next_cursor}`],
    [key, `/v1/audit?cursor=${next_cursor}x`],
  ] as const) {
    expect(await api.request(apiKey, path)).toMatchObject({
      status: 400,
      body: { error: { code: "invalid_request" } },
    });
  }
});

it("GET /v1/audit filters by action, actor and time, alone and together", async () => {
  const startedAt = testEnv.now();
  for (let i = 0; i < 3; i++) await hook();
  const all: AuditRow[] = (await readAudit()).audit;
  const actions = async (query: string) => (await readAudit(query)).audit.map(({ action }: AuditRow) => action);
  const creations = all.filter(({ action }) => action === "webhook.create");
  expect(creations).toHaveLength(3);
  expect((await readAudit("?action=webhook.create")).audit).toEqual(creations);
  expect(await actions("?action=tenant.create,key.create")).toEqual(["key.create", "tenant.create"]);
  const actor = encodeURIComponent(creations[0]?.actor ?? "");
  expect((await readAudit(`?actor=${actor}`)).audit).toEqual(creations);
  expect(await actions(`?actor=${actor}&action=key.create`)).toEqual([]);
  expect(await actions("?actor=key:unknown")).toEqual([]);
  const ids = (await readAudit(`?from=${startedAt + 1}&to=${startedAt + 2}`)).audit.map(({ id }: AuditRow) => id);
  expect(ids).toEqual(creations.slice(1).map(({ id }) => id));
  expect(await actions(`?to=${iso(startedAt)}`)).toEqual(["key.create", "tenant.create"]);
});

it("GET /v1/audit pages through what a filter selects, and a cursor counts for its filter alone", async () => {
  for (let i = 0; i < 4; i++) await hook();
  const first = await readAudit("?action=webhook.create&limit=3");
  expect(first.audit).toHaveLength(3);
  const second = await readAudit(`?action=webhook.create&limit=3&cursor=${first.next_cursor}`);
  expect(second).toMatchObject({ audit: [{ action: "webhook.create" }], next_cursor: null });
  for (const query of ["", "?action=key.create", "?action=webhook.create&actor=cli"]) {
    const joined = `${query}${query === "" ? "?" : "&"}cursor=${first.next_cursor}`;
    expect((await api.request(key, `/v1/audit${joined}`)).status, query).toBe(400);
  }
});

it.each([
  "action=webhook",
  "action=",
  "actor=",
  `actor=${"a".repeat(201)}`,
  "from=yesterday",
  "from=2026-11-29&to=2026-11-28",
])("GET /v1/audit refuses the filter %s", async (query) => {
  expect(await api.request(key, `/v1/audit?${query}`)).toMatchObject({
    status: 400,
    body: { error: { code: "invalid_request" } },
  });
});

it("GET /v1/audit shows only the tenant's own rows, to live and test keys alike", async () => {
  await hook();
  const other = newTenant();
  const theirs = await api.newKey(other);
  expect((await readAudit("", theirs)).audit.map(({ action }: AuditRow) => action)).toEqual([
    "key.create",
    "tenant.create",
  ]);
  const test = await api.newKey(tenant, "test");
  expect(await readAudit("", test)).toEqual(await readAudit());
  expect((await api.request(theirs, `/v1/audit?tenant=${tenant}`)).status).toBe(403);
});

it("GET /v1/audit stores a row for 400 days", async () => {
  await hook();
  const startedAt = testEnv.now();
  testEnv.advance(400 * DAY - 1);
  expect((await readAudit()).audit).toMatchObject([{ at: iso(startedAt), action: "webhook.create" }]);
  testEnv.advance(1);
  expect((await readAudit()).audit).toEqual([]);
});
