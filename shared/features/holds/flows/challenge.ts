import { isRefusal, type Refusal } from "#base/kernel/refusals.ts";
import type { Millis } from "#base/kernel/time.ts";
import type { CheckPagePorts } from "../ports.ts";
import { isHoldExhausted } from "../rules/check-attempts.ts";
import { type IssuedChallenge, newChallenge } from "../rules/proof-of-work.ts";
import {
  type CheckRequest,
  endedReason,
  type HoldEndedRefusal,
  openHold,
  type TooManyAttempts,
  tooManyAttempts,
} from "./view.ts";

const NONCE_BYTES = 16;

/** Creates a challenge for a waiting hold. Each challenge counts as an attempt on the hold. */
export async function createChallenge(
  ports: Pick<CheckPagePorts, "holds" | "checkAttempts" | "challengeKeys" | "random">,
  request: CheckRequest,
  now: Millis,
): Promise<IssuedChallenge | Refusal<"hold_not_found"> | TooManyAttempts | HoldEndedRefusal> {
  const view = await openHold(ports, request, now);
  if (isRefusal(view)) return view;
  const { hold } = view;
  const refusal = endedReason(view);
  if (refusal) return refusal;
  const attempts = await ports.checkAttempts.add(hold.id, "challenge", now);
  if (isHoldExhausted({ ...attempts, all: attempts.all - 1 })) return tooManyAttempts(now);
  const challenge = {
    holdId: hold.id,
    scope: hold.scope,
    nonce: ports.random(NONCE_BYTES),
    now,
    holdExpiresAt: hold.expiresAt,
  };
  return newChallenge(challenge, await ports.challengeKeys());
}
