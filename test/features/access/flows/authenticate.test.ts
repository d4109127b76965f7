import { QueryCommand, ScanCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { expect, it } from "vitest";
import { apiKeyHash, authenticate } from "#features/access/authenticate.ts";
import { createOperatorKey } from "#features/access/flows/keys.ts";
import { startTestTable } from "../../../support/dynamodb.ts";
import { injectFaults, withFaults } from "../../../support/faults.ts";
import { openTestEnv } from "../../../support/flows/test-env.ts";
import { attachMeter } from "../../../support/meter.ts";
import { openedOnce } from "../../../support/opened.ts";
import { newTenant } from "../../../support/stores/samples.ts";
import { oneKeyRing } from "../../../support/world/key-rings.ts";
import { createKey } from "./support/api-keys.ts";

const testEnv = openedOnce(() => openTestEnv({ startTable: startTestTable }));
const queues = openedOnce(() => testEnv.newQueues());
const meter = openedOnce(() => attachMeter(testEnv.client, testEnv.table.name));

const settings = { scope: "live", label: "a key", author: { actor: "cli" } } as const;
const ports = () => testEnv.apiPorts(queues);
const authenticateWith = (header: string | undefined) => authenticate(ports(), header, testEnv.now());
const unauthorized = expect.objectContaining({ refused: "unauthorized" });

it("a key identifies its tenant and scope with one read", async () => {
  const tenant = newTenant();
  for (const scope of ["live", "test"] as const) {
    const key = await createKey(ports(), tenant, { ...settings, scope }, testEnv.now());
    expect(key.secret).toMatch(new RegExp(`^svc_${scope}_[0-9A-Za-z]{46}$`));
    await authenticateWith(`Bearer ${key.secret}`);
    let caller: unknown;
    const cost = await meter.measure("authenticate", async () => {
      caller = await authenticateWith(`Bearer ${key.secret}`);
    });
    expect(caller).toEqual({
      ...{ kind: "tenant_key", keyId: key.id, tenant, scope },
      ...(scope === "test" ? { isStrict: true } : {}),
    });
    expect(cost).toMatchObject({ requests: 1, byOperation: { GetItem: { requests: 1 } } });
  }
});

it("a key that is malformed, mistyped or invented costs no read", async () => {
  const { secret } = await createKey(ports(), newTenant(), settings, testEnv.now());
  const flipped = secret.slice(0, -10) + (secret.at(-10) === "a" ? "b" : "a") + secret.slice(-9);
  const junk = [
    undefined,
    "",
    secret,
    `Basic ${secret}`,
    `Bearer ${flipped}`,
    `Bearer ${secret}x`,
    `Bearer ${secret} ${secret}`,
    `Bearer svc_live_${"0".repeat(46)}`,
    `Bearer ${secret.replace("svc_live_", "svc_test_")}`,
    `Bearer ${"x".repeat(100_000)}`,
  ];
  const cost = await meter.measure("junk", async () => {
    for (const header of junk) expect(await authenticateWith(header)).toEqual(unauthorized);
  });
  const causes = await Promise.all(junk.map((header) => authenticateWith(header)));
  expect(causes.map((cause) => "detail" in cause && cause.detail)).toEqual([
    ...["no_credential", "wrong_scheme", "wrong_scheme", "wrong_scheme"],
    ...Array.from({ length: 6 }, () => "malformed_key"),
  ]);
  expect(cost.requests).toBe(0);
  expect(await authenticateWith(`bearer  ${secret}`)).toHaveProperty("keyId");
});

it("a key that is revoked is refused at the next request, and so is an unknown one", async () => {
  const { secret } = await createKey(ports(), newTenant(), settings, testEnv.now());
  expect(await authenticateWith(`Bearer ${secret}`)).toHaveProperty("keyId");
  await testEnv.table.client.send(
    new UpdateCommand({
      TableName: testEnv.table.name,
      Key: { PK: `K#${apiKeyHash((await ports().peppers()).current.key, secret)}`, SK: "K" },
      UpdateExpression: "SET st = :st",
      ExpressionAttributeValues: { ":st": "revoked" },
    }),
  );
  expect(await authenticateWith(`Bearer ${secret}`)).toMatchObject({ refused: "unauthorized", detail: "revoked_key" });
  const elsewhere = { ...ports(), peppers: async () => oneKeyRing(Buffer.alloc(32, 7)) };
  const foreign = await createKey(elsewhere, newTenant(), settings, testEnv.now());
  const unknown = { refused: "unauthorized", detail: "unknown_key" };
  expect(await authenticateWith(`Bearer ${foreign.secret}`)).toMatchObject(unknown);
});

it("a key of an operator gives access to the tenants of its list", async () => {
  const tenants = [newTenant(), newTenant()];
  const { secret, id } = await createOperatorKey(ports(), tenants, settings, testEnv.now());
  expect(await authenticateWith(`Bearer ${secret}`)).toEqual({
    kind: "operator_key",
    keyId: id,
    tenants,
    suspendedTenants: [],
    scope: "live",
  });
});

it("a key is not stored in the table, not even in part", async () => {
  const { secret, prefix } = await createKey(ports(), newTenant(), settings, testEnv.now());
  const { Items = [] } = await testEnv.table.client.send(new ScanCommand({ TableName: testEnv.table.name }));
  const everything = JSON.stringify(Items);
  expect(everything).toContain(prefix);
  expect(everything).not.toContain(secret.slice(0, prefix.length + 1));
  expect(everything).not.toContain(secret.slice(-20));
});

it("a key is stored together with an audit row per tenant, or not at all", async () => {
  const tenants = [newTenant(), newTenant()];
  const audits = async () =>
    Promise.all(
      tenants.map(async (tenant) => {
        const { Items = [] } = await testEnv.table.client.send(
          new QueryCommand({
            TableName: testEnv.table.name,
            KeyConditionExpression: "PK = :a",
            ExpressionAttributeValues: { ":a": `A#${tenant}` },
          }),
        );
        return Items.map((item) => item.ac);
      }),
    );
  const end = injectFaults(testEnv.client, () => "crash");
  await expect(createOperatorKey(ports(), tenants, settings, testEnv.now())).rejects.toThrow("crashed");
  end();
  expect(await audits()).toEqual([[], []]);
  await withFaults(testEnv.client, "lost", () => createOperatorKey(ports(), tenants, settings, testEnv.now()));
  expect(await audits()).toEqual([["operator_key.create"], ["operator_key.create"]]);
});
