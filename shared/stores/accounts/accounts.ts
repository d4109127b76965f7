import { GetCommand, QueryCommand } from "@aws-sdk/lib-dynamodb";
import type { AuditEntry } from "../../domain/access/audit.ts";
import type { Account, AccountRef } from "../../domain/accounts/accounts.ts";
import { parseTenant, type TenantId } from "../../kernel/tenant.ts";
import type { Millis } from "../../kernel/time.ts";
import { auditItem } from "../access/audit.ts";
import { isNotDeleted } from "../access/tenant-conditions.ts";
import { accountAttributes as A, accountRouteAttributes as Route } from "../attributes.ts";
import type { Table } from "../client.ts";
import { conditionalTransaction, conditionalWrite } from "../conditional-write.ts";
import { absentOr, equals, itemExists } from "../expressions.ts";
import { accountItemKey, accountRouteKey, tenantKey } from "../keys.ts";
import { check, put, update } from "../writes.ts";
import { type AccountItem, toAccount, toAccountItem } from "./account-items.ts";
import { accountStatuses } from "./account-statuses.ts";

/** The tenant that receives an account's updates. */
export interface AccountRoute {
  readonly tenant: TenantId;
  readonly handle: string;
}

export type Accounts = ReturnType<typeof accountStore>;

export function accountStore(table: Table) {
  const { client, name: TableName } = table;
  return {
    ...accountStatuses(table),

    /**
     * Connects an account for the first time or again: the account, the route to its tenant and an audit row, in one
     * transaction. Throws when the account is connected to another tenant, and when the tenant is being deleted.
     */
    async connect(tenant: TenantId, account: Omit<Account, "retryAt">, audit: AuditEntry): Promise<void> {
      const route = { ...accountRouteKey(account), [Route.tenant]: tenant, [Route.handle]: account.handle };
      const result = await conditionalTransaction(table, [
        put(toAccountItem(tenant, account)),
        put(route, absentOr(equals, Route.tenant, tenant)),
        put(auditItem(tenant, audit)),
        check(tenantKey(tenant), isNotDeleted),
      ]);
      if (!result.applied && result.current[1] === undefined) throw new Error("The tenant is being deleted.");
      if (!result.applied) throw new Error("The account is connected to another tenant.");
    },

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

    /**
     * The tenant that an account is connected to; null for none. Reads eventually consistently first, at half the
     * price, and a missing route again, consistently: the account may have been connected a moment ago.
     */
    async getRoute(ref: AccountRef): Promise<AccountRoute | null> {
      const readAccountRow = async (ConsistentRead: boolean) =>
        (await client.send(new GetCommand({ TableName, Key: accountRouteKey(ref), ConsistentRead }))).Item;
      const Item = (await readAccountRow(false)) ?? (await readAccountRow(true));
      const tenant = Item ? parseTenant(Item[Route.tenant] as string) : null;
      return tenant ? { tenant, handle: Item?.[Route.handle] as string } : null;
    },
  };
}
