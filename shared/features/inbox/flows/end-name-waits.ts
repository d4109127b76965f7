import { ulidTime } from "#base/kernel/ids.ts";
import { FIRST_EVENT_WAIT } from "#base/kernel/limits.ts";
import { allDone } from "#base/kernel/parallel.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import type { Millis } from "#base/kernel/time.ts";
import { messageEvent } from "#features/delivery/event-queue.ts";
import type { ProfilePorts } from "../ports.ts";
import type { Participant } from "../rules/messages.ts";
import type { PlacedMessage } from "../store/name-waits.ts";

type WaitPorts = Pick<ProfilePorts, "nameWaits" | "events">;

/**
 * Gives the names of a finished lookup to the messages that wait for them, and publishes their events at once. A message
 * whose event was published since then keeps what it was published with.
 * @param messages as they were read before the names were: one that came after an erasure in between is not among them
 * @param names null where the platform does not show the person
 * @returns the messages as they are now, without those that are gone
 */
export async function endNameWaits(
  ports: WaitPorts,
  tenant: TenantId,
  { messages, names }: { readonly messages: readonly PlacedMessage[]; readonly names: Omit<Participant, "id"> | null },
  now: Millis,
): Promise<readonly PlacedMessage[]> {
  const results = await allDone(
    messages.map(async (placed) => {
      const { message, ref } = placed;
      if (message.nameWait !== "waiting" || message.unsentAt !== undefined) return { ended: false, message, ref };
      if (names === null) return { ended: await endUnnamed(ports, { tenant, ...message }, now), message, ref };
      const result = await ports.nameWaits.name(tenant, placed, names, now);
      return { ended: result.named, message: result.message, ref };
    }),
  );
  const stored = results.flatMap(({ message, ...rest }) => (message ? [{ ...rest, message }] : []));
  // Who ends a wait publishes first: no other worker has sent these events.
  const events = stored.filter(({ ended }) => ended).map((placed) => waitedEvent(tenant, placed, false));
  if (events.length > 0) await ports.events.sendAll(events);
  return stored;
}

/** Ends a wait for a name that does not come, unless the time of the wait is over anyway. */
async function endUnnamed(
  { nameWaits }: Pick<WaitPorts, "nameWaits">,
  { tenant, eventUlid }: { readonly tenant: TenantId; readonly eventUlid: string },
  now: Millis,
): Promise<boolean> {
  return now < ulidTime(eventUlid) + FIRST_EVENT_WAIT && nameWaits.end(tenant, eventUlid, now);
}

/** The queue message of an event whose wait is over. */
function waitedEvent(tenant: TenantId, { message: { nameWait, ...message }, ref }: PlacedMessage, repeated: boolean) {
  return messageEvent(tenant, { message, ref, isNew: !repeated });
}

/** Publishes the events again that a run before may have died before it published: it had given their messages the name. */
export async function republishNamed(
  ports: Pick<WaitPorts, "events">,
  tenant: TenantId,
  messages: readonly PlacedMessage[],
): Promise<void> {
  const named = messages.filter(({ message }) => message.nameWait === "named" && message.unsentAt === undefined);
  if (named.length > 0) await ports.events.sendAll(named.map((placed) => waitedEvent(tenant, placed, true)));
}
