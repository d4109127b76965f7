import { QueryCommand, ScanCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Caller } from "../../../../shared/domain/access/api-keys.ts";
import { authenticate, hashOfKey, keepPace } from "../../../../shared/flows/access/authenticate.ts";
import { createKey, createOperatorKey } from "../../../../shared/flows/access/set-up-tenant.ts";
import { MINUTE, SECOND } from "../../../../shared/kernel/time.ts";
import { injectFaults } from "../../../support/faults.ts";
import { type Meter, meterOf } from "../../../support/meter.ts";
import { newTenant } from "../../stores/support/samples.ts";
import { type House, type Lane, openHouse } from "../support/house.ts";

let house: House;
let lane: Lane;
let meter: Meter;
beforeAll(async () => {
  house = await openHouse();
  lane = await house.newLane();
  meter = meterOf(house.client, house.table.name);
});
afterAll(async () => {
  meter.close();
  await house.close();
});

const settings = { scope: "live", label: "a key", actor: "cli" } as const;
const ports = () => house.apiPorts(lane);
const askWith = (header: string | undefined) => authenticate(ports(), header);
const unauthorized = { refused: "unauthorized" };

describe("a key", () => {
  it("opens its tenant, with its scope, for one read", async () => {
    const tenant = newTenant();
    for (const scope of ["live", "test"] as const) {
      const key = await createKey(ports(), tenant, { ...settings, scope }, house.now());
      expect(key.secret).toMatch(new RegExp(`^svc_${scope}_[0-9A-Za-z]{46}$`));
      let caller: unknown;
      const cost = await meter.during("authenticate", async () => {
        caller = await askWith(`Bearer ${key.secret}`);
      });
      expect(caller).toEqual({ kind: "tenant_key", keyId: key.id, tenant, scope });
      expect(cost).toMatchObject({ requests: 1, byOperation: { GetItem: { requests: 1 } } });
    }
  });

  it("that is junk, mistyped or made up costs no read", async () => {
    const { secret } = await createKey(ports(), newTenant(), settings, house.now());
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
    const cost = await meter.during("junk", async () => {
      for (const header of junk) expect(await askWith(header)).toEqual(unauthorized);
    });
    expect(cost.requests).toBe(0);
    expect(await askWith(`bearer  ${secret}`)).toHaveProperty("keyId");
  });

  it("that is revoked is refused at the next request, and so is one that nobody made", async () => {
    const { secret } = await createKey(ports(), newTenant(), settings, house.now());
    expect(await askWith(`Bearer ${secret}`)).toHaveProperty("keyId");
    await house.table.client.send(
      new UpdateCommand({
        TableName: house.table.name,
        Key: { PK: `K#${hashOfKey(await ports().pepper(), secret)}`, SK: "K" },
        UpdateExpression: "SET st = :st",
        ExpressionAttributeValues: { ":st": "revoked" },
      }),
    );
    expect(await askWith(`Bearer ${secret}`)).toEqual(unauthorized);
    const elsewhere = { ...ports(), pepper: async () => Buffer.alloc(32, 7) };
    const foreign = await createKey(elsewhere, newTenant(), settings, house.now());
    expect(await askWith(`Bearer ${foreign.secret}`)).toEqual(unauthorized);
  });

  it("of an operator opens the tenants of its list", async () => {
    const tenants = [newTenant(), newTenant()];
    const { secret, id } = await createOperatorKey(ports(), tenants, settings, house.now());
    expect(await askWith(`Bearer ${secret}`)).toEqual({ kind: "operator_key", keyId: id, tenants, scope: "live" });
  });

  it("lies nowhere in the table, not even in part", async () => {
    const { secret, prefix } = await createKey(ports(), newTenant(), settings, house.now());
    const { Items = [] } = await house.table.client.send(new ScanCommand({ TableName: house.table.name }));
    const everything = JSON.stringify(Items);
    expect(everything).toContain(prefix);
    expect(everything).not.toContain(secret.slice(0, prefix.length + 1));
    expect(everything).not.toContain(secret.slice(-20));
  });

  it("is written with an audit row for each tenant it opens, or not at all", async () => {
    const tenants = [newTenant(), newTenant()];
    const audits = async () =>
      Promise.all(
        tenants.map(async (tenant) => {
          const { Items = [] } = await house.table.client.send(
            new QueryCommand({
              TableName: house.table.name,
              KeyConditionExpression: "PK = :a",
              ExpressionAttributeValues: { ":a": `A#${tenant}` },
            }),
          );
          return Items.map((item) => item.ac);
        }),
      );
    const end = injectFaults(house.client, () => "crash");
    await expect(createOperatorKey(ports(), tenants, settings, house.now())).rejects.toThrow("crashed");
    end();
    expect(await audits()).toEqual([[], []]);
    const lost = injectFaults(house.client, ({ index }) => (index === 0 ? "lost" : "pass"));
    await createOperatorKey(ports(), tenants, settings, house.now());
    lost();
    expect(await audits()).toEqual([["operator_key.create"], ["operator_key.create"]]);
  });
});

describe("a key's pace", () => {
  const callerOf = (keyId: string): Caller => ({ kind: "tenant_key", keyId, tenant: newTenant(), scope: "live" });

  it("is 600 requests a minute, exact under 601 at once, and free again in the next", async () => {
    house.turn(MINUTE - (house.now() % MINUTE) + 17 * SECOND + 1);
    const caller = callerOf("busy");
    const answers = await Promise.all(Array.from({ length: 601 }, () => keepPace(ports(), caller, house.now())));
    const refused = answers.filter((answer) => answer !== null);
    expect(refused).toEqual([{ refused: "too_many_requests", retryAfter: 43 }]);
    house.turn(43 * SECOND - 2);
    expect(await keepPace(ports(), caller, house.now())).toEqual({ refused: "too_many_requests", retryAfter: 1 });
    expect(await keepPace(ports(), callerOf("idle"), house.now())).toBeNull();
    house.turn(1);
    expect(await keepPace(ports(), caller, house.now())).toBeNull();
  });

  it("asks to wait a whole minute at its start", async () => {
    const start = house.now() + MINUTE - (house.now() % MINUTE);
    const caller = callerOf("early");
    for (let i = 0; i < 600; i += 100) {
      await Promise.all(Array.from({ length: 100 }, () => keepPace(ports(), caller, start)));
    }
    expect(await keepPace(ports(), caller, start)).toMatchObject({ retryAfter: 60 });
  });
});
