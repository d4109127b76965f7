import type { Message } from "../../domain/inbox/messages.ts";
import { isProfileDue } from "../../domain/inbox/profiles.ts";
import { errorClass } from "../../kernel/error-class.ts";
import type { TenantId } from "../../kernel/tenant.ts";
import type { Millis } from "../../kernel/time.ts";
import { writeProfile } from "../../queues/messages.ts";
import type { Glimpse } from "../../stores/inbox/conversations.ts";
import type { IngestPorts } from "../ports.ts";
import type { Effects } from "./effects.ts";

/** Asks for the person who wrote a message to be looked up, where they are not known or were long ago. */
export function requestProfile(
  effects: Effects,
  tenant: TenantId,
  { conversationId, direction }: Message,
  { profile, profileFetchedAt }: Glimpse,
  now: Millis,
): void {
  // The platforms tell nothing of a person who never wrote.
  if (direction !== "inbound" || !isProfileDue(profile, profileFetchedAt, now)) return;
  effects.profiles.set(conversationId, { body: writeProfile({ tenant, conversationId }), group: tenant });
}

/** Never throws: a name is not worth a message, and the person's next one asks again. */
export async function sendProfileRequests(
  ports: Pick<IngestPorts, "profiles" | "log">,
  { profiles }: Effects,
): Promise<void> {
  try {
    await ports.profiles.sendAll([...profiles.values()]);
  } catch (error) {
    ports.log({ event: "profiles_not_requested", people: profiles.size, error: errorClass(error) });
  }
}
