import {
  decodeErasure,
  decodeEvent,
  decodeInbound,
  decodeProfile,
  decodeRetry,
  type ErasureMessage,
  type EventMessage,
  type InboundMessage,
  type ProfileMessage,
  type RetryMessage,
} from "../../queues/messages.ts";
import type { QuarantinedMessage } from "../../stores/dead-letters/quarantine.ts";
import { decodeEndpointTask, type EndpointTask } from "../delivery/endpoint-tasks.ts";

/** What a dead letter is, as the worker of its queue would read it. */
export type DecodedMessage =
  | { readonly kind: "webhook"; readonly webhook: InboundMessage }
  | { readonly kind: "event"; readonly event: EventMessage }
  | { readonly kind: "attempt"; readonly attempt: RetryMessage }
  | { readonly kind: "step"; readonly step: EndpointTask }
  | { readonly kind: "profile"; readonly profile: ProfileMessage }
  | { readonly kind: "erasure"; readonly erasure: ErasureMessage }
  /** No worker of this version can read it; one that is cut cannot be read any more. */
  | { readonly kind: "unreadable" };

export function decodeDeadLetter({
  queue,
  body,
  cut,
}: Pick<QuarantinedMessage, "queue" | "body" | "cut">): DecodedMessage {
  const unreadable = { kind: "unreadable" } as const;
  if (cut) return unreadable;
  switch (queue) {
    case "Inbound": {
      const webhook = decodeInbound(body);
      return webhook ? { kind: "webhook", webhook } : unreadable;
    }
    // One worker reads both queues.
    case "Events":
    case "Deliveries": {
      const event = decodeEvent(body);
      if (event) return { kind: "event", event };
      const attempt = decodeRetry(body);
      if (attempt) return { kind: "attempt", attempt };
      const step = decodeEndpointTask(body);
      return step ? { kind: "step", step } : unreadable;
    }
    case "Profiles": {
      const profile = decodeProfile(body);
      return profile ? { kind: "profile", profile } : unreadable;
    }
    case "Erasures": {
      const erasure = decodeErasure(body);
      return erasure ? { kind: "erasure", erasure } : unreadable;
    }
  }
}
