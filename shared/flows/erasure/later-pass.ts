import { BEFORE_ALL_ROWS, NEXT_PASS_AFTER, shortErasureId } from "../../domain/erasure/erasures.ts";
import type { Millis } from "../../kernel/time.ts";
import type { ErasedEvents } from "../../stores/erasure/erased-events.ts";
import type { Erasure } from "../../stores/erasure/erasure-items.ts";
import type { ErasePorts } from "../ports.ts";
import { found, ofErased } from "./related-rows.ts";

/**
 * A later pass of an erasure: removes what workers wrote that had read of the conversation before it was erased. When it
 * still finds messages or events, their deliveries may be under way, and another pass follows; else the erasure is over.
 * Safe to repeat and to kill: it removes and counts nothing.
 * @returns when to go on, at `now` when time ran out; null when the erasure is over
 */
export async function eraseAgain(
  ports: ErasePorts,
  erasure: Erasure,
  inTime: () => boolean,
  now: Millis,
): Promise<Millis | null> {
  const endpointIds = (await ports.endpoints.list(erasure.tenant)).map(({ id }) => id);
  const swept = { rows: 0, deliveries: 0 };
  for await (const kept of ports.erasures.keptEvents(erasure)) {
    if (!inTime()) return now;
    swept.deliveries += await removeLateDeliveries(ports, erasure, endpointIds, kept);
  }
  let nextPassAt: Millis | null = null;
  for (let behind = BEFORE_ALL_ROWS; ; ) {
    if (!inTime()) return now;
    const { traces, last } = await ports.traces.page(erasure.conversationId, behind);
    if (last === null) break;
    behind = last;
    const late = ofErased(erasure, traces);
    if (late.length === 0) continue;
    const page = await found(ports, erasure, endpointIds, late);
    if (page.ulids.length > 0 && nextPassAt === null) {
      nextPassAt = now + NEXT_PASS_AFTER;
      await ports.erasures.putOff(erasure, nextPassAt);
    }
    await ports.erasures.keepEvents(erasure, page);
    await ports.traces.remove(page.keys);
    swept.rows += late.length;
    swept.deliveries += page.removed.deliveries ?? 0;
  }
  ports.log({ event: "erasure_pass", erasure: shortErasureId(erasure.id), pass: "later", ...swept });
  if (nextPassAt === null) await ports.erasures.end(erasure);
  return nextPassAt;
}

/** @returns how many there were */
async function removeLateDeliveries(
  ports: ErasePorts,
  { tenant }: Erasure,
  endpointIds: readonly string[],
  kept: readonly ErasedEvents[],
): Promise<number> {
  const ulids = kept.flatMap((events) => events.ulids);
  const bodies = kept.flatMap((events) => events.bodies);
  const deliveries = await ports.traces.there(ports.traces.deliveryKeys(tenant, endpointIds, ulids));
  await ports.traces.remove([...deliveries, ...ports.traces.bodyKeys(tenant, bodies)]);
  await ports.erasures.leaveMarks(kept);
  return deliveries.length;
}
