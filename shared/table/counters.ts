import { QueryCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { STATS_WINDOW } from "../domain/limits.ts";
import { type EndCounts, type EndState, endStates } from "../domain/stats.ts";
import { newOp } from "../kernel/ids.ts";
import type { TenantId } from "../kernel/tenant.ts";
import { DAY, type Millis, SECOND } from "../kernel/time.ts";
import type { Table } from "./client.ts";
import { whenConditionHolds } from "./conditions.ts";
import { hourKey, type Key, startOfHour, t13, timeToLive } from "./keys.ts";

const KEPT_FOR: Millis = 8 * DAY;
/** A worker has better to do than to wait for a count. */
const ADD_TIMEOUT: Millis = 2 * SECOND;
/** The random end of an endpoint's ULID, 25 bits: enough to tell a tenant's endpoints apart, short enough for a name. */
const TAIL_CHARS = 5;

const prefixes = { delivered: "d", failed: "f", dlq: "q" } as const satisfies Record<EndState, string>;

/** What happened to one tenant. */
export interface Counts {
  readonly messages: number;
  /** By endpoint id. */
  readonly endpoints: ReadonlyMap<string, EndCounts>;
}

/** What happened to a tenant within the window. */
export interface WindowCounts {
  readonly messages: number;
  of(endpointId: string): EndCounts;
}

export type Counters = ReturnType<typeof counterStore>;

/** One item for each tenant and hour, with a number for each thing that is counted. */
export function counterStore({ client, name: TableName }: Table) {
  return {
    /**
     * Adds to the counters of the hour of `now`. What was added by a request whose answer was lost is not added again,
     * unless another worker added to the same hour before the SDK repeated it.
     * @returns the messages of that hour so far, or null when none were added
     */
    async add(tenant: TenantId, counts: Counts, now: Millis): Promise<number | null> {
      const named = Object.entries(namesOf(counts)).filter(([, count]) => count > 0);
      if (named.length === 0) return null;
      const added = await whenConditionHolds(() =>
        client.send(
          new UpdateCommand({
            TableName,
            Key: hourKey(tenant, now),
            UpdateExpression: `ADD ${named.map(([name]) => `${name} :${name}`).join(", ")} SET lo = :op, x = :x`,
            ConditionExpression: "attribute_not_exists(lo) OR lo <> :op",
            ExpressionAttributeValues: {
              ...Object.fromEntries(named.map(([name, count]) => [`:${name}`, count])),
              ":op": newOp(now),
              ":x": timeToLive(startOfHour(now) + KEPT_FOR),
            },
            ReturnValues: "UPDATED_NEW",
          }),
          { abortSignal: AbortSignal.timeout(ADD_TIMEOUT) },
        ),
      );
      return added.held && counts.messages > 0 ? ((added.output.Attributes?.m as number | undefined) ?? null) : null;
    },

    /** The hour of `now` and the 24 before, added up. */
    async window(tenant: TenantId, now: Millis): Promise<WindowCounts> {
      // 25 items of 1 KB at most, give or take: one answer of the table holds them many times over.
      const { Items = [] } = await client.send(
        new QueryCommand({
          TableName,
          KeyConditionExpression: "PK = :s AND SK >= :from",
          ExpressionAttributeValues: {
            ":s": hourKey(tenant, now).PK,
            ":from": t13(startOfHour(now) - STATS_WINDOW),
          },
        }),
      );
      const sum = (name: string) => (Items as HourItem[]).reduce((all, item) => all + (item[name] ?? 0), 0);
      return {
        messages: sum("m"),
        of: (endpointId) => {
          const countOf = (state: EndState) => sum(attributeOf(state, endpointId));
          return { delivered: countOf("delivered"), failed: countOf("failed"), dlq: countOf("dlq") };
        },
      };
    },
  };
}

/** An hour's item, read for its numbers alone. */
type HourItem = Key & { readonly [name: string]: number | undefined };

function namesOf({ messages, endpoints }: Counts): Record<string, number> {
  const names: Record<string, number> = { m: messages };
  for (const [endpointId, counts] of endpoints) {
    for (const state of endStates) names[attributeOf(state, endpointId)] = counts[state];
  }
  return names;
}

function attributeOf(state: EndState, endpointId: string): string {
  return prefixes[state] + endpointId.slice(-TAIL_CHARS);
}
