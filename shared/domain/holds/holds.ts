import { hmacSha256, sameBytes, sha256Hex } from "../../kernel/bytes.ts";
import { isUlid, newUlid } from "../../kernel/ids.ts";
import { type Reason, toHttpError } from "../../kernel/refusals.ts";
import type { Millis } from "../../kernel/time.ts";
import { HOLD_LIFETIME, HOLD_READABLE, HOLD_SENDING_MAX, HUMAN_AGENT_WINDOW } from "../limits.ts";

// A human agent's message waits for a person to pass a check, and is then sent at most once. Two ends come by time
// alone and are decided on read; whoever tells of one first has made sure that no other end can follow it.

export const holdStatuses = ["awaiting_verification", "sending", "sent", "failed", "expired"] as const;
export type HoldStatus = (typeof holdStatuses)[number];

/**
 * - `create`: the policy let it pass
 * - `claim`: a person passed the check; one caller alone claims
 * - `accept`, `fail`: what came of the one send
 * - `run_out`, `lapse`: time did it, whether or not anyone looked
 */
export type HoldTrigger = "create" | "claim" | "accept" | "fail" | "run_out" | "lapse";

/** Every change a hold may go through, and no other: the store's conditions are made from this table. */
export const holdTransitions: readonly (readonly [HoldStatus | "none", HoldTrigger, HoldStatus])[] = [
  ["none", "create", "awaiting_verification"],
  ["awaiting_verification", "claim", "sending"],
  ["awaiting_verification", "run_out", "expired"],
  ["sending", "accept", "sent"],
  ["sending", "fail", "failed"],
  ["sending", "lapse", "failed"],
];

/** The statuses from which a trigger may change a hold. */
export function holdStatusesBefore(trigger: HoldTrigger): HoldStatus[] {
  return holdStatuses.filter((status) => holdTransitions.some(([from, by]) => from === status && by === trigger));
}

/** What a trigger makes of a hold that is in `status` now; null when it may not. */
export function nextHoldStatus(status: HoldStatus | "none", trigger: HoldTrigger): HoldStatus | null {
  return holdTransitions.find(([from, by]) => from === status && by === trigger)?.[2] ?? null;
}

/** Nothing more is sent from it, and its text is kept no longer. */
export function isHoldEnded(status: HoldStatus): boolean {
  return !holdTransitions.some(([from]) => from === status);
}

/** As the wire shows it. */
export interface HoldError {
  readonly code: string;
  readonly message: string;
  readonly detail: string | null;
}

/** Where a hold stands. */
export type HoldState =
  | { readonly status: "awaiting_verification" }
  | { readonly status: "sending"; readonly claimedAt: Millis }
  | { readonly status: "sent"; readonly platformMessageId: string }
  | { readonly status: "failed"; readonly error: HoldError }
  | { readonly status: "expired" };

/** A hold as far as these rules are concerned. */
export interface HoldLifecycle {
  readonly createdAt: Millis;
  /** From this instant on nobody can pass its check. */
  readonly expiresAt: Millis;
  /** As it was last written. */
  readonly state: HoldState;
}

/** Where a hold stands now, whatever was last written of it. */
export function holdStateAt(hold: HoldLifecycle, now: Millis): HoldState {
  const { state } = hold;
  if (state.status === "awaiting_verification" && now >= hold.expiresAt) return { status: "expired" };
  // Whoever was sending died or lost the answer. An echo may still show the message; the hold stays as it is told here.
  if (state.status === "sending" && now - state.claimedAt > HOLD_SENDING_MAX) {
    return { status: "failed", error: holdError("outcome_unknown", "outcome_unknown") };
  }
  return state;
}

/** When a hold made at `createdAt` runs out: after a quarter of an hour, never past the end of the 7 days. */
export function holdExpiresAt(createdAt: Millis, lastInboundAt: Millis): Millis {
  return Math.min(createdAt + HOLD_LIFETIME, lastInboundAt + HUMAN_AGENT_WINDOW);
}

/** Half an hour after it was made a hold is gone for everyone. */
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

/** The id of the hold that is made under a ULID, however often it is tried. */
export function holdIdFromUlid(ulid: string): string {
  return `${HOLD_ID_PREFIX}${ulid}`;
}

export function isHoldId(text: string): boolean {
  return text.startsWith(HOLD_ID_PREFIX) && isUlid(text.slice(HOLD_ID_PREFIX.length));
}

/**
 * The secret of a hold, 43 characters of base64url. It follows from the id, so that the answer which names it can be
 * given again; only its hash is kept.
 * @param key for this purpose alone
 */
export function holdSecret(key: Uint8Array, holdId: string): string {
  return hmacSha256(key, holdId).toString("base64url");
}

/** What is kept of a hold's secret: the hex of its SHA-256. */
export function holdSecretHash(secret: string): string {
  return sha256Hex(secret);
}

/** Whether a text is the secret of which the hash was kept; in constant time. */
export function isHoldSecret(secret: string, storedHash: string): boolean {
  return sameBytes(holdSecretHash(secret), storedHash);
}
