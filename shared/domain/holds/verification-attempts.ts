import { type Millis, SECOND } from "../../kernel/time.ts";
import {
  VERIFICATION_ATTEMPTS_PER_HOLD_MAX,
  VERIFICATION_FAILURES_PER_ADDRESS_MAX,
  VERIFICATION_WINDOW,
} from "../limits.ts";

// How often the check page may be tried: counts in fixed windows that begin at multiples of five minutes. A look at a
// hold by its secret is no try, and neither is a completion that passes.

/** The tries of one source address or one hold in the present window. */
export interface AttemptCounts {
  readonly all: number;
  /** Those of them that failed. */
  readonly failed: number;
}

/** The window that an instant lies in: from `start` until just before `end`. */
export function verificationWindowAt(now: Millis): { readonly start: Millis; readonly end: Millis } {
  const start = Math.floor(now / VERIFICATION_WINDOW) * VERIFICATION_WINDOW;
  return { start, end: start + VERIFICATION_WINDOW };
}

/** Seconds until the window of `now` is over, at least 1. */
export function secondsUntilNextWindow(now: Millis): number {
  return Math.ceil((verificationWindowAt(now).end - now) / SECOND);
}

/** Whether an address has had its failures, and gets no answer to one more. */
export function isAddressExhausted({ failed }: AttemptCounts): boolean {
  return failed >= VERIFICATION_FAILURES_PER_ADDRESS_MAX;
}

/** Whether a hold is given no challenge more. */
export function isHoldExhausted({ all }: AttemptCounts): boolean {
  return all >= VERIFICATION_ATTEMPTS_PER_HOLD_MAX;
}

/** Whether a hold's completions are judged no more. Whoever only took challenges may still answer the last of them. */
export function areCompletionsExhausted(attempts: AttemptCounts): boolean {
  return isHoldExhausted(attempts) && attempts.failed > 0;
}

/**
 * What tries are counted by: an IPv4 address, or the /64 of an IPv6 address, of which one household has all.
 * @param address as the gateway saw it; null where there was none
 */
export function networkKey(address: string | null): string {
  if (address === null) return "unknown";
  const normalized = address.toLowerCase().replace(/%.*$/, "");
  const mapped = /^::ffff:([\d.]+)$/.exec(normalized)?.[1];
  if (mapped) return mapped;
  if (!normalized.includes(":")) return normalized;
  const [before = [], after = []] = normalized
    .split("::")
    .map((half) => half.split(":").filter((group) => group !== ""));
  const gap = Math.max(0, 8 - before.length - after.length);
  const groups = [...before, ...Array.from({ length: gap }, () => "0"), ...after].slice(0, 4);
  return `${groups.map((group) => group.replace(/^0+(?=.)/, "")).join(":")}::/64`;
}
