import { beforeEach, describe, expect, it } from "vitest";
import { isRefusal } from "#base/kernel/refusals.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { MINUTE, SECOND } from "#base/kernel/time.ts";
import { createGate } from "#base/net/egress-gate.ts";
import { removeMember } from "#features/access/flows/team/members.ts";
import type { Caller } from "#features/access/rules/callers.ts";
import { getLiveEndpoint } from "#features/delivery/live-endpoint.ts";
import { createWebhook, deleteWebhook, listWebhooks, updateWebhook } from "#features/webhooks/flows.ts";
import type { EndpointChanges } from "#features/webhooks/rules/endpoints.ts";
import { endpointStore } from "#features/webhooks/store/endpoints.ts";
import { injectFaults } from "../../../support/faults.ts";
import { faultPoints, strikeEachCall } from "../../../support/flows/fault-injection.ts";
import { openTestEnv } from "../../../support/flows/test-env.ts";
import { openedOnce } from "../../../support/opened.ts";
import { queryItems, scanItems } from "../../../support/stores/items.ts";
import { newTenant } from "../../../support/stores/samples.ts";
import { openTeamEnv } from "../../access/flows/team/support/team.ts";

let tenant: TenantId;
let caller: Caller;
const testEnv = openedOnce(openTestEnv);
const queues = openedOnce(() => testEnv.newQueues());
beforeEach(() => {
  mode = "public";
  lookedUpHosts.length = 0;
  tenant = newTenant();
  caller = { kind: "tenant_key", keyId: "key1", tenant, scope: "live" };
});

const lookedUpHosts: string[] = [];
const resolver = async (host: string) => {
  lookedUpHosts.push(host);
  return host === "inside.example" ? ["10.0.0.7"] : ["93.184.215.14"];
};
let mode: "public" | "open" = "public";
const ports = () => ({ ...testEnv.apiPorts(queues), gate: createGate({ mode, resolver }) });
const create = (url = "https://hooks.example/in") =>
  createWebhook(ports(), {
    tenant,
    url,
    events: ["message.received"],
    author: { caller, ip: "192.0.2.1" },
    now: testEnv.now(),
  });

async function createOrThrow(url?: string): Promise<{ id: string; secret: string }> {
  const result = await create(url);
  if (isRefusal(result)) throw new Error(result.refused);
  return { id: result.endpoint.id, secret: result.secret };
}

/** A URL that needs no DNS lookup. */
const ADDRESS = "http://127.0.0.1/in";
const createAtAddress = () => createOrThrow(ADDRESS);
const erase = (endpoint: { id: string } | undefined) =>
  deleteWebhook(ports(), { tenant, endpointId: endpoint?.id ?? "", author: { caller, ip: null }, now: testEnv.now() });

const auditItems = () => queryItems(testEnv.table, `A#${tenant}`);

it("a new endpoint returns its secret once; only the vault opens the stored secret", async () => {
  const { id, secret } = await createOrThrow();
  expect(secret).toMatch(/^whs_[A-Za-z0-9+/]{43}=$/);
  const Items = await scanItems(testEnv.table);
  const readable = JSON.stringify(Items, (_key, value: unknown) =>
    value instanceof Uint8Array ? Buffer.from(value).toString("latin1") : value,
  );
  expect(readable).toContain(secret.slice(0, 12));
  expect(readable).not.toContain(secret.slice(0, 13));
  expect(readable).not.toContain(secret.slice(-20));
  const stored = await endpointStore(testEnv.table).get(tenant, id);
  const sealed = stored?.sealedSecret ?? new Uint8Array();
  const to = { purpose: "webhook-secret", tenant, owner: id } as const;
  expect(await testEnv.newVault().open(sealed, to)).toBe(secret);
  for (const other of [
    { ...to, tenant: newTenant() },
    { ...to, owner: "another" },
    { ...to, purpose: "account-token" as const },
  ]) {
    await expect(testEnv.newVault().open(sealed, other)).rejects.toMatchObject({
      name: "InvalidCiphertextException",
    });
  }
});

it("a new endpoint is not created by a request in progress of an admin who was removed", async () => {
  const team = openTeamEnv(testEnv);
  tenant = await team.newTenant();
  const [owner, admin] = [await team.newMember(tenant, "owner"), await team.newMember(tenant, "admin")];
  ({ caller } = await team.author(admin));
  const { id } = await createOrThrow();
  await removeMember(team.ports, { tenant, userId: admin, author: await team.author(owner), now: testEnv.now() });
  expect(await create()).toEqual({ refused: "role_forbidden" });
  expect(await listWebhooks(ports(), tenant)).toMatchObject([{ id }]);
  expect(await team.audits(tenant, "webhook.create")).toHaveLength(1);
});

it.each([
  "http://hooks.example/in",
  "https://127.0.0.1/in",
  "https://inside.example/in",
  "https://user:pass@hooks.example/",
  "not a url",
])("a new endpoint at %s is refused with the gate's reason, and nothing is stored", async (url) => {
  const refused = await create(url);
  expect(refused).toMatchObject({ refused: "invalid_request", detail: expect.stringMatching(/\w/) });
  expect(JSON.stringify(refused)).not.toContain("10.0.0.7");
  expect(await listWebhooks(ports(), tenant)).toEqual([]);
  expect(await auditItems()).toEqual([]);
});

it("a twenty-first endpoint is refused; a deleted one frees its place", async () => {
  mode = "open";
  const all: { id: string }[] = [];
  for (let i = 0; i < 20; i++) all.push(await createAtAddress());
  expect(await create(ADDRESS)).toEqual({ refused: "endpoint_limit" });
  expect(await auditItems()).toHaveLength(20);
  expect(await erase(all[3])).toBeNull();
  expect(await erase(all[3])).toEqual({ refused: "endpoint_not_found" });
  expect(await listWebhooks(ports(), tenant)).toHaveLength(19);
  expect(await getLiveEndpoint(ports(), tenant, all[3]?.id ?? "")).toEqual({ refused: "endpoint_not_found" });
  await createAtAddress();
  expect(await create(ADDRESS)).toEqual({ refused: "endpoint_limit" });
});

it("a new endpoint is created once when ten requests compete for the last of twenty places", async () => {
  mode = "open";
  for (let i = 0; i < 19; i++) await createAtAddress();
  const answers = await Promise.all(Array.from({ length: 10 }, () => create(ADDRESS)));
  expect(answers.filter((answer) => !isRefusal(answer))).toHaveLength(1);
  expect(answers.filter(isRefusal)).toEqual(Array(9).fill({ refused: "endpoint_limit" }));
  expect(await listWebhooks(ports(), tenant)).toHaveLength(20);
});

it.each(faultPoints)(
  "a new endpoint is counted once, and so is its deletion, despite a fault (%s) at any call",
  async (faultPoint) => {
    mode = "open";
    await strikeEachCall(testEnv, faultPoint, async (strike) => {
      tenant = newTenant();
      await strike.during(async () => {
        const result = await create(ADDRESS).catch(() => null);
        if (result && !isRefusal(result)) await erase(result.endpoint).catch(() => null);
      });
      const live = (await listWebhooks(ports(), tenant)).length;
      for (let i = live; i < 20; i++) await createAtAddress();
      expect(await create(ADDRESS)).toEqual({ refused: "endpoint_limit" });
    });
  },
);

it("a new endpoint is stored with its audit row, both or neither, and once even when the response is lost", async () => {
  const removeCrash = injectFaults(testEnv.client, ({ command }) =>
    command === "TransactWriteItems" ? "crash" : "pass",
  );
  await expect(create()).rejects.toThrow("crashed");
  removeCrash();
  expect([await listWebhooks(ports(), tenant), await auditItems()]).toEqual([[], []]);
  let times = 0;
  const removeLoss = injectFaults(testEnv.client, ({ command }) =>
    command === "TransactWriteItems" && times++ === 0 ? "lost" : "pass",
  );
  const { id } = await createOrThrow();
  removeLoss();
  expect((await listWebhooks(ports(), tenant)).map((endpoint) => endpoint.id)).toEqual([id]);
  expect(await auditItems()).toMatchObject([
    { ac: "webhook.create", rs: `webhook:${id}`, by: "key:key1", ip: "192.0.2.1" },
  ]);
  expect(times).toBe(2);
});

it("a new endpoint is not found by another tenant, nor is an impossible ID", async () => {
  const { id } = await createOrThrow();
  expect(await getLiveEndpoint(ports(), tenant, id)).toMatchObject({ id });
  const notFound = { refused: "endpoint_not_found" };
  expect(await getLiveEndpoint(ports(), newTenant(), id)).toEqual(notFound);
  for (const junk of ["", "x", `${id}#`, "WH#"]) expect(await getLiveEndpoint(ports(), tenant, junk)).toEqual(notFound);
});

describe("lookups of host names", () => {
  const change = (id: string, url: string) => updateTo(id, { url });
  const updateTo = (endpointId: string, changes: EndpointChanges) =>
    updateWebhook(ports(), { tenant, endpointId, changes, author: { caller, ip: null }, now: testEnv.now() });
  beforeEach(() => {
    // Twenty seconds after the start of a minute.
    testEnv.advance(MINUTE - (testEnv.now() % MINUTE) + 20 * SECOND);
  });

  it("the host names of a tenant's endpoints are looked up at most ten times a minute, for new and updated endpoints together", async () => {
    const { id } = await createOrThrow();
    for (let i = 0; i < 8; i++) expect(isRefusal(await change(id, `https://n${i}.example/`))).toBe(false);
    expect(await change(id, "https://inside.example/")).toMatchObject({ refused: "invalid_request" });
    const refused = { refused: "dns_lookup_limit", retryAfter: 40 };
    expect(await change(id, "https://n9.example/")).toEqual(refused);
    expect(await create()).toEqual(refused);
    expect(lookedUpHosts).toHaveLength(10);
    expect(await getLiveEndpoint(ports(), tenant, id)).toMatchObject({ url: "https://n7.example/" });

    tenant = newTenant();
    await createOrThrow();
    expect(lookedUpHosts).toHaveLength(11);
  });

  it("host names are looked up again from the next minute on", async () => {
    const { id } = await createOrThrow();
    for (let i = 0; i < 10; i++) await change(id, `https://n${i}.example/`);
    testEnv.advance(40 * SECOND - 1);
    expect(await change(id, "https://n11.example/")).toEqual({ refused: "dns_lookup_limit", retryAfter: 1 });
    testEnv.advance(1);
    expect(isRefusal(await change(id, "https://n11.example/"))).toBe(false);
  });

  it("lookups of host names alone are counted: IP addresses, invalid URLs and unknown endpoints are free", async () => {
    mode = "open";
    const { id } = await createOrThrow(ADDRESS);
    for (let i = 0; i < 11; i++) {
      expect(isRefusal(await change(id, `https://127.0.0.${i + 1}/`))).toBe(false);
      expect(isRefusal(await change(id, `https://[::1]/${i}`))).toBe(false);
      expect(await change(id, "ftp://hooks.example/")).toMatchObject({ refused: "invalid_request" });
      expect(await create("https://user:pass@hooks.example/")).toMatchObject({ refused: "invalid_request" });
      expect(await change(tenant, "https://hooks.example/")).toEqual({ refused: "endpoint_not_found" });
      expect(isRefusal(await updateTo(id, { status: "active" }))).toBe(false);
    }
    expect(lookedUpHosts).toEqual([]);
    await createOrThrow();
  });
});
