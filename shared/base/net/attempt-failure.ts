import type { AttemptOutcome } from "../kernel/attempt-outcome.ts";
import { OutOfTime } from "../kernel/deadline.ts";

type NoAnswerError = Extract<AttemptOutcome, { kind: "no_answer" }>["error"];

/** Why a receiver was not reached: an error class, or the egress gate's refusal. */
export class AttemptFailure extends Error {
  readonly failure: { readonly error: NoAnswerError } | { readonly refused: string };

  constructor(failure: AttemptFailure["failure"]) {
    super("error" in failure ? failure.error : failure.refused);
    this.name = "AttemptFailure";
    this.failure = failure;
  }
}

/**
 * Classifies an error of the HTTP client. Headers beyond the limit are `too_large`; a broken connection and a response
 * that is not HTTP are `connect`.
 * @throws the error itself when the request was invalid or did not begin, which is our fault and not the receiver's
 */
export function classifyFailure(error: unknown): AttemptFailure["failure"] {
  if (error instanceof AttemptFailure) return error.failure;
  if (error instanceof OutOfTime) throw error;
  const code = error instanceof Error && "code" in error ? error.code : null;
  if (code === "UND_ERR_INVALID_ARG") throw error;
  return { error: code === "UND_ERR_HEADERS_OVERFLOW" ? "too_large" : "connect" };
}
