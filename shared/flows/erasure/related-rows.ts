import { BEFORE_ALL_ROWS, type RemovalCounts } from "../../domain/erasure/erasures.ts";
import { RETENTION } from "../../domain/limits.ts";
import type { Millis } from "../../kernel/time.ts";
import type { Erasure } from "../../stores/erasure/erasure-items.ts";
import type { Trace } from "../../stores/erasure/traces.ts";
import type { Key } from "../../stores/keys.ts";
import type { ErasePorts } from "./ports.ts";

/** Rows of an erased conversation together with what lies elsewhere because of them. */
export interface ErasurePage {
  readonly keys: readonly Key[];
  readonly removed: Partial<RemovalCounts>;
  readonly ulids: readonly string[];
  /** Those of the events whose body lies apart. */
  readonly bodies: readonly string[];
}

/** What an erasure is to remove: a newer row belongs to the conversation that began after it. */
export function erasableTraces(erasure: Erasure, traces: readonly Trace[]): Trace[] {
  return traces.filter(({ at }) => at <= erasure.erasedAt);
}

/**
 * The newest instant of what lies in a conversation beside its head and is within its retention; null when nothing is.
 * Of many rows the first of them are looked at: behind them newer ones may lie.
 * @param after what is of this instant or older is left to an erasure that is under way
 */
export async function newestTraceAt(
  ports: Pick<ErasePorts, "traces">,
  conversationId: string,
  after: Millis,
  now: Millis,
): Promise<Millis | null> {
  const since = Math.max(after, now - RETENTION);
  for (let last: string | null = BEFORE_ALL_ROWS; last !== null; ) {
    const page = await ports.traces.page(conversationId, last);
    const newer = page.traces.filter(({ at }) => at > since);
    if (newer.length > 0) return Math.max(...newer.map(({ at }) => at));
    last = page.last;
  }
  return null;
}

/** Looks up what there is elsewhere of rows: deliveries of their events, and what they refer to. */
export async function loadErasurePage(
  ports: Pick<ErasePorts, "traces">,
  erasure: Erasure,
  endpointIds: readonly string[],
  traces: readonly Trace[],
): Promise<ErasurePage> {
  const events = traces.flatMap(({ event }) => event ?? []);
  const ulids = [...new Set(events.map(({ ulid }) => ulid))];
  const bodies = events.filter(({ hasStoredBody: bodyApart }) => bodyApart).map(({ ulid }) => ulid);
  const related = traces.flatMap(({ relatedItems: elsewhere }) => elsewhere);
  const [deliveries, existing] = await Promise.all([
    ports.traces.filterExisting(ports.traces.deliveryKeys(erasure.tenant, endpointIds, ulids)),
    ports.traces.filterExisting(related.map(({ key }) => key)),
  ]);
  const existingKeys = new Set(existing.map(({ PK, SK }) => `${PK} ${SK}`));
  const count = (kind: keyof RemovalCounts) => traces.filter(({ counts }) => counts === kind).length;
  const countRelated = (kind: keyof RemovalCounts) =>
    related.filter(({ counts, key }) => counts === kind && existingKeys.has(`${key.PK} ${key.SK}`)).length;
  return {
    // What is elsewhere goes first: a row is what it is found by.
    keys: [
      ...deliveries,
      ...ports.traces.bodyKeys(erasure.tenant, bodies),
      ...existing,
      ...traces.map(({ key }) => key),
    ],
    removed: {
      messages: count("messages"),
      markers: count("markers"),
      sendRecords: count("sendRecords"),
      deliveries: deliveries.length,
      holds: countRelated("holds"),
      uploads: countRelated("uploads"),
    },
    ulids,
    bodies,
  };
}
