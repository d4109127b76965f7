import { auditOfErasure, NEXT_PASS_AFTER, shortErasureId } from "../../domain/erasure/erasures.ts";
import type { Millis } from "../../kernel/time.ts";
import type { Erasure } from "../../stores/erasure/erasure-items.ts";
import type { ErasePorts } from "../ports.ts";
import { found, ofErased } from "./related-rows.ts";

/**
 * The first pass of an erasure, from wherever it stands: page by page what there is is looked up, counted, and removed.
 * Counted comes before removed, and only where the erasure still stands as it was read: so no row is counted twice and
 * none is missed, whoever dies and however many runs there are at once. The one that is overtaken goes on from where
 * the other one is.
 * @param inTime whether another page may be begun
 * @returns the erasure as it then stands: still in its first pass when time ran out
 */
export async function erasePages(
  ports: ErasePorts,
  begun: Erasure,
  inTime: () => boolean,
  now: Millis,
): Promise<Erasure> {
  const endpointIds = (await ports.endpoints.list(begun.tenant)).map(({ id }) => id);
  let erasure = begun;
  await removeCounted(ports, erasure, endpointIds);
  while (erasure.phase === "first" && inTime()) {
    const next = await erasePage(ports, erasure, endpointIds, now);
    if (next) {
      erasure = next;
      continue;
    }
    const standing = await ports.erasures.get(erasure.tenant, erasure.id);
    // Over already, or in the place of this one a later erasure of the same conversation.
    if (standing?.op !== erasure.op) return { ...erasure, phase: "later" };
    erasure = standing;
    await removeCounted(ports, erasure, endpointIds);
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
  const { traces, upTo } = await nextOfErased(ports, erasure);
  if (traces.length === 0) return endFirstPass(ports, erasure, now);
  const page = await found(ports, erasure, endpointIds, traces);
  const counted = await ports.erasures.count(erasure, { ...page, upTo });
  if (counted) await ports.traces.remove(page.keys);
  return counted;
}

/** The next page that has anything to remove; none when nothing is left. */
async function nextOfErased(ports: ErasePorts, erasure: Erasure) {
  let upTo = erasure.upTo;
  for (;;) {
    const { traces, last } = await ports.traces.page(erasure.conversationId, upTo);
    const old = ofErased(erasure, traces);
    if (last === null || old.length > 0) return { traces: old, upTo: last ?? upTo };
    upTo = last;
  }
}

async function endFirstPass(ports: ErasePorts, erasure: Erasure, now: Millis): Promise<Erasure | null> {
  const ended = await ports.erasures.endFirstPass(erasure, auditOfErasure(erasure, now), now + NEXT_PASS_AFTER);
  if (!ended) return null;
  const { conversation: _head, profile: _ofHead, deliveries, ...rows } = ended.removed;
  ports.log({
    event: "erasure_pass",
    erasure: shortErasureId(ended.id),
    pass: "first",
    rows: Object.values(rows).reduce((sum, count) => sum + count, 0),
    deliveries,
  });
  return ended;
}

/** The page that was counted last may not have been removed: whoever counted it may have died. */
async function removeCounted(ports: ErasePorts, erasure: Erasure, endpointIds: readonly string[]): Promise<void> {
  if (erasure.phase !== "first") return;
  for (let behind = erasure.from; behind < erasure.upTo; ) {
    const { traces, last } = await ports.traces.page(erasure.conversationId, behind);
    if (last === null) return;
    const left = ofErased(erasure, traces).filter(({ key }) => key.SK <= erasure.upTo);
    if (left.length > 0) {
      const page = await found(ports, erasure, endpointIds, left);
      // Some of it may be newer than the count, and not among the events that were kept with it.
      await ports.erasures.keepEvents(erasure, page);
      await ports.traces.remove(page.keys);
    }
    behind = last;
  }
}
