import { GetCommand, QueryCommand } from "@aws-sdk/lib-dynamodb";
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
import { accountAttributes as A, accountRouteAttributes as Route } from "../attributes.ts";
import type { Table } from "../client.ts";
import { conditionalTransaction, conditionalWrite } from "../conditional-write.ts";
import { absentOr, allOf, equals, isUnchanged, itemExists } from "../expressions.ts";
import { accountItemKey, accountRouteKey, type Key, t13 } from "../keys.ts";
import { put, update } from "../writes.ts";

/** The tenant that receives an account's updates. */
export interface AccountRoute {
  readonly tenant: TenantId;
  readonly handle: string;
}

/** A platform's decision about an account. */
export interface PolicyDecision {
  readonly action: "block" | "unblock";
  /** The platform's time. Of two decisions at the same instant, the unblock wins. */
  readonly at: Millis;
  /** The ULID of the event to publish if this decision is new. */
  readonly eventUlid: string;
}

/** An account after a decision, and the event to publish; null when its shown status did not change. */
export interface PolicyResult {
  readonly account: Account;
  readonly eventUlid: string | null;
}

/** What a refused platform call says of an account. */
export interface StatusChange {
  readonly status: Extract<AccountStatus, "needs_reauth" | "restricted">;
  /** The platform's error message. */
  readonly error: string;
  /** When the call started. */
  readonly asOf: Millis;
  /** The ULID of the event to publish. */
  readonly eventUlid: string;
}

const WRITE_ATTEMPTS_MAX = 4;

export type Accounts = ReturnType<typeof accountStore>;

export function accountStore(table: Table) {
  const { client, name: TableName } = table;
  async function getItem(tenant: TenantId, ref: AccountRef): Promise<AccountItem | undefined> {
    const { Item } = await client.send(
      new GetCommand({ TableName, Key: accountItemKey(tenant, ref), ConsistentRead: true }),
    );
    return Item as AccountItem | undefined;
  }

  return {
    /**
     * Connects an account for the first time or again: the account, the route to its tenant and an audit row, in one
     * transaction. Throws when the account is connected to another tenant.
     */
    async connect(tenant: TenantId, account: Account, audit: AuditEntry): Promise<void> {
      const route = { ...accountRouteKey(account), [Route.tenant]: tenant, [Route.handle]: account.handle };
      const result = await conditionalTransaction(table, [
        put(toAccountItem(tenant, account)),
        put(route, absentOr(equals, Route.tenant, tenant)),
        put(auditItem(tenant, audit)),
      ]);
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
      const item = await getItem(tenant, ref);
      return item ? toAccount(item) : null;
    },

    /**
     * Stores the platform's decision, unless a newer one is stored. There is an event to publish when the shown status
     * changes. Safe to repeat: a repetition returns the event of the first call. A decision never revives an expired
     * token.
     * @returns null when the account is gone or a newer decision is stored
     */
    async setPolicy(tenant: TenantId, ref: AccountRef, decision: PolicyDecision): Promise<PolicyResult | null> {
      for (let attempt = 1; attempt <= WRITE_ATTEMPTS_MAX; attempt++) {
        const item = await getItem(tenant, ref);
        if (!item) return null;
        const { [A.status]: storedStatus, [A.policy]: storedDecision } = item;
        if (storedDecision && decisionOrder(storedDecision) >= decisionOrder(decision)) {
          return decisionOrder(storedDecision) === decisionOrder(decision)
            ? { account: toAccount(item), eventUlid: storedDecision.eventUlid }
            : null;
        }
        const newStatus = statusAfterPolicy(storedStatus, decision.action);
        const changesShownStatus = effectiveStatus(newStatus, decision.action) !== itemStatus(item);
        const newDecision: StoredDecision = { ...decision, eventUlid: changesShownStatus ? decision.eventUlid : null };
        const statusChange = { [A.status]: newStatus, [A.refreshError]: undefined };
        const result = await conditionalWrite<AccountItem>(
          table,
          update(
            accountItemKey(tenant, ref),
            { set: { [A.policy]: newDecision, ...(newStatus === storedStatus ? {} : statusChange) } },
            allOf(equals(A.status, storedStatus), isUnchanged(A.policy, storedDecision)),
            "ALL_NEW",
          ),
        );
        if (result.applied && result.item) return { account: toAccount(result.item), eventUlid: newDecision.eventUlid };
      }
      throw new Error("Concurrent writes changed the account on every attempt to store its policy.");
    },

    /**
     * Stores the status that follows from a refused platform call. Safe to repeat: the refusal is recognized by its
     * event. A token that was refreshed after the call started overrides the refusal, and an expired token overrides
     * every other status.
     * @returns the account when this refusal changed its status, else null
     */
    async setStatus(tenant: TenantId, ref: AccountRef, change: StatusChange): Promise<Account | null> {
      const { status, error, asOf, eventUlid } = change;
      for (let attempt = 1; attempt <= WRITE_ATTEMPTS_MAX; attempt++) {
        const item = await getItem(tenant, ref);
        if (!item) return null;
        if (item[A.statusEvent] === eventUlid) return toAccount(item);
        const currentStatus = itemStatus(item);
        if (currentStatus === status || currentStatus === "needs_reauth") return null;
        if ((item[A.lastRefreshedAt] ?? 0) > asOf) return null;
        const accountIsUnchanged = allOf(
          equals(A.status, item[A.status]),
          isUnchanged(A.lastRefreshedAt, item[A.lastRefreshedAt]),
          isUnchanged(A.policy, item[A.policy]),
        );
        const set = { [A.status]: status, [A.refreshError]: error, [A.statusEvent]: eventUlid };
        const result = await conditionalWrite<AccountItem>(
          table,
          update(accountItemKey(tenant, ref), { set }, accountIsUnchanged, "ALL_NEW"),
        );
        if (result.applied && result.item) return toAccount(result.item);
      }
      throw new Error("Concurrent writes changed the account on every attempt to store its status.");
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
      const read = async (ConsistentRead: boolean) =>
        (await client.send(new GetCommand({ TableName, Key: accountRouteKey(ref), ConsistentRead }))).Item;
      const Item = (await read(false)) ?? (await read(true));
      const tenant = Item ? parseTenant(Item[Route.tenant] as string) : null;
      return tenant ? { tenant, handle: Item?.[Route.handle] as string } : null;
    },
  };
}

interface AccountItem extends Key {
  readonly [A.connection]: Connection;
  readonly [A.handle]: string;
  readonly [A.displayName]: string;
  readonly [A.pageId]?: string;
  readonly [A.status]: AccountStatus;
  readonly [A.refreshError]?: string;
  readonly [A.lastRefreshedAt]?: Millis;
  readonly [A.sealedToken]: Uint8Array;
  readonly [A.policy]?: StoredDecision;
  /** The event of the last status change by a refused call. */
  readonly [A.statusEvent]?: string;
}

/** The platform's newest decision. `eventUlid` is null when it changed nothing that is shown. */
interface StoredDecision {
  readonly action: PolicyDecision["action"];
  readonly at: Millis;
  readonly eventUlid: string | null;
}

/** The actions sort as they must: block, unblock. */
function decisionOrder({ at, action }: Pick<StoredDecision, "at" | "action">): string {
  return `${t13(at)}#${action}`;
}

function itemStatus(item: AccountItem): AccountStatus {
  return effectiveStatus(item[A.status], item[A.policy]?.action ?? null);
}

function toAccountItem(tenant: TenantId, account: Account) {
  return {
    ...accountItemKey(tenant, account),
    [A.connection]: account.connection,
    [A.handle]: account.handle,
    [A.displayName]: account.displayName,
    [A.pageId]: account.pageId ?? undefined,
    [A.status]: account.status,
    [A.refreshError]: account.refreshError ?? undefined,
    [A.lastRefreshedAt]: account.lastRefreshedAt ?? undefined,
    [A.sealedToken]: account.sealedToken,
  };
}

function toAccount(item: AccountItem): Account {
  const [, platform = "", externalId = ""] = item.SK.split("#");
  if (!isPlatform(platform)) throw new Error("Account has an unknown platform.");
  return {
    platform,
    externalId,
    connection: item[A.connection],
    handle: item[A.handle],
    displayName: item[A.displayName],
    pageId: item[A.pageId] ?? null,
    status: itemStatus(item),
    refreshError: item[A.refreshError] ?? null,
    lastRefreshedAt: item[A.lastRefreshedAt] ?? null,
    sealedToken: item[A.sealedToken],
  };
}
