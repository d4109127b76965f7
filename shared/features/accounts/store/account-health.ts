import { GetCommand } from "@aws-sdk/lib-dynamodb";
import { deriveEventUlid } from "#base/events/events.ts";
import { MAIL_CLAIM_TIME } from "#base/kernel/limits.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import type { Millis } from "#base/kernel/time.ts";
import type { Table } from "#base/table/client.ts";
import { conditionalWrite } from "#base/table/conditional-write.ts";
import { absentOr, allOf, below, isUnchanged } from "#base/table/expressions.ts";
import { t13 } from "#base/table/keys.ts";
import { update } from "#base/table/writes.ts";
import { type AccountHealth, type Finding, type HealthEvent, healthAfter } from "../rules/account-health.ts";
import { type Account, type AccountRef, accountKey } from "../rules/accounts.ts";
import { accountAttributes as A } from "./attributes.ts";
import {
  type AccountItem,
  type AccountNotice,
  accountItemKey,
  formatNotice,
  isOfConnection,
  newNotice,
  newStatusEvent,
  statusEvents,
  toAccount,
  toNotices,
} from "./items.ts";
import { changeStatus } from "./status-changes.ts";

/** An account with what a check of it needs. */
export interface CheckedAccount {
  readonly account: Account;
  readonly health: AccountHealth;
  /** The changes of its status that may not be published, oldest first. */
  readonly notices: readonly AccountNotice[];
}

/** A connection of an account, and when it is changed. */
interface HealthChangeOf {
  readonly tenant: TenantId;
  readonly ref: AccountRef;
  readonly connectionId: string;
  /** When the token that was checked was issued; null when that is unknown. */
  readonly lastRefreshedAt: Millis | null;
  readonly now: Millis;
}

/** What a check reads and writes of an account. */
export function accountHealth(table: Table) {
  const { client, name: TableName } = table;

  return {
    /** The account as it is now; null when it is not connected. Reads consistently. */
    async getHealth(tenant: TenantId, ref: AccountRef): Promise<CheckedAccount | null> {
      const Key = accountItemKey(tenant, ref);
      const { Item } = await client.send(new GetCommand({ TableName, Key, ConsistentRead: true }));
      return Item ? toCheckedAccount(Item as AccountItem) : null;
    },

    /**
     * Stores what follows from a check's finding for the account as it is now, with a notice of a new status. Safe to
     * repeat: a finding that is stored changes nothing, and neither does a failed refresh of a token that was replaced.
     * @returns null when the account was disconnected or connected again
     */
    changeHealth(
      { tenant, ref, connectionId, lastRefreshedAt, now }: HealthChangeOf,
      finding: Finding,
    ): Promise<CheckedAccount | null> {
      return changeStatus<CheckedAccount | null>(table, tenant, ref, (item) => {
        if ((item[A.connectionId] ?? "") !== connectionId) return { result: null };
        const isOfEarlierToken = isRefreshFailure(finding) && (item[A.lastRefreshedAt] ?? null) !== lastRefreshedAt;
        const change = isOfEarlierToken ? null : healthAfter(toHealth(item), finding, now);
        if (!change) return { result: toCheckedAccount(item) };
        const { status, statusDetail, refreshError, refreshFailingSince, recoveredAt, event } = change;
        return {
          set: {
            [A.status]: status,
            [A.statusDetail]: statusDetail ?? undefined,
            [A.refreshError]: refreshError ?? undefined,
            [A.refreshFailingSince]: refreshFailingSince ?? undefined,
            [A.recoveredAt]: recoveredAt ?? undefined,
            // The last wait stays: a refusal within a day doubles it.
            ...(status === item[A.status] ? {} : { [A.retryAt]: undefined }),
            ...(event ? noticedEvent(item, { tenant, event, now }) : {}),
          },
          toResult: toCheckedAccount,
        };
      });
    },

    /**
     * Claims the mail about the notices, so that one process sends it. A claim ends when the notices are removed, or with
     * its time: its process has died by then.
     * @param claim `id`: a ULID of this process
     * @returns false when another process has a claim, or the notices have changed in the meantime
     */
    async claimMail(
      tenant: TenantId,
      { account, notices }: Pick<CheckedAccount, "account" | "notices">,
      { id, now }: { readonly id: string; readonly now: Millis },
    ): Promise<boolean> {
      const claim = `${t13(now)}#${id}`;
      const isFree = absentOr(below, A.mailClaim, t13(now - MAIL_CLAIM_TIME));
      const isAsRead = allOf(isOfConnection(account.connectionId), isUnchanged(A.notices, notices.map(formatNotice)));
      const set = { [A.mailClaim]: claim };
      const write = update(accountItemKey(tenant, account), { set }, allOf(isAsRead, isFree));
      return (await conditionalWrite(table, write, { ownMark: set })).applied;
    },

    /**
     * Removes notices that were published.
     * @returns whether this call removed them, and the account as it is now; null when it is not connected
     */
    async clearNotices(
      tenant: TenantId,
      { account, notices }: Pick<CheckedAccount, "account" | "notices">,
    ): Promise<{ readonly cleared: boolean; readonly checked: CheckedAccount | null }> {
      const isAsRead = allOf(isOfConnection(account.connectionId), isUnchanged(A.notices, notices.map(formatNotice)));
      const write = update(accountItemKey(tenant, account), { remove: [A.notices, A.mailClaim] }, isAsRead, "ALL_NEW");
      const result = await conditionalWrite<AccountItem>(table, write);
      const item = result.applied ? result.item : result.current;
      return { cleared: result.applied, checked: item ? toCheckedAccount(item) : null };
    },
  };
}

/** The event of a change. Its ULID is derived from the account, the change before this one and the time. */
function noticedEvent(
  item: AccountItem,
  { tenant, event, now }: { readonly tenant: TenantId; readonly event: HealthEvent; readonly now: Millis },
) {
  const seed = JSON.stringify([accountKey(toAccount(item)), statusEvents(item)[0] ?? null]);
  const eventUlid = deriveEventUlid(tenant, seed, event.type, now);
  return { ...newStatusEvent(item, eventUlid), ...newNotice(item, { eventUlid, ...event }) };
}

function isRefreshFailure({ kind }: Finding): boolean {
  return kind === "refresh_unknown" || kind === "refresh_refused";
}

function toHealth(item: AccountItem): AccountHealth {
  return {
    status: item[A.status],
    isBlocked: item[A.policy]?.action === "block",
    statusDetail: item[A.statusDetail] ?? null,
    refreshError: item[A.refreshError] ?? null,
    // A worker of an earlier release removes the error alone.
    refreshFailingSince: item[A.refreshError] === undefined ? null : (item[A.refreshFailingSince] ?? null),
    recoveredAt: item[A.recoveredAt] ?? null,
  };
}

function toCheckedAccount(item: AccountItem): CheckedAccount {
  return { account: toAccount(item), health: toHealth(item), notices: toNotices(item) };
}
