import { DNS_LOOKUPS_PER_TENANT_PER_MINUTE } from "#base/kernel/limits.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import type { Millis } from "#base/kernel/time.ts";
import type { Table } from "#base/table/client.ts";
import { consumeFromMinute } from "#base/table/minute-quota.ts";
import { dnsQuotaKey } from "./items.ts";

export type DnsQuota = ReturnType<typeof dnsQuotaStore>;

/** Counts the DNS lookups that a tenant's requests cause. */
export function dnsQuotaStore(table: Table) {
  return {
    /**
     * Counts one lookup in the tenant's current minute.
     * @returns the seconds until the next minute when the tenant's quota was exhausted before, else null
     */
    async consume(tenant: TenantId, now: Millis): Promise<number | null> {
      const use = await consumeFromMinute(table, dnsQuotaKey(tenant, now), DNS_LOOKUPS_PER_TENANT_PER_MINUTE, now);
      return use.isExceeded ? use.resetSeconds : null;
    },
  };
}
