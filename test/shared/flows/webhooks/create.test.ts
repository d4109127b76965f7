import { QueryCommand, ScanCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Caller } from "../../../../shared/domain/access/api-keys.ts";
import { createWebhook } from "../../../../shared/flows/webhooks/create.ts";
import { listWebhooks, readWebhook } from "../../../../shared/flows/webhooks/get.ts";
import { changeWebhook, deleteWebhook } from "../../../../shared/flows/webhooks/update.ts";
import { isRefusal } from "../../../../shared/kernel/refusals.ts";
import type { TenantId } from "../../../../shared/kernel/tenant.ts";
import { MINUTE, SECOND } from "../../../../shared/kernel/time.ts";
import { createGate } from "../../../../shared/net/egress-gate.ts";
import { endpointStore } from "../../../../shared/stores/webhooks/endpoints.ts";
import { injectFaults } from "../../../support/faults.ts";
import { newTenant } from "../../stores/support/samples.ts";
import { type House, type Lane, openHouse } from "../support/house.ts";
import { strikeAt, strikes } from "../support/strikes.ts";

let house: House;
let lane: Lane;
let tenant: TenantId;
let caller: Caller;
beforeAll(async () => {
  house = await openHouse();
  lane = await house.newLane();
});
afterAll(() => house.close());
beforeEach(() => {
  mode = "public";
  lookedUp.length = 0;
  tenant = newTenant();
  caller = { kind: "tenant_key", keyId: "key1", tenant, scope: "live" };
});

const lookedUp: string[] = [];
const resolver = async (host: string) => {
  lookedUp.push(host);
  return host === "inside.example" ? ["10.0.0.7"] : ["93.184.215.14"];
};
let mode: "public" | "open" = "public";
const ports = () => ({ ...house.apiPorts(lane), gate: createGate({ mode, resolver }) });
const create = (url = "https://hooks.example/in") =>
  createWebhook(ports(), tenant, { url, events: ["message.received"], caller, ip: "192.0.2.1" }, house.now());

async function created(url?: string): Promise<{ id: string; secret: string }> {
  const made = await create(url);
  if (isRefusal(made)) throw new Error(made.refused);
  return { id: made.endpoint.id, secret: made.secret };
}

/** Nothing is looked up for it. */
const ADDRESS = "http://127.0.0.1/in";
const createdAtAddress = () => created(ADDRESS);
const erase = (endpoint: { id: string } | undefined) =>
  deleteWebhook(ports(), tenant, endpoint?.id ?? "", { caller, ip: null }, house.now());

async function audits(): Promise<Record<string, unknown>[]> {
  const { Items = [] } = await house.table.client.send(
    new QueryCommand({
      TableName: house.table.name,
      KeyConditionExpression: "PK = :a",
      ExpressionAttributeValues: { ":a": `A#${tenant}` },
    }),
  );
  return Items;
}

describe("a new endpoint", () => {
  it("has a secret that is answered once, and that nothing gives back: only the vault opens what is kept", async () => {
    const { id, secret } = await created();
    expect(secret).toMatch(/^whs_[A-Za-z0-9+/]{43}=$/);
    const { Items = [] } = await house.table.client.send(new ScanCommand({ TableName: house.table.name }));
    const readable = JSON.stringify(Items, (_key, value: unknown) =>
      value instanceof Uint8Array ? Buffer.from(value).toString("latin1") : value,
    );
    expect(readable).toContain(secret.slice(0, 12));
    expect(readable).not.toContain(secret.slice(0, 13));
    expect(readable).not.toContain(secret.slice(-20));
    const kept = await endpointStore(house.table).get(tenant, id);
    const sealed = kept?.sealedSecret ?? new Uint8Array();
    const to = { purpose: "webhook-secret", tenant, owner: id } as const;
    expect(await house.newVault().open(sealed, to)).toBe(secret);
    for (const other of [
      { ...to, tenant: newTenant() },
      { ...to, owner: "another" },
      { ...to, purpose: "account-token" as const },
    ]) {
      await expect(house.newVault().open(sealed, other)).rejects.toMatchObject({
        name: "InvalidCiphertextException",
      });
    }
  });

  it.each([
    "http://hooks.example/in",
    "https://127.0.0.1/in",
    "https://inside.example/in",
    "https://user:pass@hooks.example/",
    "not a url",
  ])("at %s is refused with the gate's reason, and leaves nothing", async (url) => {
    const refused = await create(url);
    expect(refused).toMatchObject({ refused: "invalid_request", detail: expect.stringMatching(/\w/) });
    expect(JSON.stringify(refused)).not.toContain("10.0.0.7");
    expect(await listWebhooks(ports(), tenant)).toEqual([]);
    expect(await audits()).toEqual([]);
  });

  it("is the twentieth at most; a deleted one makes room", async () => {
    mode = "open";
    const all: { id: string }[] = [];
    for (let i = 0; i < 20; i++) all.push(await createdAtAddress());
    expect(await create(ADDRESS)).toEqual({ refused: "endpoint_limit" });
    expect(await audits()).toHaveLength(20);
    expect(await erase(all[3])).toBeNull();
    expect(await erase(all[3])).toEqual({ refused: "endpoint_not_found" });
    expect(await listWebhooks(ports(), tenant)).toHaveLength(19);
    expect(await readWebhook(ports(), tenant, all[3]?.id ?? "")).toEqual({ refused: "endpoint_not_found" });
    await createdAtAddress();
    expect(await create(ADDRESS)).toEqual({ refused: "endpoint_limit" });
  });

  it("is one of twenty at most when ten are asked for at once beside nineteen", async () => {
    mode = "open";
    for (let i = 0; i < 19; i++) await createdAtAddress();
    const answers = await Promise.all(Array.from({ length: 10 }, () => create(ADDRESS)));
    expect(answers.filter((answer) => !isRefusal(answer))).toHaveLength(1);
    expect(answers.filter(isRefusal)).toEqual(Array(9).fill({ refused: "endpoint_limit" }));
    expect(await listWebhooks(ports(), tenant)).toHaveLength(20);
  });

  it.each(strikes)(
    "is counted once, and its deletion, by a process that is struck (%s) at any call",
    async (strike) => {
      mode = "open";
      for (let k = 0, reached = true; reached; k++) {
        tenant = newTenant();
        const struck = strikeAt(house.clients, strike, k);
        const made = await create(ADDRESS).catch(() => null);
        if (made && !isRefusal(made)) await erase(made.endpoint).catch(() => null);
        struck.end();
        reached = struck.reached();
        const live = (await listWebhooks(ports(), tenant)).length;
        for (let i = live; i < 20; i++) await createdAtAddress();
        expect(await create(ADDRESS)).toEqual({ refused: "endpoint_limit" });
      }
    },
  );

  it("comes with its audit row, both or neither, once even when the answer is lost", async () => {
    const crashed = injectFaults(house.client, ({ command }) => (command === "TransactWriteItems" ? "crash" : "pass"));
    await expect(create()).rejects.toThrow("crashed");
    crashed();
    expect([await listWebhooks(ports(), tenant), await audits()]).toEqual([[], []]);
    let times = 0;
    const lost = injectFaults(house.client, ({ command }) =>
      command === "TransactWriteItems" && times++ === 0 ? "lost" : "pass",
    );
    const { id } = await created();
    lost();
    expect((await listWebhooks(ports(), tenant)).map((endpoint) => endpoint.id)).toEqual([id]);
    expect(await audits()).toMatchObject([
      { ac: "webhook.create", rs: `webhook:${id}`, by: "key:key1", ip: "192.0.2.1" },
    ]);
    expect(times).toBe(2);
  });

  it("is not another tenant's to read, nor is an id that none can have", async () => {
    const { id } = await created();
    expect(await readWebhook(ports(), tenant, id)).toMatchObject({ id });
    const notFound = { refused: "endpoint_not_found" };
    expect(await readWebhook(ports(), newTenant(), id)).toEqual(notFound);
    for (const junk of ["", "x", `${id}#`, "WH#"]) expect(await readWebhook(ports(), tenant, junk)).toEqual(notFound);
  });
});

describe("host names of one tenant's endpoints", () => {
  const change = (id: string, url: string) =>
    changeWebhook(ports(), tenant, id, { url }, { caller, ip: null }, house.now());
  beforeEach(() => {
    // Twenty seconds into a minute.
    house.turn(MINUTE - (house.now() % MINUTE) + 20 * SECOND);
  });

  it("are looked up ten times a minute at most, whether an endpoint is made or changed", async () => {
    const { id } = await created();
    for (let i = 0; i < 8; i++) expect(isRefusal(await change(id, `https://n${i}.example/`))).toBe(false);
    expect(await change(id, "https://inside.example/")).toMatchObject({ refused: "invalid_request" });
    const refused = { refused: "too_many_look_ups", retryAfter: 40 };
    expect(await change(id, "https://n9.example/")).toEqual(refused);
    expect(await create()).toEqual(refused);
    expect(lookedUp).toHaveLength(10);
    expect(await readWebhook(ports(), tenant, id)).toMatchObject({ url: "https://n7.example/" });

    tenant = newTenant();
    await created();
    expect(lookedUp).toHaveLength(11);
  });

  it("are looked up again from the next minute on", async () => {
    const { id } = await created();
    for (let i = 0; i < 10; i++) await change(id, `https://n${i}.example/`);
    house.turn(40 * SECOND - 1);
    expect(await change(id, "https://n11.example/")).toEqual({ refused: "too_many_look_ups", retryAfter: 1 });
    house.turn(1);
    expect(isRefusal(await change(id, "https://n11.example/"))).toBe(false);
  });

  it("are counted alone: an address, a URL that is refused as it stands, and an endpoint that there is not, are free", async () => {
    mode = "open";
    const { id } = await created(ADDRESS);
    for (let i = 0; i < 11; i++) {
      expect(isRefusal(await change(id, `https://127.0.0.${i + 1}/`))).toBe(false);
      expect(isRefusal(await change(id, `https://[::1]/${i}`))).toBe(false);
      expect(await change(id, "ftp://hooks.example/")).toMatchObject({ refused: "invalid_request" });
      expect(await create("https://user:pass@hooks.example/")).toMatchObject({ refused: "invalid_request" });
      expect(await change(tenant, "https://hooks.example/")).toEqual({ refused: "endpoint_not_found" });
      expect(isRefusal(await changeWebhook(ports(), tenant, id, { status: "active" }, { caller, ip: null }, 0))).toBe(
        false,
      );
    }
    expect(lookedUp).toEqual([]);
    await created();
  });
});
