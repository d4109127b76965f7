import type { QueueMessage } from "#base/aws/queues.ts";
import type { EventType } from "#base/events/events.ts";
import { errorClass } from "#base/kernel/error-class.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import type { Millis } from "#base/kernel/time.ts";
import { currentTrace } from "#base/kernel/trace.ts";
import { encodeEvent } from "#features/delivery/event-queue.ts";
import { mergeTally, newTally, type Tally } from "#features/stats/count.ts";
import type { IngestPorts } from "./ports.ts";
import { encodeProfile, type ProfileMessage } from "./profile-queue.ts";
import type { Message } from "./rules/messages.ts";
import { isProfileDue } from "./rules/profiles.ts";
import type { ConversationSnapshot } from "./store/conversations.ts";

/** What a batch of updates queues and counts once at its end, before its records are deleted from the inbound queue. */
export interface Effects {
  /** Includes messages that were stored before: the earlier run may have died before it published them. */
  readonly events: QueueMessage[];
  /** Profile lookups by conversation id, one per person. */
  readonly profileRequests: Map<string, ProfileMessage>;
  /** New messages without an event. Every other one is counted with the first delivery of its event. */
  readonly tally: Tally;
}

export function newEffects(): Effects {
  return { events: [], profileRequests: new Map(), tally: newTally() };
}

/** Adds the effects of another part of the batch. */
export function mergeEffects(effects: Effects, other: Effects): void {
  effects.events.push(...other.events);
  mergeTally(effects.tally, other.tally);
  for (const request of other.profileRequests.values()) addProfileRequest(effects, request);
}

function addProfileRequest({ profileRequests }: Effects, request: ProfileMessage): void {
  const { conversationId } = request;
  const awaited = request.awaited || profileRequests.get(conversationId)?.awaited;
  profileRequests.set(conversationId, { ...request, ...(awaited ? { awaited } : {}) });
}

/** Adds an event whose body is stored to the effects, unless they have it. */
export function publishStoredEvent(
  effects: Effects,
  { tenant, type, eventUlid }: { readonly tenant: TenantId; readonly type: EventType; readonly eventUlid: string },
): void {
  // Whether it was published before is unknown. Such events are few, so fan-out can read the delivery's row.
  const body = encodeEvent({ tenant, eventUlid, type, source: null, repeated: true });
  if (effects.events.every((event) => event.body !== body)) effects.events.push({ body, group: tenant });
}

/**
 * Requests a profile lookup of the person: with an inbound message where the stored profile is missing or old, or whose
 * event waits for the name, and with a message from the native app where it was never fetched.
 */
export function requestProfile(effects: Effects, request: ProfileRequest): void {
  const { tenant, message } = request;
  const { conversationId, nameWait } = message;
  const awaited = nameWait === "waiting";
  if (!awaited && !isLookupDue(request)) return;
  addProfileRequest(effects, { tenant, conversationId, ...(awaited ? { awaited } : {}), ...currentTrace() });
}

function isLookupDue({ message: { direction }, before, snapshot, now }: ProfileRequest): boolean {
  const { profile, profileFetchedAt } = snapshot;
  if (direction === "echo") return profile === "pending";
  if (direction !== "inbound") return false;
  // Some platforms show a person to the account only once the person has written.
  const mayBeShownNow = profile === "unavailable" && before.lastInboundAt === null;
  return mayBeShownNow || isProfileDue(profile, profileFetchedAt, now);
}

interface ProfileRequest {
  readonly tenant: TenantId;
  readonly message: Pick<Message, "conversationId" | "direction" | "nameWait">;
  /** The conversation before the message. */
  readonly before: Pick<ConversationSnapshot, "lastInboundAt">;
  /** The conversation with the message and the stored profile. */
  readonly snapshot: ConversationSnapshot;
  readonly now: Millis;
}

/** Never throws: the person's next message requests the lookup again. */
export async function sendProfileRequests(
  ports: Pick<IngestPorts, "profiles" | "log">,
  { profileRequests: profiles }: Effects,
): Promise<void> {
  try {
    const requests = [...profiles.values()];
    await ports.profiles.sendAll(requests.map((request) => ({ body: encodeProfile(request), group: request.tenant })));
  } catch (error) {
    ports.log({ event: "profiles.request_failed", people: profiles.size, error: errorClass(error) });
  }
}
