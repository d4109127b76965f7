import type { RenderedEvent } from "#base/events/events.ts";
import { ulidTime } from "#base/kernel/ids.ts";
import { RETENTION } from "#base/kernel/limits.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { timeToLive } from "#base/table/keys.ts";
import { eventBodyAttributes as A } from "./attributes.ts";
import { eventBodyKey } from "./keys.ts";

/** The row of an event's body, for a transaction that stores it with its cause. */
export function eventBodyItem(tenant: TenantId, event: RenderedEvent) {
  return {
    ...eventBodyKey(tenant, event.ulid),
    [A.type]: event.type,
    [A.body]: event.body,
    [A.ttl]: timeToLive(ulidTime(event.ulid) + RETENTION),
  };
}
