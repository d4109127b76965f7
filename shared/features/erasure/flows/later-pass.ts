import type { Millis } from "#base/kernel/time.ts";
import { requestErasurePush } from "#features/realtime/request-push.ts";
import { hasSockets } from "#features/realtime/rules/sockets.ts";
import type { ErasePorts } from "../ports.ts";
import { BEFORE_ALL_ROWS, PASS_INTERVAL, shortErasureId } from "../rules/erasures.ts";
import type { ErasedEvents } from "../store/erased-events.ts";
import type { Erasure } from "../store/erasure-items.ts";
import { erasableTraces, loadErasurePage, removePage } from "./related-rows.ts";

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
