import type { TenantId } from "#base/kernel/tenant.ts";
import type { Millis } from "#base/kernel/time.ts";
import { type Key, startOfHour, t13 } from "#base/table/keys.ts";

/** A tenant's counters of an hour. */
export function hourKey(tenant: TenantId, at: Millis): Key {
  return { PK: `S#${tenant}`, SK: t13(startOfHour(at)) };
}

/** The claim to count the message of an event. */
export function countClaimKey(tenant: TenantId, eventUlid: string): Key {
  return { PK: `N#${tenant}#${eventUlid}`, SK: "N" };
}
