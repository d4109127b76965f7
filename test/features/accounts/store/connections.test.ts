import { GetCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeEach, expect, it } from "vitest";
import { newUlid } from "#base/kernel/ids.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { DAY, HOUR, MINUTE, type Millis } from "#base/kernel/time.ts";
import { openTable } from "#base/table/client.ts";
import { timeToLive } from "#base/table/keys.ts";
import type { AuditEntry } from "#features/access/rules/audit.ts";
import type { ChangeAuthor } from "#features/access/rules/callers.ts";
import { auditStore } from "#features/access/store/audit.ts";
import { type Account, type AccountRef, accountKey } from "#features/accounts/rules/accounts.ts";
import { accountCheckStore } from "#features/accounts/store/account-checks.ts";
import { accountStore } from "#features/accounts/store/accounts.ts";
import { authorizationStore } from "#features/accounts/store/authorizations.ts";
import type { NewAccount } from "#features/accounts/store/connections.ts";
import { holderTimeStore } from "#features/accounts/store/holder-times.ts";
import { accountItemKey, accountRouteKey } from "#features/accounts/store/items.ts";
import { pageUseStore } from "#features/accounts/store/page-uses.ts";
import { tenantDeletionStore } from "#features/tenants/store/tenant-deletions.ts";
import { type Fault, injectFaults } from "../../../support/faults.ts";
import { NOW, newTenant, sampleNewAccount } from "../../../support/stores/samples.ts";
import { openWorldTable } from "../../../support/world/world-table.ts";
import { createMember, createTenant } from "../../access/store/support/team-samples.ts";

const world = openWorldTable(() => NOW);
const table = openTable(world.tableName, world.client);
const accounts = accountStore(table);
const pageUses = pageUseStore(table);
const authorizations = authorizationStore(table);
afterAll(() => world.close());

const audit: AuditEntry = { action: "account.connect", resource: "-", actor: "cli", ip: null, detail: {}, at: NOW };
const operator: ChangeAuthor = { audit, actor: null };
const disconnecting: ChangeAuthor = { audit: { ...audit, action: "account.disconnect" }, actor: null };

let tenant: TenantId;
let other: TenantId;
let ref: AccountRef;
beforeEach(() => {
  [tenant, other] = [newTenant(), newTenant()];
  ref = { platform: "instagram", externalId: `ig-of-${tenant}` };
});

const page = (name = "page") => ({ connection: "instagram_page", pageId: `${name}-of-${tenant}` }) as const;
const connect = (of = tenant, rest: Partial<NewAccount> = {}, now: Millis = NOW) =>
  accounts.connect({ tenant: of, account: sampleNewAccount({ ...ref, ...rest }), author: operator, now });
async function connected(of = tenant, rest: Partial<NewAccount> = {}, now: Millis = NOW): Promise<Account> {
  const result = await connect(of, rest, now);
  if (result.kind !== "connected") throw new Error(`The account is not connected: ${result.kind}`);
  return result.account;
}
const disconnect = ({ connectionId }: Pick<Account, "connectionId">, of = tenant, now: Millis = NOW) =>
  accounts.disconnect({ tenant: of, ref, connectionId, author: disconnecting, event: null, now });
const usersOf = async (name = "page") => (await pageUses.list(`${name}-of-${tenant}`)).map(({ tenant: of }) => of);
const actions = async (of = tenant) =>
  (await auditStore(table).list(of, { before: null, limit: 9, now: NOW })).rows.map(({ action }) => action).sort();
const storedRow = async (Key: object) =>
  (await table.client.send(new GetCommand({ TableName: table.name, Key, ConsistentRead: true }))).Item;

/** A data deletion removes the tenant's times of the account once another write has read them. */
function removeTimesBeforeTheTransaction(requestedAt: Millis) {
  let isRemoved = false;
  const end = injectFaults(table.client, async ({ command }): Promise<Fault> => {
    if (command !== "TransactWriteItems" || isRemoved) return "pass";
    isRemoved = await holderTimeStore(table).removeTimes(tenant, ref, { requestedAt, keepsNewer: true });
    return "pass";
  });
  return {
    /** @returns whether the times were removed */
    end(): boolean {
      end();
      return isRemoved;
    },
  };
}

it("connecting stores the account, its route, the use of its page, its logins and an audit row", async () => {
  const account = await connected(tenant, { ...page(), authorizedBy: [`a-${tenant}`], tokenExpiresAt: NOW + DAY });
  expect(account).toMatchObject({
    status: "active",
    lastRefreshedAt: NOW,
    tokenExpiresAt: NOW + DAY,
    replaced: [],
  });
  expect(await accounts.get(tenant, ref)).toEqual(account);
  expect(await accounts.getRoute(ref)).toEqual({ tenant, handle: "@shop" });
  expect(await usersOf()).toEqual([tenant]);
  const { connectionId } = account;
  const authorization = {
    platformUserId: `a-${tenant}`,
    tenant,
    account: ref,
    connectionId,
    otherIds: [],
    endsAt: null,
  };
  expect(await authorizations.list(`a-${tenant}`)).toEqual([authorization]);
  expect(await actions()).toEqual(["account.connect"]);
});

it("connecting again replaces the token and what followed from it, under another audit action", async () => {
  const first = await connected();
  const refusal = {
    status: "needs_reauth",
    detail: "expired",
    asOf: NOW + 1,
    at: NOW + 1,
    eventUlid: newUlid(NOW),
  } as const;
  await accounts.setStatus(tenant, ref, refusal);
  const result = await connect(tenant, { sealedToken: new Uint8Array([2]) }, NOW + 2);
  const account = await accounts.get(tenant, ref);
  expect(result).toEqual({
    kind: "connected",
    account,
    previous: { ...first, status: "needs_reauth", statusDetail: "expired" },
    check: await accountCheckStore(table).get(tenant, ref),
  });
  expect(account).toMatchObject({ status: "active", statusDetail: null, replaced: [] });
  expect([...(account?.sealedToken ?? [])]).toEqual([2]);
  expect(await actions()).toEqual(["account.connect", "account.reconnect"]);
});

it("connecting again keeps the platform's decision with its text, and the refusal of the human agent tag", async () => {
  await connected();
  const block = { action: "block", at: NOW, reason: "spam", eventUlid: newUlid(NOW) } as const;
  await accounts.setPolicy(tenant, ref, block);
  await accounts.recordHumanAgentRefusal(tenant, ref, NOW + 1);
  const account = await connected();
  expect(account).toMatchObject({ status: "restricted", statusDetail: "spam", humanAgentBlockedAt: NOW + 1 });
  expect(await accounts.get(tenant, ref)).toEqual(account);
  const unblock = { action: "unblock", at: NOW + 2, reason: null, eventUlid: newUlid(NOW) } as const;
  expect(await accounts.setPolicy(tenant, ref, unblock)).toMatchObject({
    account: { status: "active", statusDetail: null },
  });
});

it("connecting again restores no time of a holder that a data deletion removed between its read and its write", async () => {
  await disconnect(await connected(), tenant, NOW + MINUTE);
  const removal = removeTimesBeforeTheTransaction(NOW + HOUR);
  await connected(tenant, {}, NOW + 2 * HOUR);
  expect(removal.end()).toBe(true);
  expect(await accounts.listHolders(ref)).toMatchObject([{ from: NOW + 2 * HOUR, until: null }]);
});

it("connecting is refused while another tenant has the account", async () => {
  await connected();
  expect(await connect(other)).toEqual({ kind: "in_use" });
  expect(await accounts.get(other, ref)).toBeNull();
  expect(await actions(other)).toEqual([]);
});

it("connecting one account by two tenants at once: one wins", async () => {
  for (let attempt = 0; attempt < 10; attempt++) {
    ref = { platform: "instagram", externalId: `contested-${attempt}` };
    const results = await Promise.all([connect(tenant, page()), connect(other, page())]);
    expect(results.map(({ kind }) => kind).sort()).toEqual(["connected", "in_use"]);
    const owner = results[0].kind === "connected" ? tenant : other;
    expect((await accounts.getRoute(ref))?.tenant).toBe(owner);
    expect(
      (await pageUses.list(page().pageId)).filter(({ account }) => accountKey(account) === accountKey(ref)),
    ).toEqual([{ tenant: owner, account: ref }]);
    const rows = await Promise.all([tenant, other].map((of) => accounts.get(of, ref)));
    expect(rows.filter(Boolean)).toHaveLength(1);
  }
});

it("connecting twice at once by one tenant ends as one connection, with the page uses of the last", async () => {
  const results = await Promise.all([connect(tenant, page("first")), connect(tenant, page("second"))]);
  expect(results.map((result) => result.kind === "connected" && result.previous !== null).sort()).toEqual([
    false,
    true,
  ]);
  const { pageId } = (await accounts.get(tenant, ref)) ?? {};
  const uses = { first: await usersOf("first"), second: await usersOf("second") };
  expect(uses).toEqual(
    pageId === page("first").pageId ? { first: [tenant], second: [] } : { first: [], second: [tenant] },
  );
});

it("connecting in a second way replaces the first, with its page use, until its subscription has ended", async () => {
  await connected(tenant, { ...page(), sealedToken: new Uint8Array([7]) });
  const { connectionId, replaced } = await connected(tenant, { sealedToken: new Uint8Array([8]) });
  expect(await usersOf()).toEqual([]);
  expect(replaced).toEqual([{ ...page(), sealedToken: new Uint8Array([7]) }]);
  // The same way again leaves it.
  const again = await connected();
  expect(again.replaced).toEqual(replaced);
  await accounts.clearReplaced({ tenant, ref, connectionId });
  expect((await accounts.get(tenant, ref))?.replaced).toEqual(replaced);
  await accounts.clearReplaced({ tenant, ref, connectionId: again.connectionId });
  expect((await accounts.get(tenant, ref))?.replaced).toEqual([]);
});

it("connecting in a third way, before the subscription of the first has ended, keeps both, and up to five", async () => {
  const ways = Array.from({ length: 7 }, (_, i) => ({ ...page(`page-${i}`), sealedToken: new Uint8Array([i]) }));
  const replaced = [];
  for (const way of ways) replaced.push((await connected(tenant, way)).replaced);
  const [first, second, third] = ways;
  expect(replaced.slice(0, 3)).toEqual([[], [first], [second, first]]);
  expect((await accounts.get(tenant, ref))?.replaced).toEqual(ways.slice(1, 6).toReversed());
  // A way that is used again has its own subscription.
  expect((await connected(tenant, { ...third })).replaced.map(({ pageId }) => pageId)).not.toContain(third?.pageId);
  const { connectionId } = (await accounts.get(tenant, ref)) ?? {};
  await accounts.clearReplaced({ tenant, ref, connectionId: String(connectionId) });
  expect((await accounts.get(tenant, ref))?.replaced).toEqual([]);
});

it("connecting from another page moves the page use", async () => {
  await connected(tenant, page("old"));
  await connected(tenant, page("new"));
  expect([await usersOf("old"), await usersOf("new")]).toEqual([[], [tenant]]);
});

it("a connection whose answer is lost is one connection", async () => {
  const end = injectFaults(table.client, ({ index }) => (index === 1 ? "lost" : "pass"));
  expect(await connect()).toMatchObject({ kind: "connected", previous: null });
  end();
  expect(await actions()).toEqual(["account.connect"]);
});

it("connecting is refused a member who no longer may, and for a tenant that is being deleted", async () => {
  const of = await createTenant(table);
  const agent = await createMember(table, of, "agent");
  const author: ChangeAuthor = { audit, actor: { userId: agent.id, roles: ["admin", "owner"] } };
  expect(await accounts.connect({ tenant: of, account: sampleNewAccount(ref), author, now: NOW })).toEqual({
    kind: "actor_changed",
  });
  await tenantDeletionStore(table).start(of, { actor: "cli", now: NOW });
  await expect(connect(of)).rejects.toThrow("is being deleted");
  expect(await accounts.get(of, ref)).toBeNull();
});

it("disconnecting removes the account with its token and the use of its page, and leaves an audit row", async () => {
  const account = await connected(tenant, page());
  expect(await disconnect(account)).toEqual({ kind: "disconnected", account });
  expect(await storedRow(accountItemKey(tenant, ref))).toBeUndefined();
  expect(await accounts.getRoute(ref)).toBeNull();
  expect(await usersOf()).toEqual([]);
  expect(await actions()).toEqual(["account.connect", "account.disconnect"]);
  expect(await disconnect(account)).toEqual({ kind: "gone" });
  expect(await actions()).toHaveLength(2);
});

it("disconnecting keeps other tenants from the account for two minutes, and not its own", async () => {
  await disconnect(await connected());
  expect((await storedRow(accountRouteKey(ref)))?.x).toBe(timeToLive(NOW + 7 * DAY + HOUR));
  expect(await connect(other, {}, NOW + 2 * MINUTE - 1)).toEqual({ kind: "in_use" });
  expect(await accounts.getRoute(ref)).toBeNull();
  await disconnect(await connected(tenant, {}, NOW + 1), tenant, NOW + 1);
  expect(await connect(other, {}, NOW + 2 * MINUTE)).toEqual({ kind: "in_use" });
  expect(await connect(other, {}, NOW + 2 * MINUTE + 1)).toMatchObject({ kind: "connected", previous: null });
  expect((await accounts.getRoute(ref))?.tenant).toBe(other);
  expect(await storedRow(accountRouteKey(ref))).not.toHaveProperty("x");
});

it("disconnecting restores no time of a holder that a data deletion removed between its read and its write", async () => {
  const account = await connected();
  const removal = removeTimesBeforeTheTransaction(NOW + HOUR);
  expect(await disconnect(account, tenant, NOW + 2 * HOUR)).toMatchObject({ kind: "disconnected" });
  expect(removal.end()).toBe(true);
  expect(await accounts.listHolders(ref)).toMatchObject([{ from: NOW + HOUR + MINUTE, until: NOW + 2 * HOUR }]);
});

it("disconnecting of an older connection does nothing", async () => {
  const older = await connected();
  const newer = await connected();
  expect(await disconnect(older)).toEqual({ kind: "gone" });
  expect(await accounts.get(tenant, ref)).toEqual(newer);
  expect(await actions()).toEqual(["account.connect", "account.reconnect"]);
});

it("disconnecting does not take a connection that was made between its read and its write", async () => {
  const older = await connected(tenant, page());
  let newer: Account | null = null;
  const end = injectFaults(table.client, async ({ command }): Promise<Fault> => {
    if (command !== "TransactWriteItems" || newer !== null) return "pass";
    newer = older;
    newer = await connected(tenant, page());
    return "pass";
  });
  expect(await disconnect(older)).toEqual({ kind: "gone" });
  end();
  expect(await accounts.get(tenant, ref)).toEqual(newer);
  expect(await usersOf()).toEqual([tenant]);
});

it("disconnecting is not done when a check subscribed the app again since the account was read", async () => {
  const { connectionId, resubscriptions } = await connected();
  const recording = { tenant, ref, connectionId };
  expect(await accounts.recordResubscription(recording)).toBe(true);
  const request = { tenant, ref, connectionId, author: disconnecting, event: null, now: NOW };
  expect(await accounts.disconnect({ ...request, resubscriptions })).toEqual({ kind: "gone" });
  const { resubscriptions: newer = null } = (await accounts.get(tenant, ref)) ?? {};
  // Two marks of one millisecond are two marks.
  expect(await accounts.recordResubscription(recording)).toBe(true);
  expect(await accounts.disconnect({ ...request, resubscriptions: newer })).toEqual({ kind: "gone" });
  const { resubscriptions: newest = null } = (await accounts.get(tenant, ref)) ?? {};
  expect(await accounts.disconnect({ ...request, resubscriptions: newest })).toMatchObject({ kind: "disconnected" });
  expect(await accounts.recordResubscription(recording)).toBe(false);
  expect((await connected()).resubscriptions).toBeNull();
});

it("disconnecting at once with connecting again never leaves an account without a route, or a route without an account", async () => {
  for (let attempt = 0; attempt < 10; attempt++) {
    ref = { platform: "instagram", externalId: `race-${tenant}-${attempt}` };
    const account = await connected(tenant, page());
    await Promise.all([disconnect(account), connect(tenant, page())]);
    const stored = await accounts.get(tenant, ref);
    expect(stored).not.toBeNull();
    expect((await accounts.getRoute(ref))?.tenant).toBe(tenant);
    expect((await pageUses.list(page().pageId)).some(({ account: of }) => of.externalId === ref.externalId)).toBe(true);
  }
});

it("disconnecting is refused a member who no longer may", async () => {
  const of = await createTenant(table);
  const agent = await createMember(table, of, "agent");
  const account = await connected(of);
  const author: ChangeAuthor = { ...disconnecting, actor: { userId: agent.id, roles: ["admin", "owner"] } };
  const { connectionId } = account;
  const result = await accounts.disconnect({ tenant: of, ref, connectionId, author, event: null, now: NOW });
  expect(result).toEqual({ kind: "actor_changed" });
  expect(await accounts.get(of, ref)).toEqual(account);
});

const token = (byte: number) => new Uint8Array([byte]);
const refresh = ({ connectionId, sealedToken }: Account, byte: number) =>
  accounts.replaceToken({
    tenant,
    ref,
    connectionId,
    readToken: sealedToken,
    sealedToken: token(byte),
    tokenExpiresAt: NOW + DAY,
    now: NOW + 1,
  });

it("a refreshed token is written over the one that was read, and the same by a repetition", async () => {
  const account = await connected();
  const refreshed = await refresh(account, 2);
  expect(refreshed).toEqual({
    ...account,
    sealedToken: token(2),
    tokenExpiresAt: NOW + DAY,
    lastRefreshedAt: NOW + 1,
  });
  expect(await refresh(account, 2)).toEqual(refreshed);
  expect(await refresh(account, 3)).toBeNull();
  expect(await accounts.get(tenant, ref)).toEqual(refreshed);
});

it("a refreshed token is not written when the account was disconnected or connected again", async () => {
  const account = await connected();
  const again = await connected();
  expect(await refresh(account, 2)).toBeNull();
  expect(await accounts.get(tenant, ref)).toEqual(again);
  await disconnect(again);
  expect(await refresh(again, 2)).toBeNull();
  expect(await storedRow(accountItemKey(tenant, ref))).toBeUndefined();
});

it("a status of an earlier connection is not written after disconnecting, and no row comes back", async () => {
  const account = await connected();
  await disconnect(account);
  const refusal = { status: "restricted", detail: "-", asOf: NOW, at: NOW, eventUlid: newUlid(NOW) } as const;
  expect(await accounts.setStatus(tenant, ref, refusal)).toBeNull();
  await accounts.recordHumanAgentRefusal(tenant, ref, NOW);
  expect(
    await accounts.setPolicy(tenant, ref, { action: "block", at: NOW, reason: null, eventUlid: newUlid(NOW) }),
  ).toBeNull();
  expect(await storedRow(accountItemKey(tenant, ref))).toBeUndefined();
});
