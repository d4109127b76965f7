import { GetCommand, QueryCommand } from "@aws-sdk/lib-dynamodb";
import type { TenantId } from "#base/kernel/tenant.ts";
import type { Millis } from "#base/kernel/time.ts";
import type { Table } from "#base/table/client.ts";
import { conditionalWrite } from "#base/table/conditional-write.ts";
import { absentOr, allOf, below, equals, itemExists } from "#base/table/expressions.ts";
import { queryAll } from "#base/table/query-all.ts";
import { update } from "#base/table/writes.ts";
import type { Account, AccountRef } from "../rules/accounts.ts";
import { accountHealth } from "./account-health.ts";
import { accountRoutes } from "./account-routes.ts";
import { accountStatuses } from "./account-statuses.ts";
import { accountAttributes as A, accountCheckAttributes as Check } from "./attributes.ts";
import { accountConnections, type ConnectionOf } from "./connections.ts";
import { type AccountItem, accountCheckKey, accountItemKey, isOfConnection, toAccount } from "./items.ts";

/** A connection as it is stored. */
interface StoredConnection {
  readonly account: Account;
  /** Whether the account was connected before. */
  readonly isReconnection: boolean;
  /** Whether the mail about it was sent. */
  readonly isMailed: boolean;
}

export type Accounts = ReturnType<typeof accountStore>;

export function accountStore(table: Table) {
  const { client, name: TableName } = table;

  async function getItem(tenant: TenantId, ref: AccountRef): Promise<AccountItem | null> {
    const { Item } = await client.send(
      new GetCommand({ TableName, Key: accountItemKey(tenant, ref), ConsistentRead: true }),
    );
    return (Item as AccountItem | undefined) ?? null;
  }

  return {
    ...accountConnections(table),
    ...accountStatuses(table),
    ...accountHealth(table),
    ...accountRoutes(table),

    async list(tenant: TenantId): Promise<Account[]> {
      const { Items = [] } = await client.send(
        new QueryCommand({
          TableName,
          KeyConditionExpression: "PK = :t AND begins_with(SK, :acc)",
          ExpressionAttributeValues: { ":t": `T#${tenant}`, ":acc": "ACC#" },
        }),
      );
      return (Items as AccountItem[]).map(toAccount);
    },

    /** Every account, read consistently: its token is deleted afterwards. */
    async listAll(tenant: TenantId): Promise<Account[]> {
      return (await queryAll<AccountItem>(table, { PK: `T#${tenant}`, SK: "ACC#" })).map(toAccount);
    },

    async get(tenant: TenantId, ref: AccountRef): Promise<Account | null> {
      const item = await getItem(tenant, ref);
      return item && toAccount(item);
    },

    /** Whether messages of an account's history are still to be read. Reads consistently. */
    async hasUnreadHistory(tenant: TenantId, ref: AccountRef): Promise<boolean> {
      const Key = accountCheckKey(tenant, ref);
      const { Item } = await client.send(new GetCommand({ TableName, Key, ConsistentRead: true }));
      return Item?.[Check.missingUntil] !== undefined;
    },

    /**
     * Replaces the token that was read by a refreshed one. Safe to repeat.
     * @returns the account; null when it was disconnected or connected again, or when its token has changed in the
     *   meantime
     */
    async replaceToken({
      tenant,
      ref,
      connectionId,
      readToken,
      sealedToken,
      tokenExpiresAt,
      now,
    }: ConnectionOf & {
      readonly readToken: Uint8Array;
      readonly sealedToken: Uint8Array;
      readonly tokenExpiresAt: Millis | null;
      readonly now: Millis;
    }): Promise<Account | null> {
      const set = {
        [A.sealedToken]: sealedToken,
        [A.tokenExpiresAt]: tokenExpiresAt ?? undefined,
        [A.lastRefreshedAt]: now,
        [A.refreshError]: undefined,
        [A.refreshFailingSince]: undefined,
      };
      const hasToken = allOf(isOfConnection(connectionId), equals(A.sealedToken, readToken));
      const write = update(accountItemKey(tenant, ref), { set }, hasToken, "ALL_NEW");
      const result = await conditionalWrite<AccountItem>(table, write);
      if (result.applied) return result.item ? toAccount(result.item) : null;
      const { current } = result;
      const isOwnWrite = current !== null && Buffer.compare(current[A.sealedToken], sealedToken) === 0;
      return isOwnWrite ? toAccount(current) : null;
    },

    /**
     * An account as this connection made it, and whether it was connected before. Reads consistently.
     * @returns null when it was disconnected, or connected again
     */
    async getConnection({ tenant, ref, connectionId }: ConnectionOf): Promise<StoredConnection | null> {
      const item = await getItem(tenant, ref);
      if (!item || item[A.connectionId] !== connectionId) return null;
      const isMailed = item[A.connectedMailOf] === connectionId;
      return { account: toAccount(item), isReconnection: item[A.reconnected] === true, isMailed };
    },

    /**
     * Records that a check subscribed the app again.
     * @returns false when the account was disconnected or connected again
     */
    async recordResubscription({ tenant, ref, connectionId }: ConnectionOf): Promise<boolean> {
      const changes = { add: { [A.resubscriptions]: 1 } };
      const write = update(accountItemKey(tenant, ref), changes, isOfConnection(connectionId));
      return (await conditionalWrite(table, write)).applied;
    },

    /** Records that the mail about a connection was sent. */
    async recordConnectedMail({ tenant, ref, connectionId }: ConnectionOf): Promise<void> {
      const changes = { set: { [A.connectedMailOf]: connectionId } };
      await conditionalWrite(table, update(accountItemKey(tenant, ref), changes, isOfConnection(connectionId)));
    },

    /** Removes the replaced connections, and their tokens, once their subscriptions have ended. */
    async clearReplaced({ tenant, ref, connectionId }: ConnectionOf): Promise<void> {
      const write = update(
        accountItemKey(tenant, ref),
        { remove: [A.replaced, A.earlierReplaced] },
        isOfConnection(connectionId),
      );
      await conditionalWrite(table, write);
    },

    /** Stores that the platform refused the human agent tag for this account. */
    async recordHumanAgentRefusal(tenant: TenantId, ref: AccountRef, at: Millis): Promise<void> {
      const changes = { set: { [A.humanAgentRefusedAt]: at } };
      await conditionalWrite(table, update(accountItemKey(tenant, ref), changes, itemExists));
    },

    /** Stores until when the tenant may have sockets, unless a later time is stored. Nothing for an account that is not connected. */
    async markSockets(tenant: TenantId, ref: AccountRef, until: Millis): Promise<void> {
      const condition = allOf(itemExists, absentOr(below, A.socketsUntil, until));
      const changes = { set: { [A.socketsUntil]: until } };
      await conditionalWrite(table, update(accountItemKey(tenant, ref), changes, condition));
    },
  };
}
