import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { DeliveryStatus } from "../../../../shared/domain/delivery/deliveries.ts";
import { deriveUlid, newUlid } from "../../../../shared/kernel/ids.ts";
import type { TenantId } from "../../../../shared/kernel/tenant.ts";
import { DAY } from "../../../../shared/kernel/time.ts";
import { openTable } from "../../../../shared/stores/client.ts";
import { type Deliveries, deliveryStore } from "../../../../shared/stores/delivery/deliveries.ts";
import { startTestTable, type TestTable } from "../../../support/dynamodb.ts";
import { NOW, newTenant } from "../support/samples.ts";

let table: TestTable;
let deliveries: Deliveries;
let tenant: TenantId;
let endpointId: string;
beforeAll(async () => {
  table = await startTestTable();
  deliveries = deliveryStore(openTable(table.tableName, table.client));
});
afterAll(() => table.close());
beforeEach(() => {
  tenant = newTenant();
  endpointId = newUlid(NOW);
});

async function recordAt(time: number, status: DeliveryStatus, name = ""): Promise<string> {
  const eventUlid = deriveUlid(time, `${time} ${status} ${name}`);
  const target = { endpointId, eventUlid, eventType: "message.received", source: null } as const;
  const waits = status === "attempting" || status === "retrying";
  const verdict = waits ? { status: "retrying" as const, nextRetryAt: NOW } : { status: status as "dlq" };
  await deliveries.recordFirst(tenant, target, { verdict, outcome: null, settledAt: NOW });
  if (status === "attempting") await deliveries.claimDelivery(tenant, { endpointId, eventUlid, attempt: 1 }, NOW);
  return eventUlid;
}

describe("the list of undelivered events", () => {
  const failing = (rest: object = {}) =>
    deliveries.listUndelivered(tenant, {
      endpointId,
      statuses: ["dlq", "failed", "blocked", "retrying"],
      since: NOW - DAY,
      examinedMax: 1_000,
      now: NOW,
      ...rest,
    });
  const ulids = async (rest: object = {}) => (await failing(rest)).rows.map(({ eventUlid }) => eventUlid);

  it("is newest first, with the requested statuses, since the requested instant to the millisecond", async () => {
    const edge = await recordAt(NOW - DAY, "dlq");
    await recordAt(NOW - DAY - 1, "dlq");
    const retrying = await recordAt(NOW - 5, "retrying");
    const failed = await recordAt(NOW - 4, "failed");
    await recordAt(NOW - 3, "delivered");
    const blocked = await recordAt(NOW - 2, "blocked");
    await recordAt(NOW - 1, "attempting");
    expect(await ulids()).toEqual([blocked, failed, retrying, edge]);
    expect(await ulids({ statuses: ["failed"] })).toEqual([failed]);
    expect(await ulids({ since: NOW - 4 })).toEqual([blocked, failed]);
    expect(await ulids({ since: 0, now: NOW + 7 * DAY - 4 })).toEqual([blocked]);
  });

  it("reports that it is truncated when there are more entries than it examined, newest first", async () => {
    const all: string[] = [];
    for (let i = 0; i < 5; i++) all.unshift(await recordAt(NOW - 10 + i, i % 2 ? "dlq" : "retrying"));
    expect(await failing({ examinedMax: 5 })).toMatchObject({
      truncated: false,
      rows: all.map((eventUlid) => ({ eventUlid })),
    });
    const cut = await failing({ examinedMax: 4, statuses: ["dlq"] });
    expect(cut.truncated).toBe(true);
    expect(cut.rows.map(({ eventUlid }) => eventUlid)).toEqual([all[1], all[3]]);
  });
});

describe("a window", () => {
  const page = (rest: object = {}) =>
    deliveries.listWindow(tenant, {
      endpointId,
      from: NOW - 10,
      to: NOW - 5,
      delivered: false,
      after: null,
      limit: 100,
      now: NOW,
      ...rest,
    });

  it("includes both its ends, oldest first, and delivered events only on request", async () => {
    await recordAt(NOW - 11, "dlq");
    const first = await recordAt(NOW - 10, "dlq");
    const delivered = await recordAt(NOW - 7, "delivered");
    const last = await recordAt(NOW - 5, "blocked");
    await recordAt(NOW - 4, "dlq");
    const ulids = async (rest: object) => (await page(rest)).rows.map(({ eventUlid }) => eventUlid);
    expect(await ulids({})).toEqual([first, last]);
    expect(await ulids({ delivered: true })).toEqual([first, delivered, last]);
    expect(await ulids({ from: 0, to: 2 ** 48 - 1 })).toHaveLength(4);
    expect(await ulids({ now: NOW - 10 + 7 * DAY })).toEqual([last]);
  });

  it.each([false, true])("is read in pages that have each event once (delivered: %s)", async (delivered) => {
    const all = new Set<string>();
    for (let i = 0; i < 11; i++) all.add(await recordAt(NOW - 10 + Math.floor(i / 3), "dlq", String(i)));
    const visited: string[] = [];
    let after: string | null = null;
    do {
      const { rows, next } = await page({ delivered, after, limit: 3 });
      visited.push(...rows.map(({ eventUlid }) => eventUlid));
      after = next;
    } while (after !== null);
    expect(visited).toEqual([...all].sort());
  });
});
