import type { Millis } from "./time.ts";

/**
 * The outcome of one POST. Its duration is in whole milliseconds, from the last byte of the request, or from the start of an
 * attempt that sent none, without the delays of this process.
 */
export type AttemptOutcome =
  | {
      readonly kind: "answered";
      readonly status: number;
      readonly retryAfter: Millis | null;
      readonly durationMs: number;
      /** The beginning of the body, up to 256 bytes; absent when it is empty or no text. */
      readonly response?: string;
    }
  | {
      readonly kind: "no_answer";
      readonly error: "timeout" | "connect" | "tls" | "dns" | "too_large";
      readonly durationMs: number;
    }
  | { readonly kind: "refused_by_gate"; readonly reason: string };
