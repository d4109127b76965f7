import { allDone } from "#base/kernel/parallel.ts";
import type { Millis } from "#base/kernel/time.ts";
import type { Key } from "#base/table/keys.ts";
import { requestErasurePush } from "#features/realtime/request-push.ts";
import { hasSockets } from "#features/realtime/rules/sockets.ts";
import { removeUploads } from "#features/uploads/remove-uploads.ts";
import type { RemovableUpload } from "#features/uploads/store/upload-removals.ts";
import type { ErasePorts } from "../ports.ts";
import {
  BEFORE_ALL_ROWS,
  erasureAuditEntry,
  PASS_INTERVAL,
  type RemovalCounts,
  shortErasureId,
} from "../rules/erasures.ts";
import type { Erasure } from "../store/items.ts";
import type { ErasedEvents, Trace } from "../store/traces.ts";

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

/**
 * Runs or continues the first pass of an erasure: loads, counts and removes its rows page by page. A page is counted
 * before it is removed, and only if the erasure did not change since it was read. So every row is counted exactly once,
 * even with crashes and concurrent runs. A run that loses the race continues from the other run's position.
 * @param hasTime whether another page may start
 * @returns the erasure after the pass; still in phase `first` when time ran out
 */
export async function runFirstPass(
  ports: ErasePorts,
  { erasure: initial, now }: { readonly erasure: Erasure; readonly now: Millis },
  hasTime: () => boolean,
): Promise<Erasure> {
  const loaded = await ports.endpoints.listWithSockets(initial.tenant, { consistent: true });
  const endpointIds = loaded.endpoints.map(({ id }) => id);
  const isWatched = hasSockets(loaded, now);
  // Before a row is removed: from then on the push worker reads conversations consistently.
  if (isWatched) await ports.sockets.markErasure(initial.tenant, now);
  let erasure = initial;
  await removeCountedRows(ports, erasure, endpointIds);
  while (erasure.phase === "first" && hasTime()) {
    const next = await erasePage(ports, erasure, { endpointIds, isWatched, now });
    if (next) {
      erasure = next;
      continue;
    }
    const current = await ports.erasures.get(erasure.tenant, erasure.id);
    // The erasure is over, or a later one of the same conversation replaced it.
    if (current?.op !== erasure.op) return { ...erasure, phase: "later" };
    erasure = current;
    await removeCountedRows(ports, erasure, endpointIds);
  }
  return erasure;
}

/** What a pass has read of its tenant. */
interface PassContext {
  readonly endpointIds: readonly string[];
  /** Whether the tenant may have sockets. */
  readonly isWatched: boolean;
  readonly now: Millis;
}

/** @returns null when another run counted the page first */
async function erasePage(
  ports: ErasePorts,
  erasure: Erasure,
  { endpointIds, isWatched, now }: PassContext,
): Promise<Erasure | null> {
  const { traces, upTo } = await nextErasablePage(ports, erasure);
  if (traces.length === 0) {
    // Before the pass ends: a run that dies here is repeated.
    if (isWatched) await requestErasurePush(ports, erasure);
    return endFirstPass(ports, erasure, now);
  }
  const page = await loadErasurePage(ports, erasure, endpointIds, traces);
  const updated = await ports.erasures.countPage(erasure, { ...page, upTo });
  if (updated) await removePage(ports, page);
  return updated;
}

/** The next page with rows to remove; without rows at the end. */
async function nextErasablePage(ports: ErasePorts, erasure: Erasure) {
  let upTo = erasure.upTo;
  for (;;) {
    const { traces, last } = await ports.traces.page(erasure.conversationId, upTo);
    const erasable = erasableTraces(erasure, traces);
    if (last === null || erasable.length > 0) return { traces: erasable, upTo: last ?? upTo };
    upTo = last;
  }
}

async function endFirstPass(ports: ErasePorts, erasure: Erasure, now: Millis): Promise<Erasure | null> {
  const updated = await ports.erasures.endFirstPass(erasure, erasureAuditEntry(erasure, now), now + PASS_INTERVAL);
  if (!updated) return null;
  const { conversation: _head, profile: _profile, deliveries, ...rows } = updated.removed;
  ports.log({
    event: "erasure.pass_completed",
    erasure: shortErasureId(updated.id),
    pass: "first",
    rows: Object.values(rows).reduce((sum, count) => sum + count, 0),
    deliveries,
  });
  return updated;
}

/** Removes the last counted page again: the run that counted it may have died before it removed it. */
async function removeCountedRows(ports: ErasePorts, erasure: Erasure, endpointIds: readonly string[]): Promise<void> {
  if (erasure.phase !== "first") return;
  for (let after = erasure.from; after < erasure.upTo; ) {
    const { traces, last } = await ports.traces.page(erasure.conversationId, after);
    if (last === null) return;
    const remaining = erasableTraces(erasure, traces).filter(({ key }) => key.SK <= erasure.upTo);
    if (remaining.length > 0) {
      const page = await loadErasurePage(ports, erasure, endpointIds, remaining);
      // A row may have been written after the count, so its event may not be saved yet.
      await ports.erasures.saveEvents(erasure, page);
      await removePage(ports, page);
    }
    after = last;
  }
}

/**
 * Runs a later pass of an erasure: removes what workers wrote that had read the conversation before it was erased. If
 * it finds messages or events, their deliveries may still be written, and another pass follows. Otherwise the erasure
 * ends. Safe to repeat and to kill: a later pass removes rows without adding them to the erasure's counts.
 * @returns when to continue (`now` when time ran out); null when the erasure is over
 */
export async function runLaterPass(
  ports: ErasePorts,
  { erasure, now }: { readonly erasure: Erasure; readonly now: Millis },
  hasTime: () => boolean,
): Promise<Millis | null> {
  const loaded = await ports.endpoints.listWithSockets(erasure.tenant, { consistent: true });
  const endpointIds = loaded.endpoints.map(({ id }) => id);
  // Also for a socket that opened during the first pass, whose client may have read rows that were removed after.
  if (hasSockets(loaded, now)) await requestErasurePush(ports, erasure);
  const removedCounts = { rows: 0, deliveries: 0 };
  for await (const eventPage of ports.erasures.savedEvents(erasure)) {
    if (!hasTime()) return now;
    removedCounts.deliveries += await removeLateDeliveries(ports, erasure, endpointIds, eventPage);
  }
  let nextPassAt: Millis | null = null;
  for (let after = BEFORE_ALL_ROWS; ; ) {
    if (!hasTime()) return now;
    const { traces, last } = await ports.traces.page(erasure.conversationId, after);
    if (last === null) break;
    after = last;
    const lateTraces = erasableTraces(erasure, traces);
    if (lateTraces.length === 0) continue;
    const page = await loadErasurePage(ports, erasure, endpointIds, lateTraces);
    if (page.ulids.length > 0 && nextPassAt === null) {
      nextPassAt = now + PASS_INTERVAL;
      await ports.erasures.defer(erasure, nextPassAt);
    }
    await ports.erasures.saveEvents(erasure, page);
    await removePage(ports, page);
    removedCounts.rows += lateTraces.length;
    removedCounts.deliveries += page.removed.deliveries ?? 0;
  }
  ports.log({ event: "erasure.pass_completed", erasure: shortErasureId(erasure.id), pass: "later", ...removedCounts });
  if (nextPassAt === null) await ports.erasures.end(erasure);
  return nextPassAt;
}

/** @returns how many deliveries were removed */
async function removeLateDeliveries(
  ports: ErasePorts,
  { tenant }: Erasure,
  endpointIds: readonly string[],
  eventPage: readonly ErasedEvents[],
): Promise<number> {
  const ulids = eventPage.flatMap((events) => events.ulids);
  const bodies = eventPage.flatMap((events) => events.bodies);
  const deliveries = await ports.traces.filterExisting(ports.traces.deliveryKeys(tenant, endpointIds, ulids));
  await ports.traces.remove([...deliveries, ...ports.traces.bodyKeys(tenant, bodies)]);
  await ports.erasures.reduceToMarks(eventPage);
  return deliveries.length;
}
