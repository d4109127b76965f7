import { GetCommand, QueryCommand, TransactWriteCommand } from "@aws-sdk/lib-dynamodb";
import { type Account, type AccountRef, type AccountStatus, type Connection, isPlatform } from "../domain/accounts.ts";
import { parseTenant, type TenantId } from "../kernel/tenant.ts";
import type { Millis } from "../kernel/time.ts";
import type { Table } from "./client.ts";
import { accountItemKey, accountRouteKey, type Key } from "./keys.ts";

/** Where an account's updates go. */
export interface AccountRoute {
  readonly tenant: TenantId;
  readonly handle: string;
}

export type Accounts = ReturnType<typeof accountStore>;

export function accountStore({ client, name: TableName }: Table) {
  return {
    /** Connects an account, or connects it anew: the account and the route to its tenant, both or neither. */
    async connect(tenant: TenantId, account: Account): Promise<void> {
      await client.send(
        new TransactWriteCommand({
          TransactItems: [
            { Put: { TableName, Item: itemOf(tenant, account) } },
            {
              Put: {
                TableName,
                Item: { ...accountRouteKey(account), t: tenant, h: account.handle },
                ConditionExpression: "attribute_not_exists(PK) OR t = :t",
                ExpressionAttributeValues: { ":t": tenant },
              },
            },
          ],
        }),
      );
    },

    async list(tenant: TenantId): Promise<Account[]> {
      const { Items = [] } = await client.send(
        new QueryCommand({
          TableName,
          KeyConditionExpression: "PK = :t AND begins_with(SK, :acc)",
          ExpressionAttributeValues: { ":t": `T#${tenant}`, ":acc": "ACC#" },
        }),
      );
      return (Items as AccountItem[]).map(accountOf);
    },

    async get(tenant: TenantId, ref: AccountRef): Promise<Account | null> {
      const { Item } = await client.send(
        new GetCommand({ TableName, Key: accountItemKey(tenant, ref), ConsistentRead: true }),
      );
      return Item ? accountOf(Item as AccountItem) : null;
    },

    /** The tenant that an account is connected to; null when it is connected to none. */
    async routeOf(ref: AccountRef): Promise<AccountRoute | null> {
      const { Item } = await client.send(new GetCommand({ TableName, Key: accountRouteKey(ref) }));
      const tenant = Item ? parseTenant(Item.t as string) : null;
      return tenant ? { tenant, handle: Item?.h as string } : null;
    },
  };
}

interface AccountItem extends Key {
  readonly cn: Connection;
  readonly h: string;
  readonly n: string;
  readonly pg?: string;
  readonly st: AccountStatus;
  readonly re?: string;
  readonly lr?: Millis;
  readonly tk: Uint8Array;
}

function itemOf(tenant: TenantId, account: Account) {
  return {
    ...accountItemKey(tenant, account),
    cn: account.connection,
    h: account.handle,
    n: account.displayName,
    pg: account.pageId ?? undefined,
    st: account.status,
    re: account.refreshError ?? undefined,
    lr: account.lastRefreshedAt ?? undefined,
    tk: account.sealedToken,
  };
}

function accountOf(item: AccountItem): Account {
  const [, platform = "", externalId = ""] = item.SK.split("#");
  if (!isPlatform(platform)) throw new Error("An account lies under an unknown platform.");
  return {
    platform,
    externalId,
    connection: item.cn,
    handle: item.h,
    displayName: item.n,
    pageId: item.pg ?? null,
    status: item.st,
    refreshError: item.re ?? null,
    lastRefreshedAt: item.lr ?? null,
    sealedToken: item.tk,
  };
}
