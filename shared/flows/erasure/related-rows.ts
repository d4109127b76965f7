import { BEFORE_ALL_ROWS, type Removed } from "../../domain/erasure/erasures.ts";
import { RETENTION } from "../../domain/limits.ts";
import type { Millis } from "../../kernel/time.ts";
import type { Erasure } from "../../stores/erasure/erasure-items.ts";
import type { Trace } from "../../stores/erasure/traces.ts";
import type { Key } from "../../stores/keys.ts";
import type { ErasePorts } from "../ports.ts";

/** Rows of an erased conversation together with what lies elsewhere because of them. */
export interface Found {
  readonly keys: readonly Key[];
  readonly removed: Partial<Removed>;
  readonly ulids: readonly string[];
  /** Those of the events whose body lies apart. */
  readonly bodies: readonly string[];
}

/** What an erasure is to remove: a newer row belongs to the conversation that began after it. */
export function ofErased(erasure: Erasure, traces: readonly Trace[]): Trace[] {
  return traces.filter(({ at }) => at <= erasure.erasedAt);
}

/**
 * The newest instant of what lies in a conversation beside its head and is within its retention; null when nothing is.
 * Of many rows the first of them are looked at: behind them newer ones may lie.
 * @param behind what is of this instant or older is left to an erasure that is under way
 */
export async function newestLeft(
  ports: Pick<ErasePorts, "traces">,
  conversationId: string,
  behind: Millis,
  now: Millis,
): Promise<Millis | null> {
  const since = Math.max(behind, now - RETENTION);
  for (let last: string | null = BEFORE_ALL_ROWS; last !== null; ) {
    const page = await ports.traces.page(conversationId, last);
    const left = page.traces.filter(({ at }) => at > since);
    if (left.length > 0) return Math.max(...left.map(({ at }) => at));
    last = page.last;
  }
  return null;
}

/** Looks up what there is elsewhere of rows: deliveries of their events, and what they refer to. */
export async function found(
  ports: Pick<ErasePorts, "traces">,
  erasure: Erasure,
  endpointIds: readonly string[],
  traces: readonly Trace[],
): Promise<Found> {
  const events = traces.flatMap(({ event }) => event ?? []);
  const ulids = [...new Set(events.map(({ ulid }) => ulid))];
  const bodies = events.filter(({ bodyApart }) => bodyApart).map(({ ulid }) => ulid);
  const things = traces.flatMap(({ elsewhere }) => elsewhere);
  const [deliveries, there] = await Promise.all([
    ports.traces.there(ports.traces.deliveryKeys(erasure.tenant, endpointIds, ulids)),
    ports.traces.there(things.map(({ key }) => key)),
  ]);
  const isThere = new Set(there.map(({ PK, SK }) => `${PK} ${SK}`));
  const count = (kind: keyof Removed) => traces.filter(({ counts }) => counts === kind).length;
  const countThings = (kind: keyof Removed) =>
    things.filter(({ counts, key }) => counts === kind && isThere.has(`${key.PK} ${key.SK}`)).length;
  return {
    // What is elsewhere goes first: a row is what it is found by.
    keys: [...deliveries, ...ports.traces.bodyKeys(erasure.tenant, bodies), ...there, ...traces.map(({ key }) => key)],
    removed: {
      messages: count("messages"),
      markers: count("markers"),
      sendRecords: count("sendRecords"),
      deliveries: deliveries.length,
      holds: countThings("holds"),
      uploads: countThings("uploads"),
    },
    ulids,
    bodies,
  };
}
