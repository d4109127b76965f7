import { ATTEMPT_LEASE, SLOW_IN_FLIGHT_MAX } from "#base/kernel/limits.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import type { Millis } from "#base/kernel/time.ts";
import type { Table } from "#base/table/client.ts";
import { conditionalWrite } from "#base/table/conditional-write.ts";
import { absentOr, atMost, equals } from "#base/table/expressions.ts";
import { timeToLive } from "#base/table/keys.ts";
import { update } from "#base/table/writes.ts";
import { slotsAttributes as A } from "./attributes.ts";
import { concurrencySlotsKey } from "./items.ts";

export type ConcurrencySlots = ReturnType<typeof concurrencySlotStore>;

/** One of the attempts that an endpoint may have in flight, for as long as an attempt's lease. */
export interface Slot {
  readonly name: string;
  readonly until: Millis;
}

/** A refused write returns the free slots, so that only other workers can make the next write fail. */
const ATTEMPTS_MAX = 3;

/**
 * Limits what a slow endpoint has in flight over all processes: one item with an attribute per slot. The slot of a
 * worker that dies is free when its lease expires.
 * @param options.random a draw from [0, 1): workers try different slots first
 */
export function concurrencySlotStore(
  table: Table,
  { max = SLOW_IN_FLIGHT_MAX, random = Math.random }: { max?: number; random?: () => number } = {},
) {
  const names = Array.from({ length: max }, (_, i) => `p${i}`);
  const pick = (free: readonly string[]) => free[Math.floor(random() * free.length)];

  return {
    /** Acquires a slot; null when none is free. When the table's response is lost, a slot may stay taken for a minute. */
    async acquire(tenant: TenantId, endpointId: string, now: Millis): Promise<Slot | null> {
      const until = now + ATTEMPT_LEASE;
      let free: readonly string[] = names;
      for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
        const name = pick(free);
        if (name === undefined) return null;
        const result = await conditionalWrite(
          table,
          update(
            concurrencySlotsKey(tenant, endpointId),
            { set: { [name]: until, [A.ttl]: timeToLive(until) } },
            absentOr(atMost, name, now),
          ),
        );
        if (result.applied) return { name, until };
        free = names.filter((candidate) => Number(result.current?.[candidate] ?? 0) <= now);
      }
      return null;
    },

    /** Releases a slot, unless its lease expired and another worker acquired it. */
    async release(tenant: TenantId, endpointId: string, { name, until }: Slot): Promise<void> {
      const key = concurrencySlotsKey(tenant, endpointId);
      await conditionalWrite(table, update(key, { remove: [name] }, equals(name, until)));
    },
  };
}
