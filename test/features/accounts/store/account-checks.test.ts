import { GetCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeEach, expect, it } from "vitest";
import { newUlid } from "#base/kernel/ids.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { DAY, HOUR } from "#base/kernel/time.ts";
import { openTable } from "#base/table/client.ts";
import { timeToLive } from "#base/table/keys.ts";
import { type AccountRef, checkTimeAfter } from "#features/accounts/rules/accounts.ts";
import { type AccountCheck, accountCheckStore } from "#features/accounts/store/account-checks.ts";
import { accountStore } from "#features/accounts/store/accounts.ts";
import { authorizationStore } from "#features/accounts/store/authorizations.ts";
import { authorizationKey } from "#features/accounts/store/items.ts";
import { collectPages } from "../../../support/collect-pages.ts";
import { withFaults } from "../../../support/faults.ts";
import { NOW, newTenant, sampleNewAccount } from "../../../support/stores/samples.ts";
import { openWorldTable } from "../../../support/world/world-table.ts";
import { linkTestAccount } from "../flows/support/link-test-account.ts";

const world = openWorldTable(() => NOW);
const table = openTable(world.tableName, world.client);
const accountChecks = accountCheckStore(table);
const authorizations = authorizationStore(table);
afterAll(() => world.close());

let tenant: TenantId;
let account: AccountRef;
beforeEach(() => {
  tenant = newTenant();
  account = { platform: "instagram", externalId: `ig-of-${tenant}` };
});

const listDue = (now: number) => collectPages(accountChecks.listDue(now));

const newCheck = (rest: Partial<AccountCheck> = {}): AccountCheck => ({
  tenant,
  account,
  connectionId: newUlid(NOW),
  authorizedBy: ["1"],
  formerLogins: [],
  dueAt: NOW,
  subscribedAt: null,
  heldSince: null,
  backfill: null,
  picture: null,
  ...rest,
});

it("the next check of an account is listed from the instant when it is due, the earliest first", async () => {
  const due = 5 * DAY;
  const other = { ...account, externalId: `z-${tenant}` };
  const [late, early] = [newCheck({ dueAt: due + 1 }), newCheck({ account: other, dueAt: due })];
  for (const check of [late, early]) expect(await accountChecks.add(check)).toBe(true);
  expect(await listDue(due - 1)).toEqual([]);
  expect(await listDue(due)).toEqual([early]);
  expect(await listDue(due + 1)).toEqual([early, late]);
  for (const check of [late, early]) expect(await accountChecks.remove(check)).toBe(true);
  expect(await listDue(due + 1)).toEqual([]);
});

it("the next check of an account is moved once from the time that was read, also when the answer is lost", async () => {
  const check = newCheck();
  const picture = { url: "https://pictures.example/account.jpg", expiresAt: NOW + 3 * DAY };
  await accountChecks.add(check);
  expect(
    await withFaults(table.client, "lost", () =>
      accountChecks.reschedule(check, { dueAt: NOW + DAY, subscribedAt: NOW, picture }),
    ),
  ).toBe(true);
  const moved = { ...check, dueAt: NOW + DAY, subscribedAt: NOW, picture };
  expect(await accountChecks.get(tenant, account)).toEqual(moved);
  expect(await accountChecks.reschedule(check, { dueAt: NOW + HOUR })).toBe(false);
  expect(await accountChecks.remove(check)).toBe(false);
  expect(await accountChecks.reschedule(moved, { dueAt: NOW + 2 * DAY })).toBe(true);
  expect(await accountChecks.get(tenant, account)).toEqual({ ...moved, dueAt: NOW + 2 * DAY });
});

it("the next check of an account of a later connection at the same time is neither moved nor removed by the earlier one's", async () => {
  const earlier = newCheck();
  await accountChecks.add(earlier);
  const connection = {
    tenant,
    account,
    connectionId: newUlid(NOW),
    authorizedBy: [],
    isReconnection: true,
    now: NOW,
  };
  const later = await accountChecks.replace(earlier, connection);
  if (!later) throw new Error("The check is not replaced.");
  expect(await accountChecks.reschedule(earlier, { dueAt: NOW + DAY })).toBe(false);
  expect(await accountChecks.remove(earlier)).toBe(false);
  expect(await accountChecks.replace(earlier, connection)).toEqual(later);
  expect(await accountChecks.replace(earlier, { ...connection, connectionId: newUlid(NOW) })).toBeNull();
  expect(await accountChecks.get(tenant, account)).toEqual(later);
  await accountChecks.remove(later);
  expect(await accountChecks.get(tenant, account)).toBeNull();
  expect(await accountChecks.remove(later)).toBe(true);
});

it("the next check of an account has a time of day of its own, and follows within a day", () => {
  const times = new Set<number>();
  for (let n = 0; n < 100; n++) {
    const ref = { platform: "messenger", externalId: String(n) } as const;
    const next = checkTimeAfter(ref, NOW);
    expect(next).toBeGreaterThan(NOW);
    expect(next).toBeLessThanOrEqual(NOW + DAY);
    expect(checkTimeAfter(ref, next)).toBe(next + DAY);
    times.add(Math.floor((next - NOW) / HOUR));
  }
  expect(times.size).toBeGreaterThan(20);
});

const ports = {
  accounts: accountStore(table),
  accountChecks,
  authorizations,
  vault: { seal: async () => new Uint8Array([1]) },
};
const names = { connection: "instagram_login", handle: "h", displayName: "n", pageId: null } as const;
const link = (authorizedBy: readonly string[], connectionId = newUlid(NOW)) =>
  linkTestAccount(ports, {
    tenant,
    account: { ...account, ...names },
    token: "t",
    author: { actor: "cli" },
    now: NOW,
    authorizedBy: authorizedBy.map((id) => `${id}-${tenant}`),
    connectionId,
  });
const ttlOf = async (id: string) => {
  const Key = authorizationKey(`${id}-${tenant}`, tenant, account);
  const { Item } = await table.client.send(new GetCommand({ TableName: table.name, Key, ConsistentRead: true }));
  return Item && (Item.x ?? null);
};

it("the logins of an account of an earlier connection expire in eight days, those of the newest stay", async () => {
  await link(["ada", "app"]);
  expect([await ttlOf("ada"), await ttlOf("app")]).toEqual([null, null]);
  await link(["ben", "app"]);
  expect([await ttlOf("ada"), await ttlOf("app"), await ttlOf("ben")]).toEqual([timeToLive(NOW + 8 * DAY), null, null]);
  await link(["ada"]);
  expect([await ttlOf("ada"), await ttlOf("ben")]).toEqual([null, timeToLive(NOW + 8 * DAY)]);
});

it("the logins of an account of a later connection are neither expired nor removed by what was read of an earlier one", async () => {
  await link(["ada"]);
  const [earlier] = await authorizations.list(`ada-${tenant}`);
  if (!earlier) throw new Error("The login is not stored.");
  await link(["ada"]);
  await authorizations.expire(earlier, NOW);
  await authorizations.remove(earlier);
  expect(await ttlOf("ada")).toBeNull();
  const [later] = await authorizations.list(`ada-${tenant}`);
  if (!later) throw new Error("The login is not stored.");
  await authorizations.remove(later);
  expect(await ttlOf("ada")).toBeUndefined();
  await authorizations.expire(later, NOW);
  expect(await ttlOf("ada")).toBeUndefined();
});

it("the logins of an account are found for one tenant and one account each", async () => {
  await link(["ada"], "1");
  const second = sampleNewAccount({
    externalId: `second-${tenant}`,
    authorizedBy: [`ada-${tenant}`],
    connectionId: "2",
  });
  const audit = { action: "account.connect", resource: "-", actor: "cli", ip: null, detail: {}, at: NOW } as const;
  await ports.accounts.connect({ tenant, account: second, author: { audit, actor: null }, now: NOW });
  expect(await authorizations.list(`ada-${tenant}`)).toEqual([
    { platformUserId: `ada-${tenant}`, tenant, account, connectionId: "1", otherIds: [], endsAt: null },
    {
      platformUserId: `ada-${tenant}`,
      tenant,
      account: { platform: "instagram", externalId: second.externalId },
      connectionId: "2",
      otherIds: [],
      endsAt: null,
    },
  ]);
});
