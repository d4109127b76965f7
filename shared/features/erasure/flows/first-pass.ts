import type { Millis } from "#base/kernel/time.ts";
import { requestErasurePush } from "#features/realtime/request-push.ts";
import { hasSockets } from "#features/realtime/rules/sockets.ts";
import type { ErasePorts } from "../ports.ts";
import { erasureAuditEntry, PASS_INTERVAL, shortErasureId } from "../rules/erasures.ts";
import type { Erasure } from "../store/erasure-items.ts";
import { erasableTraces, loadErasurePage, removePage } from "./related-rows.ts";

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
