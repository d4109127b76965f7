import type { Failure } from "./failure.ts";

/** The result of one forwarded event. `status` is the response to the sender. */
export interface ForwardedDelivery {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly eventType: string;
  readonly eventId: string;
  readonly status: number;
  /** The reason that `status` is not the receiver's. */
  readonly failure: Failure | null;
  /** A sentence about an unreachable receiver, with the fix. */
  readonly reason?: string | undefined;
  readonly durationMs: number;
  /** The stack's clock was advanced so far that a receiver with the real time rejects the delivery. */
  readonly clockAhead: boolean;
  /** Null when it is too large. */
  readonly body: Buffer | null;
}
