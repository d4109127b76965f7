import { checkSolutions } from "../../domain/holds/proof-of-work.ts";
import { areCompletionsExhausted, isHoldExhausted } from "../../domain/holds/verification-attempts.ts";
import { VERIFICATION_SEND_WAIT_MAX } from "../../domain/limits.ts";
import { errorClass } from "../../kernel/error-class.ts";
import { newUlid } from "../../kernel/ids.ts";
import { isRefusal, type Refusal, refuse } from "../../kernel/refusals.ts";
import type { Millis } from "../../kernel/time.ts";
import type { Hold } from "../../stores/holds/hold-items.ts";
import type { CheckPorts } from "./ports.ts";
import { releaseHold } from "./release.ts";
import {
  type CheckHoldView,
  type CheckRequest,
  countFailure,
  currentHold,
  endedReason,
  getDisplayName,
  type HoldEndedRefusal,
  openHold,
  type TooManyAttempts,
  tooManyAttempts,
} from "./view.ts";

export interface Completion extends CheckRequest {
  readonly token: string;
  readonly solutions: readonly number[];
}

/**
 * Sends a held message once for a solved challenge. The cheapest checks run first. Exactly one of several completions
 * claims the hold; the others get its state.
 * @param clock the current time, read again where time matters
 * @returns the hold after its send, or in state `sending` when the platform has not responded in time
 */
export async function completeHold(
  ports: CheckPorts,
  request: Completion,
  clock: () => Millis,
): Promise<CheckHoldView | Refusal<"hold_not_found" | "invalid_request"> | TooManyAttempts | HoldEndedRefusal> {
  const now = clock();
  const view = await openHold(ports, request, now);
  if (isRefusal(view)) return view;
  const { hold, state } = view;
  if (areCompletionsExhausted(await ports.verificationAttempts.get(hold.id, now))) return tooManyAttempts(now);
  const refusal = endedReason(state);
  if (refusal) return refusal;
  const failure = await checkCompletion(ports, hold, request, now);
  if (failure) return failure;

  const displayName = await getDisplayName(ports, hold, now);
  const sendId = newUlid(now);
  const claimedHold = await ports.holds.claimHold(hold, sendId, clock());
  if (claimedHold?.sendId !== sendId) return refuseLostClaim(ports, claimedHold, clock());
  // The claim removed the content from the table. From here it is only in memory.
  const release = { hold: { ...claimedHold, content: hold.content }, sendId, ip: request.sourceIp };
  const sending = releaseHold(ports, release, clock);
  const result = await ports.waitUpTo(VERIFICATION_SEND_WAIT_MAX, sending);
  if (result === "late") {
    sending.catch((error: unknown) => ports.log({ event: "hold.late_send_failed", error: errorClass(error) }));
    return { hold: claimedHold, state: claimedHold.state, displayName };
  }
  return result ? { hold: result, state: result.state, displayName } : refuse("hold_not_found");
}

/** Null when the token and its solutions are right. Anything else counts as a failure of the address and of the hold. */
async function checkCompletion(
  ports: Pick<CheckPorts, "verificationAttempts" | "challengeKey">,
  hold: Hold,
  { token, solutions, sourceIp }: Completion,
  now: Millis,
): Promise<Refusal<"invalid_request"> | TooManyAttempts | null> {
  const verdict = checkSolutions({ holdId: hold.id, token, solutions, now }, await ports.challengeKey());
  if (verdict === "ok") return null;
  const [refusal, attempts] = await Promise.all([
    countFailure(ports, sourceIp, refuse("invalid_request", verdict), now),
    ports.verificationAttempts.add(hold.id, "failure", now),
  ]);
  return isHoldExhausted({ ...attempts, all: attempts.all - 1 }) ? tooManyAttempts(now) : refusal;
}

/** The refusal for a completion that lost the claim to another completion or to the expiry. */
async function refuseLostClaim(
  ports: Pick<CheckPorts, "holds">,
  hold: Hold | null,
  now: Millis,
): Promise<HoldEndedRefusal | Refusal<"hold_not_found">> {
  const view = hold && (await currentHold(ports, hold, now));
  return (view && endedReason(view.state)) ?? refuse("hold_not_found");
}
