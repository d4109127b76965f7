import type { Caller } from "../../domain/access/api-keys.ts";
import { sha256Hex } from "../../kernel/bytes.ts";
import { errorClass } from "../../kernel/error-class.ts";
import { newUlid } from "../../kernel/ids.ts";
import { type Refusal, refuse } from "../../kernel/refusals.ts";
import type { TenantId } from "../../kernel/tenant.ts";
import { MINUTE, type Millis } from "../../kernel/time.ts";
import type { IdempotencyPorts } from "./ports.ts";

/** So long another request with the same key is refused; then whoever had it has died. */
const IN_FLIGHT_MAX: Millis = MINUTE;

/** A request under a key that its caller chose; without one, every request is its own. */
export interface IdempotentRequest {
  readonly key: string | null;
  readonly tenant: TenantId;
  readonly caller: Caller;
  /** The route and all that was asked, always written in the same way. */
  readonly fingerprint: unknown;
}

/** What is done at most once. Its answer, a refusal included, holds nothing of a message: it is kept for a day. */
export interface IdempotentWork<A extends object, R extends Refusal> {
  /** @param id a ULID of now, under which it is done */
  readonly run: (id: string) => Promise<A | R>;
  /** What became of a try whose process died; null when it had done nothing yet. */
  readonly replayResult: (id: string) => Promise<A | R | null>;
}

/**
 * Does work once for each key: asked again within a day, it gives the first answer. Refused with a wait, nothing was
 * done, and the key may be used again. What a request that died has not begun is done under an id of its own, as by
 * the first to ask.
 */
export async function withIdempotency<A extends object, R extends Refusal>(
  ports: IdempotencyPorts,
  { key, tenant, caller, fingerprint }: IdempotentRequest,
  work: IdempotentWork<A, R>,
  now: Millis,
): Promise<A | R | Refusal<"idempotency_conflict">> {
  if (key === null) return work.run(newUlid(now));
  const request = {
    keyHash: sha256Hex(JSON.stringify([caller.scope, key])),
    bodyHash: sha256Hex(JSON.stringify(fingerprint)),
  };
  let workId = newUlid(now);
  let previousResult: A | R | null = null;
  const existing = await ports.idempotencyKeys.claim(tenant, request, workId, now);
  if (existing) {
    if (existing.bodyHash !== request.bodyHash) return refuse("idempotency_conflict", "another_request");
    if (existing.result !== null) return JSON.parse(existing.result) as A | R;
    if (now < existing.claimedAt + IN_FLIGHT_MAX) return refuse("idempotency_conflict", "in_flight");
    previousResult = await work.replayResult(existing.workId);
    if (previousResult) workId = existing.workId;
    const conflicting = await ports.idempotencyKeys.claim(tenant, request, workId, now, existing);
    if (conflicting) return refuse("idempotency_conflict", "in_flight");
  }
  const answer = previousResult ?? (await work.run(workId));
  const saving =
    "retryAfter" in answer
      ? ports.idempotencyKeys.release(tenant, request, workId)
      : ports.idempotencyKeys.saveResult(tenant, request, workId, JSON.stringify(answer));
  // What was done is done, and can be recalled.
  await saving.catch((error: unknown) => ports.log({ event: "answer_not_kept", error: errorClass(error) }));
  return answer;
}
