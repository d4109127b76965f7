import type { QueueMessage } from "../../aws/queues.ts";
import type { Message } from "../../domain/inbox/messages.ts";
import { isProfileDue } from "../../domain/inbox/profiles.ts";
import { errorClass } from "../../kernel/error-class.ts";
import type { TenantId } from "../../kernel/tenant.ts";
import type { Millis } from "../../kernel/time.ts";
import { encodeProfile } from "../../queues/profiles.ts";
import type { ConversationSnapshot } from "../../stores/inbox/conversations.ts";
import { mergeTally, newTally, type Tally } from "../stats/count.ts";
import type { IngestPorts } from "./ports.ts";

/** What a batch of updates queues and counts once at its end, before its records are deleted from the inbound queue. */
export interface Effects {
  /** Includes messages that were stored before: the earlier run may have died before it published them. */
  readonly events: QueueMessage[];
  /** Profile lookups by conversation id, one per person. */
  readonly profileRequests: Map<string, QueueMessage>;
  /** New messages. A message sent through the API is counted with its first delivery instead. */
  readonly tally: Tally;
}

export function newEffects(): Effects {
  return { events: [], profileRequests: new Map(), tally: newTally() };
}

/** Adds the effects of another part of the batch. */
export function mergeEffects(effects: Effects, other: Effects): void {
  effects.events.push(...other.events);
  mergeTally(effects.tally, other.tally);
  for (const [conversation, request] of other.profileRequests) effects.profileRequests.set(conversation, request);
}

/** Requests a profile lookup of the author of an inbound message, where the stored profile is missing or old. */
export function requestProfile(
  effects: Effects,
  tenant: TenantId,
  { conversationId, direction }: Message,
  { profile, profileFetchedAt }: ConversationSnapshot,
  now: Millis,
): void {
  // The platforms return no profile of a person who never wrote.
  if (direction !== "inbound" || !isProfileDue(profile, profileFetchedAt, now)) return;
  effects.profileRequests.set(conversationId, { body: encodeProfile({ tenant, conversationId }), group: tenant });
}

/** Never throws: the person's next message requests the lookup again. */
export async function sendProfileRequests(
  ports: Pick<IngestPorts, "profiles" | "log">,
  { profileRequests: profiles }: Effects,
): Promise<void> {
  try {
    await ports.profiles.sendAll([...profiles.values()]);
  } catch (error) {
    ports.log({ event: "profiles.request_failed", people: profiles.size, error: errorClass(error) });
  }
}
