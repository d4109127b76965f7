import {
  type ErasureMessage,
  type EventMessage,
  type InboundMessage,
  type ProfileMessage,
  type RetryMessage,
  readErasure,
  readEvent,
  readInbound,
  readProfile,
  readRetry,
} from "../../queues/messages.ts";
import type { KeptLetter } from "../../stores/dead-letters/quarantine.ts";
import { type EndpointStep, readStep } from "../delivery/endpoint-tasks.ts";

/** What a dead letter is, as the worker of its queue would read it. */
export type Contents =
  | { readonly kind: "webhook"; readonly webhook: InboundMessage }
  | { readonly kind: "event"; readonly event: EventMessage }
  | { readonly kind: "attempt"; readonly attempt: RetryMessage }
  | { readonly kind: "step"; readonly step: EndpointStep }
  | { readonly kind: "profile"; readonly profile: ProfileMessage }
  | { readonly kind: "erasure"; readonly erasure: ErasureMessage }
  /** No worker of this version can read it; one that is cut cannot be read any more. */
  | { readonly kind: "unreadable" };

export function contentsOf({ queue, body, cut }: Pick<KeptLetter, "queue" | "body" | "cut">): Contents {
  const unreadable = { kind: "unreadable" } as const;
  if (cut) return unreadable;
  switch (queue) {
    case "Inbound": {
      const webhook = readInbound(body);
      return webhook ? { kind: "webhook", webhook } : unreadable;
    }
    // One worker reads both queues.
    case "Events":
    case "Deliveries": {
      const event = readEvent(body);
      if (event) return { kind: "event", event };
      const attempt = readRetry(body);
      if (attempt) return { kind: "attempt", attempt };
      const step = readStep(body);
      return step ? { kind: "step", step } : unreadable;
    }
    case "Profiles": {
      const profile = readProfile(body);
      return profile ? { kind: "profile", profile } : unreadable;
    }
    case "Erasures": {
      const erasure = readErasure(body);
      return erasure ? { kind: "erasure", erasure } : unreadable;
    }
  }
}
