import type * as z from "zod/mini";
import type { RenderedEvent } from "./events.ts";

/** An event type as it is published. */
export interface EventDefinition {
  /** When the event is sent, in one or two sentences. */
  readonly description: string;
  /**
   * The schema of the event's `data`. Built on call: a module that only renders the event then has no schema among its
   * side effects, and the bundler leaves it out of the workers.
   */
  readonly dataSchema: () => z.ZodMiniObject;
  /** Rendered as real events are. The bytes are the same on every call. */
  readonly example: () => RenderedEvent;
}
