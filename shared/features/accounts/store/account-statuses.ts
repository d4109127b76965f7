import { GetCommand } from "@aws-sdk/lib-dynamodb";
import { RECOVERY_INTERVAL } from "#base/kernel/limits.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import type { Millis } from "#base/kernel/time.ts";
import type { Table } from "#base/table/client.ts";
import { t13 } from "#base/table/keys.ts";
import {
  type Account,
  type AccountRef,
  type AccountStatus,
  effectiveStatus,
  restrictionWait,
  statusAfterPolicy,
} from "../rules/accounts.ts";
import { accountAttributes as A } from "./attributes.ts";
import {
  type AccountItem,
  accountItemKey,
  itemRetryAt,
  itemStatus,
  newNotice,
  newStatusEvent,
  type StoredDecision,
  statusEvents,
  toAccount,
} from "./items.ts";
import { changeStatus } from "./status-changes.ts";

/** A platform's decision about an account. */
export interface PolicyDecision {
  readonly action: "block" | "unblock";
  /** The platform's time. Of two decisions at the same instant, the unblock wins. */
  readonly at: Millis;
  /** The platform's text; null for none. */
  readonly reason: string | null;
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
  readonly detail: string;
  /** When the call started. */
  readonly asOf: Millis;
  /** When the platform refused it. */
  readonly at: Millis;
  /** The ULID of the event to publish. */
  readonly eventUlid: string;
}

/** Decisions stored beside the newest one. Their webhooks may be processed again. The account stays below 1 KB. */
const EARLIER_DECISIONS_MAX = 5;

/** No restriction by a refused send. */
const noRestriction = { [A.statusDetail]: undefined, [A.retryAt]: undefined, [A.retryWait]: undefined };

/** The changes of an account's status. Each is safe to repeat. */
export function accountStatuses(table: Table) {
  const { client, name: TableName } = table;

  return {
    /**
     * Stores the platform's decision, unless a newer one is stored. There is an event to publish when the shown status
     * changes. A repetition returns the event of the first call, which may not have published it, also when a newer
     * decision is stored by then. A decision never revives an expired token.
     * @returns null when the account is gone, or when a newer decision is stored and this one was not
     */
    setPolicy(tenant: TenantId, ref: AccountRef, decision: PolicyDecision): Promise<PolicyResult | null> {
      return changeStatus<PolicyResult | null>(table, tenant, ref, (item) => {
        const { [A.status]: storedStatus, [A.policy]: storedDecision, [A.earlierPolicies]: earlier = [] } = item;
        const { action, at, reason } = decision;
        if (storedDecision && decisionOrder(storedDecision) >= decisionOrder(decision)) {
          const stored = [storedDecision, ...earlier].find((each) => decisionOrder(each) === decisionOrder(decision));
          if (!stored) return { result: null };
          const status = effectiveStatus(statusAfterPolicy(storedStatus, action), action);
          return { result: { account: { ...toAccount(item), status }, eventUlid: stored.eventUlid } };
        }
        const newStatus = statusAfterPolicy(storedStatus, action);
        const changesShownStatus = effectiveStatus(newStatus, action) !== itemStatus(item);
        const eventUlid = changesShownStatus ? decision.eventUlid : null;
        const newDecision: StoredDecision = { action, at, eventUlid };
        const isLifted = newStatus !== storedStatus || (action === "unblock" && storedStatus !== "needs_reauth");
        const detail =
          action === "block" && storedStatus !== "needs_reauth" ? { [A.statusDetail]: reason ?? undefined } : {};
        const earlierPolicies =
          storedDecision && storedDecision.eventUlid !== null
            ? { [A.earlierPolicies]: [storedDecision, ...earlier].slice(0, EARLIER_DECISIONS_MAX) }
            : {};
        return {
          set: {
            [A.policy]: newDecision,
            ...earlierPolicies,
            [A.status]: newStatus,
            ...(isLifted ? noRestriction : detail),
          },
          toResult: (newItem) => ({ account: toAccount(newItem), eventUlid }),
        };
      });
    },

    /**
     * Stores the status that follows from a refused platform call. The refusal is recognized by its event, also after
     * later changes. A token that
     * was refreshed after the call started overrides the refusal, and an expired token overrides every other status.
     * A restriction is tried again after an hour. The refusal of a later try doubles that time, up to a day.
     * @returns the account when this refusal changed its status, else null
     */
    setStatus(tenant: TenantId, ref: AccountRef, change: StatusChange): Promise<Account | null> {
      const { status, detail, asOf, at, eventUlid } = change;
      return changeStatus<Account | null>(table, tenant, ref, (item) => {
        if (statusEvents(item).includes(eventUlid)) return { result: toAccount(item) };
        const currentStatus = itemStatus(item);
        if (currentStatus === "needs_reauth" || (item[A.lastRefreshedAt] ?? 0) > asOf) return { result: null };
        const retryAt = itemRetryAt(item);
        // Sends that started before the next try were refused for the restriction that is stored.
        const isRepeated = status === "restricted" && retryAt !== null && asOf >= retryAt;
        if (currentStatus === status && !isRepeated) return { result: null };
        const wait = status === "restricted" ? restrictionWait(previousWait(item, at)) : undefined;
        const notice = { eventUlid, ...refusalEvents[status] };
        return {
          set: {
            [A.status]: status,
            [A.statusDetail]: detail,
            ...(isRepeated ? {} : { ...newStatusEvent(item, eventUlid), ...newNotice(item, notice) }),
            [A.retryWait]: wait,
            [A.retryAt]: wait && at + wait,
          },
          toResult: (newItem) => (isRepeated ? null : toAccount(newItem)),
        };
      });
    },

    /** Whether the event is of one of the last changes of the status by a platform call. Reads consistently. */
    async hasStatusEvent(tenant: TenantId, ref: AccountRef, eventUlid: string): Promise<boolean> {
      const Key = accountItemKey(tenant, ref);
      const { Item } = await client.send(new GetCommand({ TableName, Key, ConsistentRead: true }));
      return Item !== undefined && statusEvents(Item as AccountItem).includes(eventUlid);
    },

    /**
     * Ends a restriction that a refused send reported, because the platform accepted a later send.
     * @param send `asOf`: when it started; `eventUlid`: the ULID of the event to publish
     * @returns the account when this send changed its status, else null
     */
    endRestriction(
      tenant: TenantId,
      ref: AccountRef,
      { asOf, eventUlid }: Pick<StatusChange, "asOf" | "eventUlid">,
    ): Promise<Account | null> {
      return changeStatus<Account | null>(table, tenant, ref, (item) => {
        if (statusEvents(item).includes(eventUlid)) return { result: toAccount(item) };
        const retryAt = itemRetryAt(item);
        if (retryAt === null || asOf < retryAt) return { result: null };
        return {
          set: { [A.status]: "active", ...noRestriction, ...newStatusEvent(item, eventUlid) },
          toResult: toAccount,
        };
      });
    },
  };
}

/**
 * The last wait of a restriction. It counts for a day after a check ended the restriction: the platform may answer the
 * check and still refuse the sends.
 */
function previousWait(item: AccountItem, at: Millis): Millis | null {
  const { [A.recoveredAt]: recoveredAt, [A.retryWait]: wait = null } = item;
  return recoveredAt !== undefined && item[A.status] !== "restricted" && at - recoveredAt >= RECOVERY_INTERVAL
    ? null
    : wait;
}

const refusalEvents = {
  needs_reauth: { type: "account.needs_reauth", reason: "token_invalid" },
  restricted: { type: "account.restricted", reason: "policy" },
} as const;

/** The actions sort as they must: block, unblock. */
function decisionOrder({ at, action }: Pick<StoredDecision, "at" | "action">): string {
  return `${t13(at)}#${action}`;
}
