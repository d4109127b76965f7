import type { TenantId } from "#base/kernel/tenant.ts";
import { MINUTE, type Millis } from "#base/kernel/time.ts";
import type { Key } from "#base/table/keys.ts";

export function endpointKey(tenant: TenantId, endpointId: string): Key {
  return { PK: `T#${tenant}`, SK: `WH#${endpointId}` };
}

/** The number of a tenant's endpoints, without deleted ones. */
export function endpointCountKey(tenant: TenantId): Key {
  return { PK: `T#${tenant}`, SK: "ENDPOINTS" };
}

/** A tenant's DNS lookups in a minute. */
export function dnsQuotaKey(tenant: TenantId, now: Millis): Key {
  return { PK: `LU#${tenant}`, SK: String(Math.floor(now / MINUTE)) };
}
