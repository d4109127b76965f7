import { GetCommand, QueryCommand } from "@aws-sdk/lib-dynamodb";
import type { RenderedEvent } from "#base/events/events.ts";
import { ACCOUNT_RELEASE_WAIT } from "#base/kernel/limits.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import type { Picture } from "#base/kernel/text/pictures.ts";
import type { Millis } from "#base/kernel/time.ts";
import type { Table } from "#base/table/client.ts";
import { conditionalTransaction } from "#base/table/conditional-write.ts";
import { allOf, type Expression, isUnchanged, itemDoesNotExist } from "#base/table/expressions.ts";
import { type Key, timeToLive } from "#base/table/keys.ts";
import { assign, check, put, remove, type TransactItem, update } from "#base/table/writes.ts";
import type { ChangeAuthor } from "#features/access/rules/callers.ts";
import { actorCheck, auditItem, tenantKey } from "#features/access/store/items.ts";
import { isNotDeleted } from "#features/access/store/membership-items.ts";
import { eventBodyItem } from "#features/delivery/store/items.ts";
import type { Account, AccountRef, ReplacedConnection } from "../rules/accounts.ts";
import { HOLDER_RETENTION, holdersAfterConnecting, holdersAfterDisconnecting } from "../rules/holders.ts";
import { type AccountCheck, accountCheckStore, replaceCheck } from "./account-checks.ts";
import {
  accountAttributes as A,
  authorizationAttributes as Authorization,
  pageUseAttributes as PageUse,
  accountRouteAttributes as Route,
} from "./attributes.ts";
import {
  type AccountItem,
  type AccountRouteItem,
  accountItemKey,
  accountRouteKey,
  authorizationKey,
  isOfConnection,
  pageUseKey,
  replacedConnections,
  toAccount,
  toHolders,
  toHoldersAttribute,
} from "./items.ts";

/** An account as a login connects it. */
export type NewAccount = Pick<
  Account,
  | "platform"
  | "externalId"
  | "connectionId"
  | "connection"
  | "handle"
  | "displayName"
  | "pageId"
  | "sealedToken"
  | "tokenExpiresAt"
  | "authorizedBy"
>;

/**
 * `previous`: the account as it was, if it was connected. `check`: its next check. `in_use`: another tenant has it, or
 * had it a moment ago.
 * `limit`: the tenant has the most accounts that it may have, and this one would be new.
 * `actor_changed`: the acting member may no longer connect accounts.
 */
export type Connecting =
  | {
      readonly kind: "connected";
      readonly account: Account;
      readonly previous: Account | null;
      readonly check: AccountCheck;
    }
  | { readonly kind: "in_use" }
  | { readonly kind: "limit" }
  | { readonly kind: "actor_changed" };

/** `gone`: the account was disconnected, connected again or subscribed again since. */
export type Disconnecting =
  | { readonly kind: "disconnected"; readonly account: Account }
  | { readonly kind: "gone" }
  | { readonly kind: "actor_changed" };

/** One connection of an account: a later one has another id. */
export interface ConnectionOf {
  readonly tenant: TenantId;
  readonly ref: AccountRef;
  readonly connectionId: string;
}

const WRITE_ATTEMPTS_MAX = 4;

/** Connecting accounts and disconnecting them. Each is one transaction. */
export function accountConnections(table: Table) {
  const { client, name: TableName } = table;
  const checks = accountCheckStore(table);

  /** A row of an account or of its route; null without one. Reads consistently. */
  async function getRow<Row>(Key: Key): Promise<Row | null> {
    const { Item } = await client.send(new GetCommand({ TableName, Key, ConsistentRead: true }));
    return (Item as Row | undefined) ?? null;
  }

  /** Whether a tenant has so many accounts, or more. Read consistently. */
  async function hasAccounts(tenant: TenantId, number: number): Promise<boolean> {
    let count = 0;
    let ExclusiveStartKey: Record<string, unknown> | undefined;
    do {
      const { Count = 0, LastEvaluatedKey } = await client.send(
        new QueryCommand({
          TableName,
          KeyConditionExpression: "PK = :t AND begins_with(SK, :acc)",
          ExpressionAttributeValues: { ":t": `T#${tenant}`, ":acc": "ACC#" },
          Select: "COUNT",
          Limit: number - count,
          ConsistentRead: true,
          ExclusiveStartKey,
        }),
      );
      count += Count;
      ExclusiveStartKey = LastEvaluatedKey;
    } while (ExclusiveStartKey && count < number);
    return count >= number;
  }

  return {
    /**
     * Connects an account for the first time or again: the account, the route to its tenant, the use of its page, the
     * logins that authorized it, its next check and an audit row, in one transaction. What follows from the replaced
     * token goes with it; the platform's decision about the account stays. The check carries the logins of earlier
     * connections. The audit row's action says whether the account was connected. New accounts that are connected at
     * the same time may together exceed the limit by as many as there are.
     * @param connecting `picture`: as the login named it. Default: that of the stored check; `accountsMax`: the most
     *   accounts of the tenant, for a new one. Default: no limit
     * @throws Error when the tenant is being deleted
     */
    async connect({
      tenant,
      account,
      picture = null,
      accountsMax,
      author: { audit, actor },
      now,
    }: {
      readonly tenant: TenantId;
      readonly account: NewAccount;
      readonly picture?: Picture | null;
      readonly accountsMax?: number | undefined;
      readonly author: ChangeAuthor;
      readonly now: Millis;
    }): Promise<Connecting> {
      const key = accountItemKey(tenant, account);
      const { connectionId, handle } = account;
      for (let attempt = 1; attempt <= WRITE_ATTEMPTS_MAX; attempt++) {
        const item = await getRow<AccountItem>(key);
        const mayBeOver = item === null && accountsMax !== undefined;
        if (mayBeOver && (await hasAccounts(tenant, accountsMax))) return { kind: "limit" };
        const storedRoute = await getRow<AccountRouteItem>(accountRouteKey(account));
        if (storedRoute && !isFreeFor(storedRoute, tenant, now)) return { kind: "in_use" };
        const storedCheck = await checks.get(tenant, account);
        const holders = storedRoute ? toHolders(storedRoute) : [];
        const route = {
          [Route.tenant]: tenant,
          [Route.handle]: handle,
          ...toHoldersAttribute(holdersAfterConnecting(holders, { tenant, handle, now })),
          [Route.former]: undefined,
          [Route.freeAt]: undefined,
          [Route.ttl]: undefined,
        };
        const previous = item && toAccount(item);
        const action = previous ? "account.reconnect" : "account.connect";
        const { platform, externalId, authorizedBy } = account;
        const ref = { platform, externalId };
        const isReconnection = previous !== null;
        const connection = { tenant, account: ref, connectionId, authorizedBy, isReconnection, picture, now };
        const { check: newCheck, write: checkWrite } = replaceCheck(storedCheck, connection, previous);
        const result = await conditionalTransaction(
          table,
          [
            update(key, { set: connectionChanges(account, item, now) }, isUnchangedConnection(item)),
            update(accountRouteKey(account), { set: route }, isSameRoute(storedRoute)),
            put(auditItem(tenant, { ...audit, action })),
            ...(actor ? actorCheck(tenant, actor) : [check(tenantKey(tenant), isNotDeleted)]),
            ...pageUseItems(tenant, account, previous),
            ...account.authorizedBy.map((userId) => assign(authorizationItem(tenant, account, userId))),
            checkWrite,
          ],
          { ownMark: { [A.connectionId]: connectionId } },
        );
        if (result.applied) {
          const stored = { ...(item ?? {}), ...key, ...connectionChanges(account, item, now) };
          return { kind: "connected", account: toAccount(stored as unknown as AccountItem), previous, check: newCheck };
        }
        const [changedAccount, changedRoute, , author] = result.current;
        if (changedAccount !== undefined || changedRoute !== undefined) continue;
        if (author === undefined && result.current.at(-1) !== undefined) continue;
        if (author === undefined) throw new Error("The account was not connected, though each condition held.");
        if (actor) return { kind: "actor_changed" };
        throw new Error("The tenant is being deleted.");
      }
      throw new Error("Concurrent writes changed the account on every attempt to connect it.");
    },

    /**
     * Disconnects an account: the account with its token, the use of its page and the tenant's right to its route, with
     * an audit row, in one transaction. The route stays no tenant's for two minutes, as long as workers may remember
     * it.
     * @param connection `connectionId`: a later connection of the account stays; `resubscriptions` as it was before the
     *   app was unsubscribed: a check may have subscribed it again since; `event`: its body is stored in the same
     *   transaction, so that it exists for a disconnection that happened
     */
    async disconnect({
      tenant,
      ref,
      connectionId,
      resubscriptions,
      author: { audit, actor },
      event,
      now,
    }: ConnectionOf & {
      readonly resubscriptions?: number | null;
      readonly author: ChangeAuthor;
      readonly event: RenderedEvent | null;
      readonly now: Millis;
    }): Promise<Disconnecting> {
      const isNotResubscribed =
        resubscriptions === undefined ? [] : [isUnchanged(A.resubscriptions, resubscriptions ?? undefined)];
      for (let attempt = 1; attempt <= WRITE_ATTEMPTS_MAX; attempt++) {
        const item = await getRow<AccountItem>(accountItemKey(tenant, ref));
        if (!item || (item[A.connectionId] ?? "") !== connectionId) return { kind: "gone" };
        const account = toAccount(item);
        const storedRoute = await getRow<AccountRouteItem>(accountRouteKey(ref));
        const isForeign = storedRoute?.[Route.tenant] !== undefined && storedRoute[Route.tenant] !== tenant;
        if (isForeign) throw new Error("The account's route is another tenant's.");
        const holders = storedRoute ? toHolders(storedRoute) : [];
        const freeRoute = {
          [Route.tenant]: undefined,
          [Route.handle]: undefined,
          [Route.former]: tenant,
          [Route.freeAt]: now + ACCOUNT_RELEASE_WAIT,
          ...toHoldersAttribute(holdersAfterDisconnecting(holders, now)),
          [Route.ttl]: timeToLive(now + HOLDER_RETENTION),
        };
        const result = await conditionalTransaction(table, [
          remove(accountItemKey(tenant, ref), allOf(isOfConnection(connectionId), ...isNotResubscribed)),
          update(accountRouteKey(ref), { set: freeRoute }, isSameRoute(storedRoute)),
          put(auditItem(tenant, audit)),
          ...actorCheck(tenant, actor),
          ...(account.pageId === null ? [] : [remove(pageUseKey(account.pageId, ref))]),
          ...(event === null ? [] : [put(eventBodyItem(tenant, event))]),
        ]);
        if (result.applied) return { kind: "disconnected", account };
        const [changedAccount, changedRoute] = result.current;
        if (changedAccount !== undefined) return { kind: "gone" };
        if (changedRoute === undefined) return { kind: "actor_changed" };
      }
      throw new Error("Concurrent writes changed the account's route on every attempt to disconnect it.");
    },
  };
}

/** Each connecting changes the id, and the platform's decision decides what the new connection takes over. */
function isUnchangedConnection(item: AccountItem | null): Expression {
  if (!item) return itemDoesNotExist;
  const connectionId = item[A.connectionId] ?? "";
  return allOf(
    isOfConnection(connectionId),
    isUnchanged(A.policy, item[A.policy]),
    isUnchanged(A.status, item[A.status]),
    isUnchanged(A.sealedToken, item[A.sealedToken]),
  );
}

/** Whether a route is no tenant's, or this tenant's, or was this tenant's until a moment ago. */
function isFreeFor(route: AccountRouteItem, tenant: TenantId, now: Millis): boolean {
  if (route[Route.tenant] !== undefined) return route[Route.tenant] === tenant;
  return route[Route.former] === tenant || (route[Route.freeAt] ?? 0) <= now;
}

/**
 * The route is as it was read: who has the account, and who had it when. A data deletion may remove times of holders.
 */
function isSameRoute(route: AccountRouteItem | null): Expression {
  if (!route) return itemDoesNotExist;
  const attributes = [Route.tenant, Route.former, Route.freeAt, Route.holders] as const;
  return allOf(...attributes.map((name) => isUnchanged(name, route[name])));
}

function pageUseItems(tenant: TenantId, account: NewAccount, previous: Account | null): TransactItem[] {
  const { pageId } = account;
  const use = pageId === null ? [] : [assign({ ...pageUseKey(pageId, account), [PageUse.tenant]: tenant })];
  const formerPage = previous?.pageId ?? null;
  const formerUse = formerPage === null || formerPage === pageId ? [] : [remove(pageUseKey(formerPage, account))];
  return [...use, ...formerUse];
}

/** A login's row also names the other ids of its person: a data deletion by one of them removes all. */
function authorizationItem(tenant: TenantId, account: NewAccount, userId: string) {
  const otherIds = account.authorizedBy.filter((id) => id !== userId);
  return {
    ...authorizationKey(userId, tenant, account),
    [Authorization.connectionId]: account.connectionId,
    [Authorization.otherIds]: otherIds.length > 0 ? otherIds : undefined,
    [Authorization.ttl]: undefined,
  };
}

/** What connecting sets and removes. All else of a stored account stays. */
function connectionChanges(account: NewAccount, item: AccountItem | null, now: Millis) {
  // The text of a block is the platform's, as its decision is.
  const keepsDetail = item?.[A.policy]?.action === "block" && item[A.status] !== "needs_reauth";
  return {
    [A.connectionId]: account.connectionId,
    [A.connection]: account.connection,
    [A.handle]: account.handle,
    [A.displayName]: account.displayName,
    [A.pageId]: account.pageId ?? undefined,
    [A.sealedToken]: account.sealedToken,
    [A.tokenExpiresAt]: account.tokenExpiresAt ?? undefined,
    [A.authorizedBy]: account.authorizedBy.length > 0 ? account.authorizedBy : undefined,
    [A.status]: "active",
    [A.lastRefreshedAt]: now,
    [A.statusDetail]: keepsDetail ? item?.[A.statusDetail] : undefined,
    [A.refreshError]: undefined,
    [A.refreshFailingSince]: undefined,
    [A.retryAt]: undefined,
    [A.retryWait]: undefined,
    [A.resubscriptions]: undefined,
    [A.reconnected]: item ? true : undefined,
    [A.recoveredAt]: undefined,
    ...(item ? replacedAfter(account, item) : {}),
  };
}

/** An account is not connected in more ways before a subscription has ended. */
const REPLACED_MAX = 5;

/**
 * The connections that this one replaces, of which the app may still be subscribed. A way that is used again is
 * none of them.
 */
function replacedAfter(account: NewAccount, item: AccountItem) {
  const { [A.pageId]: pageId = null, [A.connection]: connection, [A.sealedToken]: sealedToken } = item;
  const isSame = (way: Pick<ReplacedConnection, "pageId" | "connection">) =>
    way.connection === account.connection && way.pageId === account.pageId;
  const former = { pageId, connection, sealedToken } satisfies ReplacedConnection;
  const [newest, ...earlier] = [former, ...replacedConnections(item)].filter((way) => !isSame(way));
  return {
    [A.replaced]: newest,
    [A.earlierReplaced]: earlier.length > 0 ? earlier.slice(0, REPLACED_MAX - 1) : undefined,
  };
}
