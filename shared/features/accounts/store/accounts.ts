import { GetCommand, QueryCommand } from "@aws-sdk/lib-dynamodb";
import type { TenantId } from "#base/kernel/tenant.ts";
import type { Millis } from "#base/kernel/time.ts";
import type { Table } from "#base/table/client.ts";
import { conditionalWrite } from "#base/table/conditional-write.ts";
import { absentOr, allOf, below, itemExists } from "#base/table/expressions.ts";
import { queryAll } from "#base/table/query-all.ts";
import { update } from "#base/table/writes.ts";
import type { Account, AccountRef } from "../rules/accounts.ts";
import { accountHealth } from "./account-health.ts";
import { accountRoutes } from "./account-routes.ts";
import { accountStatuses } from "./account-statuses.ts";
import { accountAttributes as A } from "./attributes.ts";
import { accountConnections } from "./connections.ts";
import { type AccountItem, accountItemKey, toAccount } from "./items.ts";

export type Accounts = ReturnType<typeof accountStore>;

export function accountStore(table: Table) {
  const { client, name: TableName } = table;
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
      const { Item } = await client.send(
        new GetCommand({ TableName, Key: accountItemKey(tenant, ref), ConsistentRead: true }),
      );
      return Item ? toAccount(Item as AccountItem) : null;
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
