import { QueryCommand } from "@aws-sdk/lib-dynamodb";
import { newOp } from "#base/kernel/ids.ts";
import { RETENTION, STATS_WINDOW } from "#base/kernel/limits.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { DAY, HOUR, type Millis, SECOND } from "#base/kernel/time.ts";
import { ttl } from "#base/table/attributes.ts";
import type { Table } from "#base/table/client.ts";
import { conditionalWrite } from "#base/table/conditional-write.ts";
import { absentOr, differs, equals, itemDoesNotExist } from "#base/table/expressions.ts";
import { type Key, positionTime, startOfHour, t13, timeToLive } from "#base/table/keys.ts";
import { put, UnknownOutcome, update } from "#base/table/writes.ts";
import {
  type AnswerCounts,
  type AnswerTime,
  answerTimes,
  countedMessages,
  type EndCounts,
  type EndState,
  endStates,
  NO_ANSWERS,
} from "./rules.ts";

/** An hour has a further number for each endpoint and end state: see `endpointCounter`. */
const A = { ...ttl, lastOp: "lo", messages: "m", received: "r", sent: "s" } as const;

const ClaimA = { ...ttl, op: "o" } as const;

/** A tenant's counters of an hour. */
export function hourKey(tenant: TenantId, at: Millis): Key {
  return { PK: `S#${tenant}`, SK: t13(startOfHour(at)) };
}

/** The claim to count the message of an event. */
export function countClaimKey(tenant: TenantId, eventUlid: string): Key {
  return { PK: `N#${tenant}#${eventUlid}`, SK: "N" };
}

const COUNTERS_TTL: Millis = 8 * DAY;
/** Counting must not delay a worker. */
const ADD_TIMEOUT: Millis = 2 * SECOND;
/** The random end of an endpoint's ULID, 25 bits: distinguishes a tenant's endpoints in a short attribute name. */
const TAIL_CHARS = 5;

const attributePrefixes = { delivered: "d", failed: "f", dlq: "q" } as const satisfies Record<EndState, string>;

const answerAttributes = {
  within5Minutes: "a5m",
  within15Minutes: "a15m",
  within1Hour: "a1h",
  within4Hours: "a4h",
  within24Hours: "a1d",
  later: "al",
} as const satisfies Record<AnswerTime, string>;

/** Counts of one tenant. */
export interface Counts {
  readonly received: number;
  readonly sent: number;
  readonly answers: AnswerCounts;
  /** By endpoint id. */
  readonly endpoints: ReadonlyMap<string, EndCounts>;
}

/** Counts of a tenant within a time. */
export interface TimeCounts {
  /** Also those of an earlier release, which counted them alone. */
  readonly messages: number;
  readonly received: number;
  readonly sent: number;
  readonly answers: AnswerCounts;
  forEndpoint(endpointId: string): EndCounts;
}

/** Counts of a tenant within the window. */
export interface WindowCounts extends TimeCounts {
  /** Each hour of the window, the earliest first. The last one has what a process whose clock is ahead counted. */
  readonly hours: readonly (TimeCounts & { readonly startsAt: Millis })[];
}

export type Counters = ReturnType<typeof counterStore>;

/** One item per tenant and hour, with a number per counter. */
export function counterStore(table: Table) {
  const { client, name: TableName } = table;
  return {
    /**
     * Adds to the counters of the hour of `now`, at most once: when a response is lost, the item says whether the
     * addition was applied, and nothing is sent again.
     * @returns the messages of that hour so far; null when none were added, or when the number is unknown
     * @throws UnknownOutcome when the addition may have been applied
     */
    async add(tenant: TenantId, counts: Counts, now: Millis): Promise<number | null> {
      const increments = Object.fromEntries(Object.entries(toIncrements(counts)).filter(([, count]) => count > 0));
      if (Object.keys(increments).length === 0) return null;
      const key = hourKey(tenant, now);
      const op = newOp(now);
      const set = { [A.lastOp]: op, [A.ttl]: timeToLive(startOfHour(now) + COUNTERS_TTL) };
      const result = await conditionalWrite<HourItem>(
        table,
        update(key, { add: increments, set }, absentOr(differs, A.lastOp, op), "UPDATED_NEW"),
        { atMostOnce: true, abortSignal: AbortSignal.timeout(ADD_TIMEOUT) },
      ).catch(async (error: unknown) => {
        if (error instanceof UnknownOutcome && (await isLastOp(key, op))) return null;
        throw error;
      });
      return result?.applied && countedMessages(counts) > 0 ? (result.item?.[A.messages] ?? null) : null;
    },

    /**
     * Claims the counting of a message when no other write says whether it was counted.
     * @returns false when it was claimed before
     */
    async claimCount(tenant: TenantId, eventUlid: string, now: Millis): Promise<boolean> {
      const op = newOp(now);
      const item = {
        ...countClaimKey(tenant, eventUlid),
        [ClaimA.op]: op,
        [ClaimA.ttl]: timeToLive(now + RETENTION),
      };
      const result = await conditionalWrite(table, put(item, itemDoesNotExist), {
        ownMark: { [ClaimA.op]: op },
      });
      return result.applied;
    },

    /** The sums over the hour of `now` and the 24 hours before it, and each of these hours. */
    async window(tenant: TenantId, now: Millis): Promise<WindowCounts> {
      const lastHour = startOfHour(now);
      // At most 25 items of about 1 KB fit into one page of a query.
      const { Items = [] } = await client.send(
        new QueryCommand({
          TableName,
          KeyConditionExpression: "PK = :s AND SK >= :from",
          ExpressionAttributeValues: {
            ":s": hourKey(tenant, now).PK,
            ":from": t13(lastHour - STATS_WINDOW),
          },
        }),
      );
      const items = Items as HourItem[];
      const startsAt = Array.from({ length: STATS_WINDOW / HOUR + 1 }, (_, i) => lastHour - STATS_WINDOW + i * HOUR);
      const isOf = (hour: Millis) => (item: HourItem) => Math.min(positionTime(item.SK), lastHour) === hour;
      return {
        ...toCounts(items),
        hours: startsAt.map((hour) => ({ startsAt: hour, ...toCounts(items.filter(isOf(hour))) })),
      };
    },
  };

  /**
   * Whether an addition is applied and is the newest one. Asked by a write, because some functions that count have no
   * permission to read.
   */
  async function isLastOp(key: Key, op: string): Promise<boolean> {
    const result = await conditionalWrite(table, update(key, { set: { [A.lastOp]: op } }, equals(A.lastOp, op)), {
      abortSignal: AbortSignal.timeout(ADD_TIMEOUT),
    });
    return result.applied;
  }
}

/** The numbers of an hour's item. */
type HourItem = Key & { readonly [name: string]: number | undefined };

/** The sums over some items. */
function toCounts(items: readonly HourItem[]): TimeCounts {
  const sum = (name: string) => items.reduce((all, item) => all + (item[name] ?? 0), 0);
  const answers = { ...NO_ANSWERS };
  for (const time of answerTimes) answers[time] = sum(answerAttributes[time]);
  return {
    messages: sum(A.messages),
    received: sum(A.received),
    sent: sum(A.sent),
    answers,
    forEndpoint: (endpointId) => {
      const count = (state: EndState) => sum(endpointCounter(state, endpointId));
      return { delivered: count("delivered"), failed: count("failed"), dlq: count("dlq") };
    },
  };
}

function toIncrements({ received, sent, answers, endpoints }: Counts): Record<string, number> {
  const messages = countedMessages({ received, sent });
  const increments: Record<string, number> = { [A.messages]: messages, [A.received]: received, [A.sent]: sent };
  for (const time of answerTimes) increments[answerAttributes[time]] = answers[time];
  for (const [endpointId, counts] of endpoints) {
    for (const state of endStates) increments[endpointCounter(state, endpointId)] = counts[state];
  }
  return increments;
}

function endpointCounter(state: EndState, endpointId: string): string {
  return attributePrefixes[state] + endpointId.slice(-TAIL_CHARS);
}
