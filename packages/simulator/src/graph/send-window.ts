import { refuse } from "../calls/error-messages.ts";
import type { Account, Thread } from "../world/model.ts";
import { isInstagram } from "../world/platform.ts";

const day = 24 * 3_600_000;
const messagingTypes = ["RESPONSE", "UPDATE", "MESSAGE_TAG"];

interface WindowCheck {
  body: Record<string, unknown>;
  /** Milliseconds by the simulator's clock. */
  now: number;
  /** True on Instagram's own host, which returns another error type. */
  onInstagram: boolean;
}

/**
 * Checks that a message may be sent now: within 24 hours of the person's last action, or within 7 days with the tag
 * HUMAN_AGENT; both limits are inclusive.
 */
export function checkWindow(
  account: Account,
  thread: Thread,
  { body, now, onInstagram: instagramHost }: WindowCheck,
): void {
  const tag = body.tag;
  const type = body.messaging_type;
  if (
    type === undefined
      ? account.connection === "messenger" && tag === undefined
      : !messagingTypes.includes(String(type))
  ) {
    throw refuse.parameter(`Param messaging_type must be one of {${messagingTypes.join(", ")}}`, instagramHost);
  }
  if (type === "MESSAGE_TAG" && tag === undefined) {
    throw refuse.parameter("Param tag is required when messaging_type is MESSAGE_TAG", instagramHost);
  }
  if (tag !== undefined && tag !== "HUMAN_AGENT") throw refuse.retiredTag();

  const windowMs = tag === "HUMAN_AGENT" ? 7 * day : day;
  if (thread.lastInboundAt === null || now - thread.lastInboundAt > windowMs) {
    throw refuse.outsideWindow(isInstagram(account), instagramHost);
  }
}
