import { IDEMPOTENCY_KEY_CHARS_MAX } from "../../shared/domain/limits.ts";
import { type Refusal, refuse } from "../../shared/kernel/refusals.ts";

/** The request's `Idempotency-Key`; null when there is none. */
export function readIdempotencyKey(headers: Headers): string | null | Refusal<"invalid_request"> {
  const key = headers.get("idempotency-key");
  if (key === null || (key.length <= IDEMPOTENCY_KEY_CHARS_MAX && /^[!-~]+$/.test(key))) return key;
  return refuse(
    "invalid_request",
    `Idempotency-Key: must be 1 to ${IDEMPOTENCY_KEY_CHARS_MAX} visible ASCII characters`,
  );
}
