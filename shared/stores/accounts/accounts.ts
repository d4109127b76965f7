import { GetCommand, QueryCommand } from "@aws-sdk/lib-dynamodb";
import type { Account, AccountRef } from "../../domain/accounts/accounts.ts";
import type { TenantId } from "../../kernel/tenant.ts";
import type { Millis } from "../../kernel/time.ts";
import { accountAttributes as A } from "../attributes.ts";
import type { Table } from "../client.ts";
import { conditionalWrite } from "../conditional-write.ts";
import { absentOr, allOf, below, itemExists } from "../expressions.ts";
import { queryAll } from "../query-all.ts";
import { update } from "../writes.ts";
import { accountHealth } from "./account-health.ts";
import { type AccountItem, toAccount } from "./account-items.ts";
import { accountItemKey } from "./account-keys.ts";
import { accountRoutes } from "./account-routes.ts";
import { accountStatuses } from "./account-statuses.ts";
import { accountConnections } from "./connections.ts";

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
