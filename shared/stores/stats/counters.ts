import { PutCommand, QueryCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { RETENTION, STATS_WINDOW } from "../../domain/limits.ts";
import { type EndCounts, type EndState, endStates } from "../../domain/stats/stats.ts";
import { newOp } from "../../kernel/ids.ts";
import type { TenantId } from "../../kernel/tenant.ts";
import { DAY, type Millis, SECOND } from "../../kernel/time.ts";
import { atMostOnce, UnknownOutcome } from "../at-most-once.ts";
import type { Table } from "../client.ts";
import { conditionalWrite, conditions } from "../conditional-write.ts";
import { countClaimKey, hourKey, type Key, startOfHour, t13, timeToLive } from "../keys.ts";

const COUNTERS_TTL: Millis = 8 * DAY;
/** A worker has better to do than to wait for a count. */
const ADD_TIMEOUT: Millis = 2 * SECOND;
/** The random end of an endpoint's ULID, 25 bits: enough to tell a tenant's endpoints apart, short enough for a name. */
const TAIL_CHARS = 5;

const attributePrefixes = { delivered: "d", failed: "f", dlq: "q" } as const satisfies Record<EndState, string>;

/** What happened to one tenant. */
export interface Counts {
  readonly messages: number;
  /** By endpoint id. */
  readonly endpoints: ReadonlyMap<string, EndCounts>;
}

/** What happened to a tenant within the window. */
export interface WindowCounts {
  readonly messages: number;
  forEndpoint(endpointId: string): EndCounts;
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
      const increments = Object.entries(toIncrements(counts)).filter(([, count]) => count > 0);
      if (increments.length === 0) return null;
      const Key = hourKey(tenant, now);
      const op = newOp(now);
      const result = await conditionalWrite(() =>
        client.send(
          atMostOnce(
            new UpdateCommand({
              TableName,
              Key,
              UpdateExpression: `ADD ${increments.map(([name]) => `${name} :${name}`).join(", ")} SET lo = :op, x = :x`,
              ConditionExpression: "attribute_not_exists(lo) OR lo <> :op",
              ExpressionAttributeValues: {
                ...Object.fromEntries(increments.map(([name, count]) => [`:${name}`, count])),
                ":op": op,
                ":x": timeToLive(startOfHour(now) + COUNTERS_TTL),
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
      return result?.applied && counts.messages > 0
        ? ((result.output.Attributes?.m as number | undefined) ?? null)
        : null;
    },

    /**
     * Takes it on to count a message of which nothing else says whether it was counted.
     * @returns false when somebody has taken that on before
     */
    async claim(tenant: TenantId, eventUlid: string, now: Millis): Promise<boolean> {
      const op = newOp(now);
      const result = await conditionalWrite(() =>
        client.send(
          new PutCommand({
            TableName,
            Item: { ...countClaimKey(tenant, eventUlid), o: op, x: timeToLive(now + RETENTION) },
            ConditionExpression: conditions.itemDoesNotExist,
            ReturnValuesOnConditionCheckFailure: "ALL_OLD",
          }),
        ),
      );
      // The answer to our own write was lost and the SDK asked again: what stands there is ours.
      return result.applied || result.current?.o === op;
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
        forEndpoint: (endpointId) => {
          const count = (state: EndState) => sum(attributeName(state, endpointId));
          return { delivered: count("delivered"), failed: count("failed"), dlq: count("dlq") };
        },
      };
    },
  };

  /** Whether an addition was made, and is the last one so far. Asked by a write: not everyone who counts may read. */
  async function isLast(Key: Key, op: string): Promise<boolean> {
    const result = await conditionalWrite(() =>
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
    return result.applied;
  }
}

/** An hour's item, read for its numbers alone. */
type HourItem = Key & { readonly [name: string]: number | undefined };

function toIncrements({ messages, endpoints }: Counts): Record<string, number> {
  const increments: Record<string, number> = { m: messages };
  for (const [endpointId, counts] of endpoints) {
    for (const state of endStates) increments[attributeName(state, endpointId)] = counts[state];
  }
  return increments;
}

function attributeName(state: EndState, endpointId: string): string {
  return attributePrefixes[state] + endpointId.slice(-TAIL_CHARS);
}
