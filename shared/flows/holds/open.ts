import { holdSecretHash, isHoldId, isHoldReadable, isHoldSecret } from "../../domain/holds/holds.ts";
import { isAddressExhausted, networkKey, secondsUntilNextWindow } from "../../domain/holds/verification-attempts.ts";
import { type Refusal, refuse } from "../../kernel/refusals.ts";
import type { Millis } from "../../kernel/time.ts";
import { currentHold, type HoldView } from "./current-hold.ts";
import type { CheckPorts } from "./ports.ts";

/** A request of the check page, which shows nothing but the hold's secret. */
export interface CheckRequest {
  readonly holdId: string;
  readonly secret: string;
  /** As the gateway saw it. */
  readonly sourceIp: string | null;
}

export type TooManyAttempts = Refusal<"too_many_tries">;
type OpenPorts = Pick<CheckPorts, "holds" | "verificationAttempts">;

/** What the secret of no hold hashes to: an unknown hold costs the work of a known one. */
const UNKNOWN_HOLD_HASH = holdSecretHash("");

/**
 * The hold that a secret opens. A wrong secret, an unknown hold and one past its half hour are one and the same, and
 * each counts against the address it came from.
 */
export async function openHold(
  ports: OpenPorts,
  { holdId, secret, sourceIp }: CheckRequest,
  now: Millis,
): Promise<HoldView | Refusal<"hold_not_found"> | TooManyAttempts> {
  const [attempts, hold] = await Promise.all([
    ports.verificationAttempts.get(networkKey(sourceIp), now),
    isHoldId(holdId) ? ports.holds.get(holdId) : null,
  ]);
  if (isAddressExhausted(attempts)) return tooManyAttempts(now);
  const secretMatches = isHoldSecret(secret, hold?.secretHash ?? UNKNOWN_HOLD_HASH);
  const view =
    hold && secretMatches && isHoldReadable(hold.createdAt, now) ? await currentHold(ports, hold, now) : null;
  return view ?? countFailure(ports, sourceIp, refuse("hold_not_found"), now);
}

/** Counts a failure against its address. @returns the refusal, or that there were too many of them */
export async function countFailure<R extends Refusal>(
  ports: Pick<OpenPorts, "verificationAttempts">,
  sourceIp: string | null,
  refusal: R,
  now: Millis,
): Promise<R | TooManyAttempts> {
  const attemptsBefore = {
    all: 0,
    failed: (await ports.verificationAttempts.add(networkKey(sourceIp), "failure", now)).failed - 1,
  };
  return isAddressExhausted(attemptsBefore) ? tooManyAttempts(now) : refusal;
}

export function tooManyAttempts(now: Millis): TooManyAttempts {
  return refuse("too_many_tries", undefined, secondsUntilNextWindow(now));
}
