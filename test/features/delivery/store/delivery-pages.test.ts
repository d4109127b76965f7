import { beforeEach, expect, it } from "vitest";
import type { EventType } from "#base/events/events.ts";
import { deriveUlid, newUlid } from "#base/kernel/ids.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { DAY } from "#base/kernel/time.ts";
import { openTable } from "#base/table/client.ts";
import type { DeliveryStatus } from "#features/delivery/rules/deliveries.ts";
import { type DeliveryFilter, NO_FILTER } from "#features/delivery/rules/delivery-filter.ts";
import { deliveryStore } from "#features/delivery/store/deliveries.ts";
import { startTestTable } from "../../../support/dynamodb.ts";
import { openedOnce } from "../../../support/opened.ts";
import { NOW, newTenant } from "../../../support/stores/samples.ts";

let tenant: TenantId;
let endpointId: string;
const table = openedOnce(startTestTable);
const deliveries = openedOnce(() => deliveryStore(openTable(table.tableName, table.client)));
beforeEach(() => {
  tenant = newTenant();
  endpointId = newUlid(NOW);
});

async function recordAt(
  time: number,
  status: DeliveryStatus,
  name = "",
  eventType: EventType = "message.received",
): Promise<string> {
  const eventUlid = deriveUlid(time, `${time} ${status} ${name}`);
  const target = { endpointId, eventUlid, eventType, source: null };
  const waits = status === "attempting" || status === "retrying";
  const verdict = waits ? { status: "retrying" as const, nextRetryAt: NOW } : { status: status as "dlq" };
  await deliveries.recordFirst(tenant, target, { verdict, outcome: null, settledAt: NOW });
  if (status === "attempting") await deliveries.claimDelivery(tenant, { endpointId, eventUlid, attempt: 1 }, NOW);
  return eventUlid;
}

const page = (filter: Partial<DeliveryFilter>, rest: object = {}) =>
  deliveries.list(tenant, {
    endpointId,
    before: null,
    limit: 100,
    now: NOW,
    filter: { ...NO_FILTER, ...filter },
    ...rest,
  });
const ulids = async (filter: Partial<DeliveryFilter>, rest: object = {}) =>
  (await page(filter, rest)).rows.map(({ eventUlid }) => eventUlid);

/** Every page of a list, until its end. */
async function pages(filter: Partial<DeliveryFilter>, limit: number) {
  const all: { ulids: string[]; next: string | null }[] = [];
  let before: string | null = null;
  do {
    const { rows, next } = await page(filter, { before, limit });
    all.push({ ulids: rows.map(({ eventUlid }) => eventUlid), next });
    before = next;
  } while (before !== null);
  return all;
}

it("the list of deliveries has only the requested statuses, as the rows have them", async () => {
  const byStatus: Partial<Record<DeliveryStatus, string>> = {};
  const statuses = ["dlq", "failed", "blocked", "retrying", "delivered", "attempting"] as const;
  for (const [index, status] of statuses.entries()) byStatus[status] = await recordAt(NOW - 10 + index, status);
  for (const status of statuses) expect(await ulids({ statuses: [status] }), status).toEqual([byStatus[status]]);
  expect(await ulids({ statuses: ["pending"] })).toEqual([]);
  expect(await ulids({ statuses: ["failed", "delivered"] })).toEqual([byStatus.delivered, byStatus.failed]);
  expect(await ulids({})).toHaveLength(6);
});

it("the list of deliveries has only the requested event types, with any status", async () => {
  await recordAt(NOW - 4, "dlq");
  const sent = await recordAt(NOW - 3, "dlq", "", "message.sent");
  const test = await recordAt(NOW - 2, "delivered", "", "test.event");
  expect(await ulids({ eventTypes: ["message.sent", "test.event"] })).toEqual([test, sent]);
  expect(await ulids({ eventTypes: ["message.sent", "test.event"], statuses: ["dlq"] })).toEqual([sent]);
});

it.each([null, ["dlq"] as const])(
  "the list of deliveries has only events of the window, both ends included (statuses: %s)",
  async (statuses) => {
    const times = [NOW - 4, NOW - 3, NOW - 2, NOW - 1];
    const [, second, third] = await Promise.all(times.map((time) => recordAt(time, "dlq")));
    expect(await ulids({ statuses, from: NOW - 3, to: NOW - 2 })).toEqual([third, second]);
    expect(await ulids({ statuses, from: NOW - 3, to: NOW - 2 }, { before: third })).toEqual([second]);
    expect(await ulids({ statuses, from: NOW, to: NOW + 1 })).toEqual([]);
    expect(await ulids({ statuses, from: 0, to: NOW - 1 }, { now: NOW - 2 + 7 * DAY })).toHaveLength(1);
  },
);

it.each([
  ["undelivered statuses", { statuses: ["failed", "attempting"] }],
  ["any statuses", { statuses: ["failed", "delivered"] }],
  ["event types", { eventTypes: ["message.sent"] }],
] as const)("the list of deliveries has each match of %s once, in pages that may be short", async (_name, filter) => {
  const matches: string[] = [];
  for (let i = 0; i < 30; i++) {
    const isMatch = i % 3 === 0;
    const eventUlid = await recordAt(
      NOW - 40 + i,
      isMatch ? "failed" : "retrying",
      "",
      isMatch ? "message.sent" : undefined,
    );
    if (isMatch) matches.unshift(eventUlid);
  }
  for (const limit of [1, 3, 10, 100]) {
    const all = await pages(filter, limit);
    expect(all.flatMap(({ ulids }) => ulids)).toEqual(matches);
    for (const { ulids } of all) expect(ulids.length).toBeLessThanOrEqual(limit);
  }
});

it.each([{ statuses: ["failed"] }, { eventTypes: ["message.sent"] }] as const)(
  "the list of deliveries examines 200 deliveries a page: it may be empty and go on (%o)",
  async (filter) => {
    const oldest = await recordAt(NOW - 2_000, "failed", "", "message.sent");
    for (let i = 0; i < 250; i++) await recordAt(NOW - 1_000 + i, "dlq");
    const [first, second] = await pages(filter, 50);
    expect(first).toEqual({ ulids: [], next: expect.any(String) });
    expect(second).toEqual({ ulids: [oldest], next: null });
  },
);

const failing = (rest: object = {}) =>
  deliveries.listUndelivered(tenant, {
    endpointId,
    statuses: ["dlq", "failed", "blocked", "retrying"],
    since: NOW - DAY,
    examinedMax: 1_000,
    now: NOW,
    ...rest,
  });
const undelivered = async (rest: object = {}) => (await failing(rest)).rows.map(({ eventUlid }) => eventUlid);

it("the list of undelivered events is newest first, with the requested statuses, since the requested instant to the millisecond", async () => {
  const edge = await recordAt(NOW - DAY, "dlq");
  await recordAt(NOW - DAY - 1, "dlq");
  const retrying = await recordAt(NOW - 5, "retrying");
  const failed = await recordAt(NOW - 4, "failed");
  await recordAt(NOW - 3, "delivered");
  const blocked = await recordAt(NOW - 2, "blocked");
  await recordAt(NOW - 1, "attempting");
  expect(await undelivered()).toEqual([blocked, failed, retrying, edge]);
  expect(await undelivered({ statuses: ["failed"] })).toEqual([failed]);
  expect(await undelivered({ since: NOW - 4 })).toEqual([blocked, failed]);
  expect(await undelivered({ since: 0, now: NOW + 7 * DAY - 4 })).toEqual([blocked]);
});

it("the list of undelivered events reports that it is truncated when there are more entries than it examined, newest first", async () => {
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

const windowPage = (rest: object = {}) =>
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

it("a window of deliveries includes both its ends, oldest first, and delivered events only on request", async () => {
  await recordAt(NOW - 11, "dlq");
  const first = await recordAt(NOW - 10, "dlq");
  const delivered = await recordAt(NOW - 7, "delivered");
  const last = await recordAt(NOW - 5, "blocked");
  await recordAt(NOW - 4, "dlq");
  const ulids = async (rest: object) => (await windowPage(rest)).rows.map(({ eventUlid }) => eventUlid);
  expect(await ulids({})).toEqual([first, last]);
  expect(await ulids({ delivered: true })).toEqual([first, delivered, last]);
  expect(await ulids({ from: 0, to: 2 ** 48 - 1 })).toHaveLength(4);
  expect(await ulids({ now: NOW - 10 + 7 * DAY })).toEqual([last]);
});

it.each([false, true])(
  "a window of deliveries is read in pages that have each event once (delivered: %s)",
  async (delivered) => {
    const all = new Set<string>();
    for (let i = 0; i < 11; i++) all.add(await recordAt(NOW - 10 + Math.floor(i / 3), "dlq", String(i)));
    const visited: string[] = [];
    let after: string | null = null;
    do {
      const { rows, next } = await windowPage({ delivered, after, limit: 3 });
      visited.push(...rows.map(({ eventUlid }) => eventUlid));
      after = next;
    } while (after !== null);
    expect(visited).toEqual([...all].sort());
  },
);
