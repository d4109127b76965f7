import { erasureAuditEntry, PASS_INTERVAL, shortErasureId } from "../../domain/erasure/erasures.ts";
import type { Millis } from "../../kernel/time.ts";
import type { Erasure } from "../../stores/erasure/erasure-items.ts";
import type { ErasePorts } from "./ports.ts";
import { erasableTraces, loadErasurePage } from "./related-rows.ts";

/**
 * The first pass of an erasure, from wherever it stands: page by page what there is is looked up, counted, and removed.
 * Counted comes before removed, and only where the erasure still stands as it was read: so no row is counted twice and
 * none is missed, whoever dies and however many runs there are at once. The one that is overtaken goes on from where
 * the other one is.
 * @param inTime whether another page may be begun
 * @returns the erasure as it then stands: still in its first pass when time ran out
 */
export async function runFirstPass(
  ports: ErasePorts,
  initial: Erasure,
  inTime: () => boolean,
  now: Millis,
): Promise<Erasure> {
  const endpointIds = (await ports.endpoints.list(initial.tenant)).map(({ id }) => id);
  let erasure = initial;
  await removeCountedRows(ports, erasure, endpointIds);
  while (erasure.phase === "first" && inTime()) {
    const next = await erasePage(ports, erasure, endpointIds, now);
    if (next) {
      erasure = next;
      continue;
    }
    const current = await ports.erasures.get(erasure.tenant, erasure.id);
    // Over already, or in the place of this one a later erasure of the same conversation.
    if (current?.op !== erasure.op) return { ...erasure, phase: "later" };
    erasure = current;
    await removeCountedRows(ports, erasure, endpointIds);
  }
  return erasure;
}

/** Null when another run was faster. */
async function erasePage(
  ports: ErasePorts,
  erasure: Erasure,
  endpointIds: readonly string[],
  now: Millis,
): Promise<Erasure | null> {
  const { traces, upTo } = await nextErasablePage(ports, erasure);
  if (traces.length === 0) return endFirstPass(ports, erasure, now);
  const page = await loadErasurePage(ports, erasure, endpointIds, traces);
  const updated = await ports.erasures.countPage(erasure, { ...page, upTo });
  if (updated) await ports.traces.remove(page.keys);
  return updated;
}

/** The next page that has anything to remove; none when nothing is left. */
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

/** The page that was counted last may not have been removed: whoever counted it may have died. */
async function removeCountedRows(ports: ErasePorts, erasure: Erasure, endpointIds: readonly string[]): Promise<void> {
  if (erasure.phase !== "first") return;
  for (let after = erasure.from; after < erasure.upTo; ) {
    const { traces, last } = await ports.traces.page(erasure.conversationId, after);
    if (last === null) return;
    const remaining = erasableTraces(erasure, traces).filter(({ key }) => key.SK <= erasure.upTo);
    if (remaining.length > 0) {
      const page = await loadErasurePage(ports, erasure, endpointIds, remaining);
      // Some of it may be newer than the count, and not among the events that were kept with it.
      await ports.erasures.saveEvents(erasure, page);
      await ports.traces.remove(page.keys);
    }
    after = last;
  }
}
