import { checkSolutions } from "../../domain/holds/proof-of-work.ts";
import { areCompletionsExhausted, isHoldExhausted } from "../../domain/holds/verification-attempts.ts";
import { VERIFICATION_SEND_WAIT_MAX } from "../../domain/limits.ts";
import { errorClass } from "../../kernel/error-class.ts";
import { newUlid } from "../../kernel/ids.ts";
import { isRefusal, type Refusal, refuse } from "../../kernel/refusals.ts";
import type { Millis } from "../../kernel/time.ts";
import type { Hold } from "../../stores/holds/hold-items.ts";
import { currentHold, endedReason, type HoldEndedRefusal } from "./current-hold.ts";
import { type CheckRequest, countFailure, openHold, type TooManyAttempts, tooManyAttempts } from "./open.ts";
import type { CheckPorts } from "./ports.ts";
import { releaseHold } from "./release.ts";
import { type CheckHoldView, getDisplayName } from "./view.ts";

export interface Completion extends CheckRequest {
  readonly token: string;
  readonly solutions: readonly number[];
}

/**
 * Lets a held message go for whoever solved a challenge of it, once. What costs least is judged first. Of any number
 * of completions one claims the hold; the others are told what became of it.
 * @param clock the present instant, asked again where time matters
 * @returns the hold after its send, or still sending when the platform takes its time
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
  const failure = await judgeCompletion(ports, hold, request, now);
  if (failure) return failure;

  const displayName = await getDisplayName(ports, hold, now);
  const sendId = newUlid(now);
  const claimedHold = await ports.holds.claim(hold, sendId, clock());
  if (claimedHold?.sendId !== sendId) return refuseLostClaim(ports, claimedHold, clock());
  // The content is nowhere but here from now on.
  const sending = releaseHold(ports, { ...claimedHold, content: hold.content }, request.sourceIp, sendId, clock);
  const result = await ports.waitUpTo(VERIFICATION_SEND_WAIT_MAX, sending);
  if (result === "late") {
    sending.catch((error: unknown) => ports.log({ event: "late_send_failed", error: errorClass(error) }));
    return { hold: claimedHold, state: claimedHold.state, displayName };
  }
  return result ? { hold: result, state: result.state, displayName } : refuse("hold_not_found");
}

/** Null for a token of this hold with right solutions. Anything else is a failure of the address and of the hold. */
async function judgeCompletion(
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

/** What became of a hold that another completion was faster with, or time. */
async function refuseLostClaim(
  ports: Pick<CheckPorts, "holds">,
  hold: Hold | null,
  now: Millis,
): Promise<HoldEndedRefusal | Refusal<"hold_not_found">> {
  const view = hold && (await currentHold(ports, hold, now));
  return (view && endedReason(view.state)) ?? refuse("hold_not_found");
}
