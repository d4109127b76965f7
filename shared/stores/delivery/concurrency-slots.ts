import { UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { ATTEMPT_LEASE, SLOW_IN_FLIGHT_MAX } from "../../domain/limits.ts";
import type { TenantId } from "../../kernel/tenant.ts";
import type { Millis } from "../../kernel/time.ts";
import type { Table } from "../client.ts";
import { conditionalWrite } from "../conditional-write.ts";
import { concurrencySlotsKey, timeToLive } from "../keys.ts";

export type ConcurrencySlots = ReturnType<typeof concurrencySlotStore>;

/** A place among the attempts that an endpoint has in flight, for as long as an attempt's lease. */
export interface Slot {
  readonly name: string;
  readonly until: Millis;
}

/** Whoever finds a place taken knows from the answer which are free, unless others are as quick. */
const ATTEMPTS_MAX = 3;

/**
 * What a slow endpoint has in flight, over all processes: an item with so many places. A worker that dies leaves its
 * place when its lease is over.
 * @param dice a draw from [0, 1): workers begin at different places
 */
export function concurrencySlotStore(
  { client, name: TableName }: Table,
  { max = SLOW_IN_FLIGHT_MAX, dice: random = Math.random }: { max?: number; dice?: () => number } = {},
) {
  const names = Array.from({ length: max }, (_, i) => `p${i}`);
  const pick = (free: readonly string[]) => free[Math.floor(random() * free.length)];

  return {
    /** Takes a place; null when all are taken. Where the table's answer was lost, one may stay taken for a minute. */
    async acquire(tenant: TenantId, endpointId: string, now: Millis): Promise<Slot | null> {
      const until = now + ATTEMPT_LEASE;
      let free: readonly string[] = names;
      for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
        const name = pick(free);
        if (name === undefined) return null;
        const result = await conditionalWrite(() =>
          client.send(
            new UpdateCommand({
              TableName,
              Key: concurrencySlotsKey(tenant, endpointId),
              UpdateExpression: `SET ${name} = :until, x = :x`,
              ConditionExpression: `attribute_not_exists(${name}) OR ${name} <= :now`,
              ExpressionAttributeValues: { ":until": until, ":now": now, ":x": timeToLive(until) },
              ReturnValuesOnConditionCheckFailure: "ALL_OLD",
            }),
          ),
        );
        if (result.applied) return { name, until };
        free = names.filter((candidate) => Number(result.current?.[candidate] ?? 0) <= now);
      }
      return null;
    },

    /** Gives a place back, unless its lease was over and another has it. */
    async release(tenant: TenantId, endpointId: string, { name, until }: Slot): Promise<void> {
      await conditionalWrite(() =>
        client.send(
          new UpdateCommand({
            TableName,
            Key: concurrencySlotsKey(tenant, endpointId),
            UpdateExpression: `REMOVE ${name}`,
            ConditionExpression: `${name} = :until`,
            ExpressionAttributeValues: { ":until": until },
          }),
        ),
      );
    },
  };
}
