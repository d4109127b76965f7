import { PutCommand, QueryCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { RETENTION, STATS_WINDOW } from "../../domain/limits.ts";
import { type EndCounts, type EndState, endStates } from "../../domain/stats/stats.ts";
import { newOp } from "../../kernel/ids.ts";
import type { TenantId } from "../../kernel/tenant.ts";
import { DAY, type Millis, SECOND } from "../../kernel/time.ts";
import { atMostOnce, UnknownOutcome } from "../at-most-once.ts";
import type { Table } from "../client.ts";
import { conditions, whenConditionHolds } from "../conditional-write.ts";
import { countedKey, hourKey, type Key, startOfHour, t13, timeToLive } from "../keys.ts";

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
     * Adds to the counters of the hour of `now`, never twice: where it is not known whether a request added, and the
     * item does not say so, nothing is asked for again.
     * @returns the messages of that hour so far, or null when none were added, or it is not known how many there are
     * @throws UnknownOutcome when nobody knows whether these were added
     */
    async add(tenant: TenantId, counts: Counts, now: Millis): Promise<number | null> {
      const named = Object.entries(namesOf(counts)).filter(([, count]) => count > 0);
      if (named.length === 0) return null;
      const Key = hourKey(tenant, now);
      const op = newOp(now);
      const added = await whenConditionHolds(() =>
        client.send(
          atMostOnce(
            new UpdateCommand({
              TableName,
              Key,
              UpdateExpression: `ADD ${named.map(([name]) => `${name} :${name}`).join(", ")} SET lo = :op, x = :x`,
              ConditionExpression: "attribute_not_exists(lo) OR lo <> :op",
              ExpressionAttributeValues: {
                ...Object.fromEntries(named.map(([name, count]) => [`:${name}`, count])),
                ":op": op,
                ":x": timeToLive(startOfHour(now) + KEPT_FOR),
              },
              ReturnValues: "UPDATED_NEW",
            }),
          ),
          { abortSignal: AbortSignal.timeout(ADD_TIMEOUT) },
        ),
      ).catch(async (error: unknown) => {
        if (error instanceof UnknownOutcome && (await isLast(Key, op))) return null;
        throw error;
      });
      return added?.held && counts.messages > 0 ? ((added.output.Attributes?.m as number | undefined) ?? null) : null;
    },

    /**
     * Takes it on to count a message of which nothing else says whether it was counted.
     * @returns false when somebody has taken that on before
     */
    async claim(tenant: TenantId, eventUlid: string, now: Millis): Promise<boolean> {
      const op = newOp(now);
      const claimed = await whenConditionHolds(() =>
        client.send(
          new PutCommand({
            TableName,
            Item: { ...countedKey(tenant, eventUlid), o: op, x: timeToLive(now + RETENTION) },
            ConditionExpression: conditions.notYetThere,
            ReturnValuesOnConditionCheckFailure: "ALL_OLD",
          }),
        ),
      );
      // The answer to our own write was lost and the SDK asked again: what stands there is ours.
      return claimed.held || claimed.old?.o === op;
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

  /** Whether an addition was made, and is the last one so far. Asked by a write: not everyone who counts may read. */
  async function isLast(Key: Key, op: string): Promise<boolean> {
    const stands = await whenConditionHolds(() =>
      client.send(
        new UpdateCommand({
          TableName,
          Key,
          UpdateExpression: "SET lo = :op",
          ConditionExpression: "lo = :op",
          ExpressionAttributeValues: { ":op": op },
        }),
        { abortSignal: AbortSignal.timeout(ADD_TIMEOUT) },
      ),
    );
    return stands.held;
  }
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
