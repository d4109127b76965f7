import { GetCommand, QueryCommand, TransactWriteCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import type { AuditEntry } from "../../domain/access/audit.ts";
import {
  type Account,
  type AccountRef,
  type AccountStatus,
  type Connection,
  effectiveStatus,
  isPlatform,
  statusAfterPolicy,
} from "../../domain/accounts/accounts.ts";
import { parseTenant, type TenantId } from "../../kernel/tenant.ts";
import type { Millis } from "../../kernel/time.ts";
import { auditItem } from "../access/audit.ts";
import type { Table } from "../client.ts";
import { conditionalWrite, conditions } from "../conditional-write.ts";
import { accountItemKey, accountRouteKey, type Key, t13 } from "../keys.ts";

/** Where an account's updates go. */
export interface AccountRoute {
  readonly tenant: TenantId;
  readonly handle: string;
}

/** What the platform decided of an account. */
export interface PolicyDecision {
  readonly action: "block" | "unblock";
  /** The platform's own time. Of two at the same instant the unblock stands. */
  readonly at: Millis;
  /** Of the event that announces it, when it is the first to tell of this decision. */
  readonly eventUlid: string;
}

/** An account under a decision, and the event that is to announce it; null when nothing changed for anyone. */
export interface PolicyResult {
  readonly account: Account;
  readonly eventUlid: string | null;
}

/** What a refusal says of an account. */
export interface StatusChange {
  readonly status: Extract<AccountStatus, "needs_reauth" | "restricted">;
  /** The platform's words. */
  readonly error: string;
  readonly asOf: Millis;
  /** Of the event that is to announce it. */
  readonly eventUlid: string;
}

const WRITE_ATTEMPTS_MAX = 4;

export type Accounts = ReturnType<typeof accountStore>;

export function accountStore({ client, name: TableName }: Table) {
  return {
    /** Connects an account, or connects it anew: the account, the route to its tenant and an audit row, or nothing. */
    async connect(tenant: TenantId, account: Account, audit: AuditEntry): Promise<void> {
      await client.send(
        new TransactWriteCommand({
          TransactItems: [
            { Put: { TableName, Item: toAccountItem(tenant, account) } },
            {
              Put: {
                TableName,
                Item: { ...accountRouteKey(account), t: tenant, h: account.handle },
                ConditionExpression: "attribute_not_exists(PK) OR t = :t",
                ExpressionAttributeValues: { ":t": tenant },
              },
            },
            { Put: { TableName, Item: auditItem(tenant, audit) } },
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
      return (Items as AccountItem[]).map(toAccount);
    },

    async get(tenant: TenantId, ref: AccountRef): Promise<Account | null> {
      const { Item } = await client.send(
        new GetCommand({ TableName, Key: accountItemKey(tenant, ref), ConsistentRead: true }),
      );
      return Item ? toAccount(Item as AccountItem) : null;
    },

    /**
     * Notes the platform's decision, unless a newer one is known. It has an event where the account then shows another
     * status. Safe to repeat: the same decision answers the first one's event. A token that is dead stays dead whatever
     * the platform decides.
     * @returns null when the account is gone or a newer decision stands
     */
    async setPolicy(tenant: TenantId, ref: AccountRef, decision: PolicyDecision): Promise<PolicyResult | null> {
      for (let attempt = 1; attempt <= WRITE_ATTEMPTS_MAX; attempt++) {
        const Key = accountItemKey(tenant, ref);
        const { Item } = await client.send(new GetCommand({ TableName, Key, ConsistentRead: true }));
        if (!Item) return null;
        const item = Item as AccountItem;
        const storedDecision = item.po;
        if (storedDecision && decisionOrder(storedDecision) >= decisionOrder(decision)) {
          return decisionOrder(storedDecision) === decisionOrder(decision)
            ? { account: toAccount(item), eventUlid: storedDecision.eventUlid }
            : null;
        }
        const newStatus = statusAfterPolicy(item.st, decision.action);
        const changesShownStatus = effectiveStatus(newStatus, decision.action) !== itemStatus(item);
        const po: StoredDecision = { ...decision, eventUlid: changesShownStatus ? decision.eventUlid : null };
        const changesStoredStatus = newStatus !== item.st;
        const result = await conditionalWrite(() =>
          client.send(
            new UpdateCommand({
              TableName,
              Key,
              UpdateExpression: `SET po = :po${changesStoredStatus ? ", st = :known REMOVE re" : ""}`,
              ConditionExpression: `st = :st AND ${storedDecision ? "po = :seen" : "attribute_not_exists(po)"}`,
              ExpressionAttributeValues: {
                ":po": po,
                ":st": item.st,
                ...(storedDecision ? { ":seen": storedDecision } : {}),
                ...(changesStoredStatus ? { ":known": newStatus } : {}),
              },
              ReturnValues: "ALL_NEW",
            }),
          ),
        );
        if (result.applied) {
          return { account: toAccount(result.output.Attributes as AccountItem), eventUlid: po.eventUlid };
        }
      }
      throw new Error("The account's policy was written by others at every try.");
    },

    /**
     * Notes what the platform's refusal of a call says of the account. Safe to repeat: the same refusal is known by its
     * event. What was learned since stands above it: a token that was had later, and a dead token above everything.
     * @param change.asOf when the call began
     * @returns the account when this refusal changed its status; null when it did not
     */
    async setStatus(tenant: TenantId, ref: AccountRef, change: StatusChange): Promise<Account | null> {
      const { status, error, asOf, eventUlid } = change;
      const Key = accountItemKey(tenant, ref);
      for (let attempt = 1; attempt <= WRITE_ATTEMPTS_MAX; attempt++) {
        const { Item } = await client.send(new GetCommand({ TableName, Key, ConsistentRead: true }));
        if (!Item) return null;
        const item = Item as AccountItem;
        if (item.se === eventUlid) return toAccount(item);
        const currentStatus = itemStatus(item);
        if (currentStatus === status || currentStatus === "needs_reauth" || (item.lr ?? 0) > asOf) return null;
        const { st, lr, po } = item;
        const unchangedCondition = `st = :seen AND ${lr === undefined ? "attribute_not_exists(lr)" : "lr = :lr"}`;
        const result = await conditionalWrite(() =>
          client.send(
            new UpdateCommand({
              TableName,
              Key,
              UpdateExpression: "SET st = :st, re = :re, se = :se",
              ConditionExpression: `${unchangedCondition} AND ${po ? "po = :po" : "attribute_not_exists(po)"}`,
              ExpressionAttributeValues: {
                ":st": status,
                ":re": error,
                ":se": eventUlid,
                ":seen": st,
                ":lr": lr,
                ":po": po,
              },
              ReturnValues: "ALL_NEW",
            }),
          ),
        );
        if (result.applied) return toAccount(result.output.Attributes as AccountItem);
      }
      throw new Error("The account's status was written by others at every try.");
    },

    /** Notes that the platform refused the human agent's tag, whatever else it takes from this account. */
    async recordHumanAgentRefusal(tenant: TenantId, ref: AccountRef, at: Millis): Promise<void> {
      await conditionalWrite(() =>
        client.send(
          new UpdateCommand({
            TableName,
            Key: accountItemKey(tenant, ref),
            UpdateExpression: "SET human_agent_blocked_at = :at",
            ConditionExpression: conditions.itemExists,
            ExpressionAttributeValues: { ":at": at },
          }),
        ),
      );
    },

    /** The tenant that an account is connected to; null when it is connected to none. */
    async getRoute(ref: AccountRef): Promise<AccountRoute | null> {
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
  readonly po?: StoredDecision;
  /** The event of the last status that a refused call gave it. */
  readonly se?: string;
}

/** The newest decision of the platform's; `eventUlid` is null when it was not worth an event. */
interface StoredDecision {
  readonly action: PolicyDecision["action"];
  readonly at: Millis;
  readonly eventUlid: string | null;
}

/** The words happen to sort as they should: block, unblock. */
function decisionOrder({ at, action }: Pick<StoredDecision, "at" | "action">): string {
  return `${t13(at)}#${action}`;
}

function itemStatus({ st, po }: AccountItem): AccountStatus {
  return effectiveStatus(st, po?.action ?? null);
}

function toAccountItem(tenant: TenantId, account: Account) {
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

function toAccount(item: AccountItem): Account {
  const [, platform = "", externalId = ""] = item.SK.split("#");
  if (!isPlatform(platform)) throw new Error("An account lies under an unknown platform.");
  return {
    platform,
    externalId,
    connection: item.cn,
    handle: item.h,
    displayName: item.n,
    pageId: item.pg ?? null,
    status: itemStatus(item),
    refreshError: item.re ?? null,
    lastRefreshedAt: item.lr ?? null,
    sealedToken: item.tk,
  };
}
