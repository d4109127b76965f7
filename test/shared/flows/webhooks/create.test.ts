import { QueryCommand, ScanCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Caller } from "../../../../shared/domain/api-keys.ts";
import { createWebhook } from "../../../../shared/flows/webhooks/create.ts";
import { listWebhooks, readWebhook } from "../../../../shared/flows/webhooks/read.ts";
import { isRefusal } from "../../../../shared/kernel/refusals.ts";
import type { TenantId } from "../../../../shared/kernel/tenant.ts";
import { createGate } from "../../../../shared/net/egress-gate.ts";
import { endpointStore } from "../../../../shared/table/endpoints.ts";
import { injectFaults } from "../../../support/faults.ts";
import { newTenant } from "../../table/support/samples.ts";
import { type House, type Lane, openHouse } from "../support/house.ts";

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
  tenant = newTenant();
  caller = { kind: "tenant_key", keyId: "key1", tenant, scope: "live" };
});

const resolver = async (host: string) => (host === "inside.example" ? ["10.0.0.7"] : ["93.184.215.14"]);
const ports = () => ({ ...house.apiPorts(lane), gate: createGate({ mode: "public", resolver }) });
const create = (url = "https://hooks.example/in") =>
  createWebhook(ports(), tenant, { url, events: ["message.received"], caller, ip: "192.0.2.1" }, house.now());

async function created(): Promise<{ id: string; secret: string }> {
  const made = await create();
  if (isRefusal(made)) throw new Error(made.refused);
  return { id: made.endpoint.id, secret: made.secret };
}

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
    const all: { id: string }[] = [];
    for (let i = 0; i < 20; i++) all.push(await created());
    expect(await create()).toEqual({ refused: "endpoint_limit" });
    await house.table.client.send(
      new UpdateCommand({
        TableName: house.table.name,
        Key: { PK: `T#${tenant}`, SK: `WH#${all[3]?.id}` },
        UpdateExpression: "SET st = :st",
        ExpressionAttributeValues: { ":st": "deleted" },
      }),
    );
    expect(await listWebhooks(ports(), tenant)).toHaveLength(19);
    expect(await readWebhook(ports(), tenant, all[3]?.id ?? "")).toEqual({ refused: "endpoint_not_found" });
    await created();
    expect(await create()).toEqual({ refused: "endpoint_limit" });
  });

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
