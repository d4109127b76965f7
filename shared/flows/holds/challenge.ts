import { type IssuedChallenge, newChallenge } from "../../domain/holds/proof-of-work.ts";
import { holdIsSpent } from "../../domain/holds/verification-attempts.ts";
import { isRefusal, type Refusal } from "../../kernel/refusals.ts";
import type { Millis } from "../../kernel/time.ts";
import type { CheckPorts } from "../ports.ts";
import { type HoldOver, overBy } from "./current-hold.ts";
import { type CheckRequest, openHold, type TooManyTries, tooManyTries } from "./open.ts";

const NONCE_BYTES = 16;

/** A new challenge for a hold that waits. Each is a try of the hold. */
export async function takeChallenge(
  ports: Pick<CheckPorts, "holds" | "tries" | "challengeKey" | "random">,
  request: CheckRequest,
  now: Millis,
): Promise<IssuedChallenge | Refusal<"hold_not_found"> | TooManyTries | HoldOver> {
  const opened = await openHold(ports, request, now);
  if (isRefusal(opened)) return opened;
  const { hold, state } = opened;
  const over = overBy(state);
  if (over) return over;
  const tries = await ports.tries.add(hold.id, "challenge", now);
  if (holdIsSpent({ ...tries, all: tries.all - 1 })) return tooManyTries(now);
  const asked = {
    holdId: hold.id,
    scope: hold.scope,
    nonce: ports.random(NONCE_BYTES),
    now,
    holdExpiresAt: hold.expiresAt,
  };
  return newChallenge(asked, await ports.challengeKey());
}
