import { hmacSha256, sameBytes, sha256Hex } from "#base/kernel/bytes.ts";
import { isUlid, newUlid, ulidTime } from "#base/kernel/ids.ts";
import { type KeyRing, sealingKeyAt } from "#base/kernel/key-ring.ts";
import { HOLD_LIFETIME, HOLD_READABLE, HOLD_SENDING_MAX, HUMAN_AGENT_WINDOW } from "#base/kernel/limits.ts";
import { type Reason, toHttpError } from "#base/kernel/refusals.ts";
import type { Millis } from "#base/kernel/time.ts";
import type { AuditAction, AuditEntry } from "#features/access/rules/audit.ts";
import type { Scope } from "#features/access/rules/scope.ts";

// A human agent's message waits for a person to pass a check, and is then sent at most once. Two ends come by time alone
// and are derived on read. Such an end is stored before it is reported, so that no other end can follow it.

export const holdStatuses = ["awaiting_verification", "sending", "sent", "failed", "expired"] as const;
export type HoldStatus = (typeof holdStatuses)[number];

/**
 * - `create`: the policy allowed the message
 * - `claim`: a person passed the check; only one caller can claim
 * - `accept`, `fail`: the outcome of the send
 * - `run_out`: no one passed the check in time
 * - `revoke`: the root secret that its link was derived from was leaked
 * - `lapse`: the send had no outcome in time
 */
export type HoldTrigger = "create" | "claim" | "accept" | "fail" | "run_out" | "revoke" | "lapse";

/** All transitions of a hold's status, as `[from, trigger, to]`. The store's write conditions come from this table. */
export const holdTransitions: readonly (readonly [HoldStatus | "none", HoldTrigger, HoldStatus])[] = [
  ["none", "create", "awaiting_verification"],
  ["awaiting_verification", "claim", "sending"],
  ["awaiting_verification", "run_out", "expired"],
  ["awaiting_verification", "revoke", "expired"],
  ["sending", "accept", "sent"],
  ["sending", "fail", "failed"],
  ["sending", "lapse", "failed"],
];

/** The statuses in which a trigger applies. */
export function holdStatusesBefore(trigger: HoldTrigger): HoldStatus[] {
  return holdStatuses.filter((status) => holdTransitions.some(([from, by]) => from === status && by === trigger));
}

/** The status after a trigger; null when the trigger does not apply in `status`. */
export function nextHoldStatus(status: HoldStatus | "none", trigger: HoldTrigger): HoldStatus | null {
  return holdTransitions.find(([from, by]) => from === status && by === trigger)?.[2] ?? null;
}

/** Whether a status is final: nothing is sent any more, and the content is removed. */
export function isHoldEnded(status: HoldStatus): boolean {
  return !holdTransitions.some(([from]) => from === status);
}

/** An error as the API returns it. */
export interface HoldError {
  readonly code: string;
  readonly message: string;
  readonly detail: string | null;
}

/** The status of a hold with its data. */
export type HoldState =
  | { readonly status: "awaiting_verification" }
  | { readonly status: "sending"; readonly claimedAt: Millis }
  | { readonly status: "sent"; readonly platformMessageId: string }
  | { readonly status: "failed"; readonly error: HoldError }
  | { readonly status: "expired" };

/** The part of a hold that these rules need. */
export interface HoldLifecycle {
  readonly createdAt: Millis;
  /** From this time on no one can pass the check. */
  readonly expiresAt: Millis;
  /** The state as stored. */
  readonly state: HoldState;
}

/** The current state of a hold: the stored state, or an end by time. */
export function holdStateAt(hold: HoldLifecycle, now: Millis): HoldState {
  const { state } = hold;
  if (state.status === "awaiting_verification" && now >= hold.expiresAt) return { status: "expired" };
  // The sending process died or lost the platform's response. A later echo may show the message, but the hold stays failed.
  if (state.status === "sending" && now - state.claimedAt > HOLD_SENDING_MAX) {
    return { status: "failed", error: holdError("outcome_unknown", "outcome_unknown") };
  }
  return state;
}

/** When a hold created at `createdAt` expires: after 15 minutes, but never after the 7-day human agent window. */
export function holdExpiresAt(createdAt: Millis, lastInboundAt: Millis): Millis {
  return Math.min(createdAt + HOLD_LIFETIME, lastInboundAt + HUMAN_AGENT_WINDOW);
}

/** Whether a hold can still be read. It cannot 30 minutes after it was created. */
export function isHoldReadable(createdAt: Millis, now: Millis): boolean {
  return now < createdAt + HOLD_READABLE;
}

export function holdError(reason: Reason, detail: string | null = null): HoldError {
  const { code, message } = toHttpError(reason);
  return { code, message, detail };
}

const HOLD_ID_PREFIX = "hold_";

export function newHoldId(now: Millis): string {
  return holdIdFromUlid(newUlid(now));
}

/** The hold id for a ULID. Repeated creations with the same ULID make the same hold. */
export function holdIdFromUlid(ulid: string): string {
  return `${HOLD_ID_PREFIX}${ulid}`;
}

export function isHoldId(text: string): boolean {
  return text.startsWith(HOLD_ID_PREFIX) && isUlid(text.slice(HOLD_ID_PREFIX.length));
}

/**
 * The secret of a hold, 43 characters of base64url. It is derived from the id, so that a repeated request gets the same
 * URL although only the hash is stored. The key is that of the time in the id, also after a rotation.
 * @param keys used for this purpose only
 */
export function holdSecret(keys: KeyRing, holdId: string): string {
  const { key } = sealingKeyAt(keys, ulidTime(holdId.slice(HOLD_ID_PREFIX.length)));
  return hmacSha256(key, holdId).toString("base64url");
}

/** The stored hash of a hold's secret: SHA-256 in hex. */
export function holdSecretHash(secret: string): string {
  return sha256Hex(secret);
}

/** Compares a secret with its stored hash in constant time. */
export function isHoldSecret(secret: string, storedHash: string): boolean {
  return sameBytes(holdSecretHash(secret), storedHash);
}

/** The audit entry of a hold: its actor, never its content. */
export function holdAuditEntry(
  action: Extract<AuditAction, "hold.create" | "hold.verify">,
  { id, actorId, scope }: { readonly id: string; readonly actorId: string; readonly scope: Scope },
  { actor, ip }: Pick<AuditEntry, "actor" | "ip">,
  at: Millis,
): AuditEntry {
  return { action, resource: `hold:${id}`, actor, ip, detail: { actor_id: actorId, scope }, at };
}
