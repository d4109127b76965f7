import { PutCommand } from "@aws-sdk/lib-dynamodb";
import { beforeEach, expect, it } from "vitest";
import type { TenantId } from "#base/kernel/tenant.ts";
import { DAY, SECOND } from "#base/kernel/time.ts";
import type { AuditEntry } from "#features/access/rules/audit.ts";
import { auditStore } from "#features/access/store/audit.ts";
import { auditItem } from "#features/access/store/items.ts";
import { openedOnce } from "../../../support/opened.ts";
import { NOW, newTenant } from "../../../support/stores/samples.ts";
import { openTestTable } from "../../../support/stores/test-table.ts";

let tenant: TenantId;
const table = openedOnce(openTestTable);
const audit = openedOnce(() => auditStore(table));
beforeEach(() => {
  tenant = newTenant();
});

async function recordEntry(entry: Partial<AuditEntry> = {}): Promise<void> {
  const full = {
    action: "key.create",
    resource: "key:k",
    actor: "cli",
    ip: null,
    detail: {},
    at: NOW,
    ...entry,
  } as const;
  await table.client.send(new PutCommand({ TableName: table.name, Item: auditItem(tenant, full) }));
}

const list = (rest: Partial<Parameters<typeof audit.list>[1]> = {}) =>
  audit.list(tenant, { before: null, limit: 50, now: NOW, ...rest });

it("an action of several writes has its row before the first one, and its result is added to the row", async () => {
  const entry = {
    action: "webhook.replay",
    resource: "webhook:w",
    actor: "key:k",
    ip: null,
    detail: {},
    at: NOW,
  } as const;
  const add = await audit.start(tenant, { audit: entry, actor: null });
  if (typeof add === "string") throw new Error(add);
  expect((await list()).rows).toMatchObject([{ ...entry, detail: {} }]);
  await add({ events: 3 });
  expect((await list()).rows).toMatchObject([{ ...entry, detail: { events: 3 } }]);
});

it("the audit trail returns the stored fields, including address and detail", async () => {
  const entry = {
    action: "webhook.create",
    resource: "webhook:w",
    actor: "key:k",
    ip: "203.0.113.7",
    detail: { events: 3, forced: true, status: "dlq" },
    at: NOW,
  } as const;
  await recordEntry(entry);
  const { rows, next } = await list();
  expect(rows).toEqual([{ ...entry, ulid: expect.stringMatching(/^[0-9A-Z]{26}$/) }]);
  expect(next).toBeNull();
});

it("the audit trail is newest first and has each row once, including several of one millisecond", async () => {
  for (let i = 0; i < 23; i++) await recordEntry({ resource: `key:${i}`, at: NOW - Math.floor(i / 5) });
  const visited: { at: number; ulid: string; resource: string }[] = [];
  let before: string | null = null;
  do {
    const { rows, next } = await list({ before, limit: 4 });
    expect(rows.length).toBeLessThanOrEqual(4);
    visited.push(...rows);
    before = next;
  } while (before !== null);
  expect(new Set(visited.map(({ resource }) => resource)).size).toBe(23);
  expect(visited).toHaveLength(23);
  expect(visited.map(({ ulid }) => ulid)).toEqual([...visited.map(({ ulid }) => ulid)].sort().reverse());
});

it("the audit trail reads at most 200 rows for a page of one action, which may be empty, and goes on after them", async () => {
  await recordEntry({ action: "key.revoke", at: NOW - 500 });
  for (let i = 1; i <= 250; i++) await recordEntry({ at: NOW - i });
  await recordEntry({ action: "key.revoke", at: NOW });
  const filter = { actions: ["key.revoke"], actor: null, from: null, to: null } as const;
  const first = await list({ filter });
  expect(first.rows.map(({ at }) => at)).toEqual([NOW]);
  const second = await list({ filter, before: first.next });
  expect(second).toMatchObject({ rows: [{ action: "key.revoke", at: NOW - 500 }], next: null });
});

it("the audit trail shows a row for 400 days, to the millisecond, although the table removes it later", async () => {
  await recordEntry({ at: NOW });
  expect((await list({ now: NOW + 400 * DAY - 1 })).rows).toHaveLength(1);
  expect((await list({ now: NOW + 400 * DAY })).rows).toEqual([]);
  expect(auditItem(tenant, { action: "key.create", resource: "", actor: "", ip: null, detail: {}, at: 0 }).x).toBe(
    (400 * DAY) / SECOND,
  );
});

it("the audit trail shows only rows of the tenant", async () => {
  await recordEntry();
  expect((await audit.list(newTenant(), { before: null, limit: 50, now: NOW })).rows).toEqual([]);
});
