import type { Message } from "../../domain/inbox/messages.ts";
import { isProfileDue } from "../../domain/inbox/profiles.ts";
import { errorClass } from "../../kernel/error-class.ts";
import type { TenantId } from "../../kernel/tenant.ts";
import type { Millis } from "../../kernel/time.ts";
import { encodeProfile } from "../../queues/messages.ts";
import type { ConversationSnapshot } from "../../stores/inbox/conversations.ts";
import type { Effects } from "./effects.ts";
import type { IngestPorts } from "./ports.ts";

/** Asks for the person who wrote a message to be looked up, where they are not known or were long ago. */
export function requestProfile(
  effects: Effects,
  tenant: TenantId,
  { conversationId, direction }: Message,
  { profile, profileFetchedAt }: ConversationSnapshot,
  now: Millis,
): void {
  // The platforms tell nothing of a person who never wrote.
  if (direction !== "inbound" || !isProfileDue(profile, profileFetchedAt, now)) return;
  effects.profileRequests.set(conversationId, { body: encodeProfile({ tenant, conversationId }), group: tenant });
}

/** Never throws: a name is not worth a message, and the person's next one asks again. */
export async function sendProfileRequests(
  ports: Pick<IngestPorts, "profiles" | "log">,
  { profileRequests: profiles }: Effects,
): Promise<void> {
  try {
    await ports.profiles.sendAll([...profiles.values()]);
  } catch (error) {
    ports.log({ event: "profiles_not_requested", people: profiles.size, error: errorClass(error) });
  }
}
