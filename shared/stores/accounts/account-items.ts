import {
  type Account,
  type AccountStatus,
  type Connection,
  effectiveStatus,
  isPlatform,
} from "../../domain/accounts/accounts.ts";
import type { TenantId } from "../../kernel/tenant.ts";
import type { Millis } from "../../kernel/time.ts";
import { accountAttributes as A } from "../attributes.ts";
import { accountItemKey, type Key } from "../keys.ts";

/** An account as stored. */
export interface AccountItem extends Key {
  readonly [A.connection]: Connection;
  readonly [A.handle]: string;
  readonly [A.displayName]: string;
  readonly [A.pageId]?: string;
  readonly [A.status]: AccountStatus;
  readonly [A.statusDetail]?: string;
  readonly [A.refreshError]?: string;
  readonly [A.lastRefreshedAt]?: Millis;
  readonly [A.sealedToken]: Uint8Array;
  readonly [A.policy]?: StoredDecision;
  /** Decisions before `policy` that have an event, newest first. */
  readonly [A.earlierPolicies]?: readonly StoredDecision[];
  /** The event of the last status change by a send. */
  readonly [A.statusEvent]?: string;
  /** The events before `statusEvent`, newest first. */
  readonly [A.earlierStatusEvents]?: readonly string[];
  readonly [A.retryAt]?: Millis;
  readonly [A.retryWait]?: Millis;
}

/** A decision of the platform. `eventUlid` is null when it changed nothing that is shown. */
export interface StoredDecision {
  readonly action: "block" | "unblock";
  readonly at: Millis;
  readonly eventUlid: string | null;
}

export function itemStatus(item: AccountItem): AccountStatus {
  return effectiveStatus(item[A.status], item[A.policy]?.action ?? null);
}

/** Null unless a refused send restricted the account, and while the platform blocks it. */
export function itemRetryAt(item: AccountItem): Millis | null {
  return item[A.status] === "restricted" && item[A.policy]?.action !== "block" ? (item[A.retryAt] ?? 0) : null;
}

export function toAccountItem(tenant: TenantId, account: Omit<Account, "retryAt">) {
  return {
    ...accountItemKey(tenant, account),
    [A.connection]: account.connection,
    [A.handle]: account.handle,
    [A.displayName]: account.displayName,
    [A.pageId]: account.pageId ?? undefined,
    [A.status]: account.status,
    [A.statusDetail]: account.statusDetail ?? undefined,
    [A.refreshError]: account.refreshError ?? undefined,
    [A.lastRefreshedAt]: account.lastRefreshedAt ?? undefined,
    [A.sealedToken]: account.sealedToken,
  };
}

export function toAccount(item: AccountItem): Account {
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
    statusDetail: item[A.statusDetail] ?? null,
    retryAt: itemRetryAt(item),
    refreshError: item[A.refreshError] ?? null,
    lastRefreshedAt: item[A.lastRefreshedAt] ?? null,
    sealedToken: item[A.sealedToken],
  };
}
