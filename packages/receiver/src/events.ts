import type { WebhookEvent } from "../../client/src/webhook-verifier.ts";

/** The types of events that this version of the API publishes. */
export type EventType = WebhookEvent["type"];

/** The event of a type, such as `EventOf<"message.received">`. */
export type EventOf<Type extends EventType> = Extract<WebhookEvent, { readonly type: Type }>;

/** An event of any type, also of one that a later version of the API publishes. */
export interface OtherEvent {
  readonly id: string;
  readonly type: string;
  readonly api_version: string;
  /** ISO 8601. */
  readonly created_at: string;
  readonly tenant_id: string;
  readonly data: unknown;
}

/** A function for each type that the receiver processes. An event is processed when the promise of its function resolves. */
export type EventHandlers = {
  readonly [Type in EventType]?: (event: EventOf<Type>) => unknown;
};
