import { allDone } from "#base/kernel/parallel.ts";
import type { Millis } from "#base/kernel/time.ts";
import type { Key } from "#base/table/keys.ts";
import { removeUploads } from "#features/uploads/remove-uploads.ts";
import type { RemovableUpload } from "#features/uploads/store/upload-removals.ts";
import type { ErasePorts } from "../ports.ts";
import { BEFORE_ALL_ROWS, type RemovalCounts } from "../rules/erasures.ts";
import type { Erasure } from "../store/erasure-items.ts";
import type { Trace } from "../store/traces.ts";

/** Rows of an erased conversation, with the rows elsewhere that belong to them. */
export interface ErasurePage {
  /** The conversation's own rows. */
  readonly rows: readonly Key[];
  /** What lies elsewhere and is found by these rows. */
  readonly elsewhere: readonly Key[];
  /** The uploads that are found by these rows. */
  readonly uploads: readonly RemovableUpload[];
  readonly removed: Partial<RemovalCounts>;
  readonly ulids: readonly string[];
  /** The ULIDs of events with a stored body. */
  readonly bodies: readonly string[];
}

/** The rows that an erasure removes. A newer row belongs to the conversation that started after it. */
export function erasableTraces(erasure: Erasure, traces: readonly Trace[]): Trace[] {
  return traces.filter(({ at }) => at <= erasure.erasedAt);
}

/**
 * The time of the newest row of a conversation beside its head; null without a row. A row counts as long as it is stored,
 * also after its retention: the table removes it later.
 * Reads up to the first page that has one, so a later page may hold a newer row.
 * @param after rows of this time or older are ignored, because an erasure in progress removes them
 */
export async function newestTraceAt(
  ports: Pick<ErasePorts, "traces">,
  conversationId: string,
  after: Millis,
): Promise<Millis | null> {
  for (let last: string | null = BEFORE_ALL_ROWS; last !== null; ) {
    const page = await ports.traces.page(conversationId, last);
    const newer = page.traces.filter(({ at }) => at > after);
    if (newer.length > 0) return Math.max(...newer.map(({ at }) => at));
    last = page.last;
  }
  return null;
}

/** Whether a conversation has a row of an instant or older. */
export async function hasTraceUpTo(
  ports: Pick<ErasePorts, "traces">,
  conversationId: string,
  upTo: Millis,
): Promise<boolean> {
  for (let last: string | null = BEFORE_ALL_ROWS; last !== null; ) {
    const page = await ports.traces.page(conversationId, last);
    if (page.traces.some(({ at }) => at <= upTo)) return true;
    last = page.last;
  }
  return false;
}

/** Finds the rows elsewhere that belong to the given rows: deliveries of their events, uploads and other referenced items. */
export async function loadErasurePage(
  ports: Pick<ErasePorts, "traces" | "uploadRemovals">,
  erasure: Erasure,
  endpointIds: readonly string[],
  traces: readonly Trace[],
): Promise<ErasurePage> {
  const events = traces.flatMap(({ event }) => event ?? []);
  const ulids = [...new Set(events.map(({ ulid }) => ulid))];
  const bodies = events.filter(({ hasStoredBody }) => hasStoredBody).map(({ ulid }) => ulid);
  const related = traces.flatMap(({ relatedItems }) => relatedItems);
  const uploadKeys = related.filter(({ counts }) => counts === "uploads").map(({ key }) => key);
  const otherKeys = related.filter(({ counts }) => counts !== "uploads").map(({ key }) => key);
  const [deliveries, existing, uploads] = await allDone([
    ports.traces.filterExisting(ports.traces.deliveryKeys(erasure.tenant, endpointIds, ulids)),
    ports.traces.filterExisting(otherKeys),
    ports.uploadRemovals.load(uploadKeys),
  ]);
  const existingKeys = new Set(existing.map(({ PK, SK }) => `${PK} ${SK}`));
  const count = (kind: keyof RemovalCounts) => traces.filter(({ counts }) => counts === kind).length;
  const holds = related.filter(({ counts, key }) => counts === "holds" && existingKeys.has(`${key.PK} ${key.SK}`));
  return {
    rows: traces.map(({ key }) => key),
    elsewhere: [...deliveries, ...ports.traces.bodyKeys(erasure.tenant, bodies), ...existing],
    uploads,
    removed: {
      messages: count("messages"),
      markers: count("markers"),
      sendRecords: count("sendRecords"),
      deliveries: deliveries.length,
      holds: holds.length,
      uploads: uploads.length,
    },
    ulids,
    bodies,
  };
}

/**
 * Removes a page in two rounds: the conversation's rows only when everything elsewhere is gone, because nothing else
 * refers to it. Safe to repeat.
 */
export async function removePage(
  ports: Pick<ErasePorts, "traces" | "uploadFiles" | "uploadRemovals">,
  { rows, elsewhere, uploads }: Pick<ErasurePage, "rows" | "elsewhere" | "uploads">,
): Promise<void> {
  await removeUploads(ports, uploads);
  await ports.traces.remove(elsewhere);
  await ports.traces.remove(rows);
}
