import { holdSecretHash, isHoldId, isHoldReadable, isHoldSecret } from "../../domain/holds/holds.ts";
import { addressIsSpent, networkOf, secondsToNextTry } from "../../domain/holds/verification-attempts.ts";
import { type Refusal, refuse } from "../../kernel/refusals.ts";
import type { Millis } from "../../kernel/time.ts";
import type { CheckPorts } from "../ports.ts";
import { type Standing, standingOf } from "./current-hold.ts";

/** A request of the check page, which shows nothing but the hold's secret. */
export interface CheckRequest {
  readonly holdId: string;
  readonly secret: string;
  /** As the gateway saw it. */
  readonly sourceIp: string | null;
}

export type TooManyTries = Refusal<"too_many_tries">;
type OpenPorts = Pick<CheckPorts, "holds" | "tries">;

/** What the secret of no hold hashes to: an unknown hold costs the work of a known one. */
const NO_HASH = holdSecretHash("");

/**
 * The hold that a secret opens. A wrong secret, an unknown hold and one past its half hour are one and the same, and
 * each counts against the address it came from.
 */
export async function openHold(
  ports: OpenPorts,
  { holdId, secret, sourceIp }: CheckRequest,
  now: Millis,
): Promise<Standing | Refusal<"hold_not_found"> | TooManyTries> {
  const [tries, hold] = await Promise.all([
    ports.tries.get(networkOf(sourceIp), now),
    isHoldId(holdId) ? ports.holds.get(holdId) : null,
  ]);
  if (addressIsSpent(tries)) return tooManyTries(now);
  const isRight = isHoldSecret(secret, hold?.secretHash ?? NO_HASH);
  const standing = hold && isRight && isHoldReadable(hold.createdAt, now) ? await standingOf(ports, hold, now) : null;
  return standing ?? failedFrom(ports, sourceIp, refuse("hold_not_found"), now);
}

/** Counts a failure against its address. @returns the refusal, or that there were too many of them */
export async function failedFrom<R extends Refusal>(
  ports: Pick<OpenPorts, "tries">,
  sourceIp: string | null,
  refusal: R,
  now: Millis,
): Promise<R | TooManyTries> {
  const before = { all: 0, failed: (await ports.tries.add(networkOf(sourceIp), "failure", now)).failed - 1 };
  return addressIsSpent(before) ? tooManyTries(now) : refusal;
}

export function tooManyTries(now: Millis): TooManyTries {
  return refuse("too_many_tries", undefined, secondsToNextTry(now));
}
