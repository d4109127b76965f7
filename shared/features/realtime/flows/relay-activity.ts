import { newUlid } from "#base/kernel/ids.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import type { Millis } from "#base/kernel/time.ts";
import { presenceUpdatedFrame } from "../events.ts";
import type { FramePorts } from "../ports.ts";
import { ACTIVITY_SOCKETS_MAX, type Activity } from "../rules/activity.ts";

/** What a person does, as their connection reports it. */
interface ReportedActivity {
  readonly tenant: TenantId;
  readonly connectionId: string;
  readonly activity: Activity;
  readonly now: Millis;
}

/**
 * Posts what a person does to the sockets of the other people of the tenant. Keys report nothing and get nothing. Nothing is
 * stored, and whether the conversation exists is not read: clients ignore one that they do not show. A post that fails is
 * not repeated, because the next report follows within seconds and clients forget one that is not repeated.
 */
export async function relayActivity(
  { sockets, connections }: FramePorts,
  { tenant, connectionId, activity, now }: ReportedActivity,
): Promise<void> {
  const people = await sockets.listPeople(tenant, { limit: ACTIVITY_SOCKETS_MAX, now });
  const reporter = people?.find((socket) => socket.connectionId === connectionId);
  if (!people || !reporter) return;
  const { userId } = reporter;
  const frame = presenceUpdatedFrame(tenant, { ulid: newUlid(now), userId, activity });
  const others = people.filter((socket) => socket.userId !== userId && socket.greetedAt !== null);
  await Promise.allSettled(others.map((socket) => connections.post(socket.connectionId, frame)));
}
