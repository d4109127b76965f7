import type { AttemptOutcome } from "../domain/delivery/deliveries.ts";

type NoAnswerError = Extract<AttemptOutcome, { kind: "no_answer" }>["error"];

/** Why there is no connection to a receiver: a class, or the gate's refusal. */
export class AttemptFailure extends Error {
  readonly failure: { readonly error: NoAnswerError } | { readonly refused: string };

  constructor(failure: AttemptFailure["failure"]) {
    super("error" in failure ? failure.error : failure.refused);
    this.name = "AttemptFailure";
    this.failure = failure;
  }
}

/**
 * The class of what an HTTP client threw.
 * Headers beyond the cap are `too_large`. A connection that broke, or an answer that is not HTTP, is `connect`.
 * @throws the error itself when the request was never fit to be sent: that is our fault, not the receiver's
 */
export function classifyFailure(error: unknown): AttemptFailure["failure"] {
  if (error instanceof AttemptFailure) return error.failure;
  const code = error instanceof Error && "code" in error ? error.code : null;
  if (code === "UND_ERR_INVALID_ARG") throw error;
  return { error: code === "UND_ERR_HEADERS_OVERFLOW" ? "too_large" : "connect" };
}
