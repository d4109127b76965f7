import { operatorLimits } from "#base/config/operator-limits.ts";
import { REQUESTS_PER_CALLER_PER_MINUTE } from "#base/kernel/limits.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { MINUTE, type Millis } from "#base/kernel/time.ts";
import type { Table } from "#base/table/client.ts";
import { conditionalWrite } from "#base/table/conditional-write.ts";
import { absentOr, allOf, below } from "#base/table/expressions.ts";
import { timeToLive } from "#base/table/keys.ts";
import { consumeFromMinute, type QuotaUse, secondsToNextMinute } from "#base/table/minute-quota.ts";
import { update } from "#base/table/writes.ts";
import { tenantRequestsAttributes as A } from "./attributes.ts";
import { rateLimitKey, tenantRequestsKey } from "./items.ts";

export type RequestQuota = ReturnType<typeof requestQuotaStore>;

/** A request that is counted for a tenant, with what is left of both limits. */
export interface TenantQuotaUse {
  readonly tenant: LimitedUse;
  /** Null where the caller is counted elsewhere. */
  readonly caller: LimitedUse | null;
}

export interface LimitedUse extends QuotaUse {
  readonly limit: number;
}

/** @param perTenant requests of a tenant's keys and members in a minute */
export function requestQuotaStore(table: Table, perTenant: number = operatorLimits.requestsPerTenantPerMinute.default) {
  return {
    /** Counts one request in the current minute of a caller. @param callerId the id of a key or of a user */
    async consume(callerId: string, now: Millis): Promise<LimitedUse> {
      const limit = REQUESTS_PER_CALLER_PER_MINUTE;
      return { limit, ...(await consumeFromMinute(table, rateLimitKey(callerId, now), limit, now)) };
    },

    /**
     * Counts one request in the current minute of a tenant and of a caller there, in one write. A request that exceeds
     * either limit is counted in neither. When the table's response is lost, the SDK may count a request twice.
     * @param callerId the id of a key or of a user; null counts for the tenant alone
     */
    async consumeInTenant(tenant: TenantId, callerId: string | null, now: Millis): Promise<TenantQuotaUse> {
      const callerLimit = REQUESTS_PER_CALLER_PER_MINUTE;
      const callerName = callerId === null ? null : callerCount(callerId);
      const result = await conditionalWrite<Record<string, number>>(
        table,
        update(
          tenantRequestsKey(tenant, now),
          {
            add: { [A.count]: 1, ...(callerName === null ? {} : { [callerName]: 1 }) },
            set: { [A.ttl]: timeToLive(now + 2 * MINUTE) },
          },
          allOf(
            absentOr(below, A.count, perTenant),
            ...(callerName === null ? [] : [absentOr(below, callerName, callerLimit)]),
          ),
          "UPDATED_NEW",
        ),
      );
      const counts = (result.applied ? result.item : result.current) ?? {};
      const toUse = (name: string, limit: number): LimitedUse => {
        const remaining = Math.max(0, limit - (counts[name] ?? 0));
        return { limit, isExceeded: !result.applied && remaining === 0, remaining, resetSeconds };
      };
      const resetSeconds = secondsToNextMinute(now);
      return { tenant: toUse(A.count, perTenant), caller: callerName === null ? null : toUse(callerName, callerLimit) };
    },
  };
}

/** The attribute of a caller's count. The end of an id is random. A short name keeps the item of many callers small. */
function callerCount(callerId: string): string {
  return `c${callerId.slice(-10)}`;
}
