import { errorClass } from "#base/kernel/error-class.ts";
import { newUlid } from "#base/kernel/ids.ts";
import { allDone } from "#base/kernel/parallel.ts";
import { invalidField, isRefusal, type Refusal, refuse } from "#base/kernel/refusals.ts";
import type { RequestTime } from "#base/kernel/request-time.ts";
import type { Millis } from "#base/kernel/time.ts";
import type { CheckPagePorts } from "../ports.ts";
import { areCompletionsExhausted, isHoldExhausted } from "../rules/check-attempts.ts";
import { checkSolutions } from "../rules/proof-of-work.ts";
import type { Hold } from "../store/items.ts";
import { releaseHold } from "./release.ts";
import {
  type CheckHoldView,
  type CheckRequest,
  countFailure,
  currentHold,
  endedReason,
  getHoldNames,
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
 * @returns the hold after its send, or in state `sending` when its outcome could not be stored in the request's time
 */
export async function completeHold(
  ports: CheckPagePorts,
  request: Completion,
  time: RequestTime,
): Promise<CheckHoldView | Refusal<"hold_not_found" | "invalid_request"> | TooManyAttempts | HoldEndedRefusal> {
  const now = time.now();
  const view = await openHold(ports, request, now);
  if (isRefusal(view)) return view;
  const { hold } = view;
  if (areCompletionsExhausted(await ports.checkAttempts.get(hold.id, now))) return tooManyAttempts(now);
  const refusal = endedReason(view);
  if (refusal) return refusal;
  const failure = await checkCompletion(ports, hold, request, now);
  if (failure) return failure;

  const names = await getHoldNames(ports, hold, now);
  const sendId = newUlid(now);
  const claimedHold = await ports.holds.claimHold(hold, sendId, time.now());
  if (claimedHold?.sendId !== sendId) return refuseLostClaim(ports, claimedHold, time.now());
  // The claim removed the content from the table. From here it is only in memory.
  const release = { hold: { ...claimedHold, content: hold.content }, sendId, ip: request.sourceIp };
  const sending = releaseHold(ports, release, time).catch((error: unknown) => {
    ports.log({ event: "hold.settle_failed", error: errorClass(error) });
    return "late" as const;
  });
  const result = await time.waitFor(sending);
  if (result === "late") return { hold: claimedHold, state: claimedHold.state, ...names };
  return result ? { hold: result, state: result.state, ...names } : refuse("hold_not_found");
}

const completionProblems = {
  invalid_token: invalidField("token", "is not a challenge of this held message", "invalid_token"),
  challenge_expired: invalidField("token", "has expired: take a new challenge", "challenge_expired"),
  invalid_solutions: invalidField("solutions", "do not solve the challenge", "invalid_solutions"),
};

/**
 * Null when the token and its solutions are right. Anything else counts as a failure of the address and of the hold.
 */
async function checkCompletion(
  ports: Pick<CheckPagePorts, "checkAttempts" | "challengeKeys">,
  hold: Hold,
  { token, solutions, sourceIp }: Completion,
  now: Millis,
): Promise<Refusal<"invalid_request"> | TooManyAttempts | null> {
  const verdict = checkSolutions({ holdId: hold.id, token, solutions, now }, await ports.challengeKeys());
  if (verdict === "ok") return null;
  const [refusal, attempts] = await allDone([
    countFailure(ports, sourceIp, completionProblems[verdict], now),
    ports.checkAttempts.add(hold.id, "failure", now),
  ]);
  return isHoldExhausted({ ...attempts, all: attempts.all - 1 }) ? tooManyAttempts(now) : refusal;
}

/** The refusal for a completion that lost the claim to another completion or to the expiry. */
async function refuseLostClaim(
  ports: Pick<CheckPagePorts, "holds">,
  hold: Hold | null,
  now: Millis,
): Promise<HoldEndedRefusal | Refusal<"hold_not_found">> {
  const view = hold && (await currentHold(ports, hold, now));
  return (view && endedReason(view)) ?? refuse("hold_not_found");
}
