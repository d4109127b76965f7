import { sha256Hex } from "#base/kernel/bytes.ts";
import { errorClass } from "#base/kernel/error-class.ts";
import { newUlid, ulidTime } from "#base/kernel/ids.ts";
import { type Refusal, refuse } from "#base/kernel/refusals.ts";
import type { RequestTime } from "#base/kernel/request-time.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { MINUTE, type Millis } from "#base/kernel/time.ts";
import type { Caller } from "#features/access/rules/callers.ts";
import type { IdempotencyPorts, SettlePorts } from "./ports.ts";

/** Requests with the same key are refused for this long. After it, the process of the first request has died. */
const IN_FLIGHT_MAX: Millis = MINUTE;

/** A request with the idempotency key that its caller chose. Without a key, nothing is deduplicated. */
export interface IdempotentRequest {
  readonly key: string | null;
  readonly tenant: TenantId;
  readonly caller: Caller;
  /** The route and all parameters, in a stable order. */
  readonly fingerprint: unknown;
  readonly time: RequestTime;
  /** Called when the result is that of an earlier request. */
  readonly onReplay?: (() => void) | undefined;
}

/** Work that runs at most once per key. Its result is stored for a day, so it must not contain message content. */
export interface IdempotentWork<A extends object, R extends Refusal> {
  /** @param id a ULID of now that identifies the work */
  readonly run: (id: string) => Promise<A | R>;
  /** The result of work whose process died; null when that process had written nothing. */
  readonly replayResult: (id: string) => Promise<A | R | null>;
}

/** The hash under which a caller's key is stored. */
export function idempotencyHash({ scope }: Pick<Caller, "scope">, key: string): string {
  return sha256Hex(JSON.stringify([scope, key]));
}

/** How far the clocks of two processes may differ. */
const CLOCK_DIFFERENCE_MAX: Millis = MINUTE;

/**
 * Whether an erasure of the conversation may have removed what work wrote: then the work may have been done, and its
 * result is unknown.
 * @param id the id of the work
 */
export async function mayBeErased(
  ports: Pick<SettlePorts, "erasures">,
  { conversationId, id, now }: { readonly conversationId: string; readonly id: string; readonly now: Millis },
): Promise<boolean> {
  const erasedAt = await ports.erasures.erasedAt(conversationId, now);
  return erasedAt !== null && erasedAt >= ulidTime(id) - CLOCK_DIFFERENCE_MAX;
}

/**
 * Runs work once per key. A repetition within a day returns the first result. A refusal with `retryAfter` releases the
 * key: nothing was done. If the first process died before it wrote anything, the work runs again under a new id.
 */
export async function withIdempotency<A extends object, R extends Refusal>(
  ports: IdempotencyPorts,
  { key, tenant, caller, fingerprint, time, onReplay }: IdempotentRequest,
  work: IdempotentWork<A, R>,
): Promise<A | R | Refusal<"idempotency_conflict">> {
  const now = time.now();
  if (key === null) return work.run(newUlid(now));
  let claim = {
    keyHash: idempotencyHash(caller, key),
    bodyHash: sha256Hex(JSON.stringify(fingerprint)),
    workId: newUlid(now),
  };
  let previousResult: A | R | null = null;
  const existing = await ports.idempotencyKeys.claimKey(tenant, claim, now);
  if (existing) {
    if (existing.bodyHash !== claim.bodyHash) return refuse("idempotency_conflict", "another_request");
    if (existing.result !== null) {
      onReplay?.();
      return JSON.parse(existing.result) as A | R;
    }
    if (now < existing.claimedAt + IN_FLIGHT_MAX) return refuse("idempotency_conflict", "in_flight");
    previousResult = await work.replayResult(existing.workId);
    if (previousResult) claim = { ...claim, workId: existing.workId };
    const conflicting = await ports.idempotencyKeys.claimKey(tenant, claim, now, existing);
    if (conflicting) return refuse("idempotency_conflict", "in_flight");
  }
  if (previousResult) onReplay?.();
  const result = previousResult ?? (await work.run(claim.workId));
  // Nothing is started at the end of the request. The next request with the key gets the result from the record.
  if (time.now() >= time.endsAt) return result;
  const saving =
    "retryAfter" in result
      ? ports.idempotencyKeys.release(tenant, claim)
      : ports.idempotencyKeys.saveResult(tenant, claim, JSON.stringify(result));
  // The work is done and `replayResult` can find it, so a failed save must not fail the request.
  await time.waitFor(
    saving.catch((error: unknown) => ports.log({ event: "idempotency.save_failed", error: errorClass(error) })),
  );
  return result;
}
