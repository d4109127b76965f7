import { checkSolutions } from "../../domain/holds/proof-of-work.ts";
import { completionsAreSpent, holdIsSpent } from "../../domain/holds/verification-attempts.ts";
import { CHECK_PATIENCE } from "../../domain/limits.ts";
import { errorClass } from "../../kernel/error-class.ts";
import { newUlid } from "../../kernel/ids.ts";
import { isRefusal, type Refusal, refuse } from "../../kernel/refusals.ts";
import type { Millis } from "../../kernel/time.ts";
import type { Hold } from "../../stores/holds/hold-items.ts";
import type { CheckPorts } from "../ports.ts";
import { type HoldOver, overBy, standingOf } from "./current-hold.ts";
import { type CheckRequest, failedFrom, openHold, type TooManyTries, tooManyTries } from "./open.ts";
import { releaseHold } from "./release.ts";
import { displayNameOf, type ShownHold } from "./view.ts";

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
): Promise<ShownHold | Refusal<"hold_not_found" | "invalid_request"> | TooManyTries | HoldOver> {
  const now = clock();
  const opened = await openHold(ports, request, now);
  if (isRefusal(opened)) return opened;
  const { hold, state } = opened;
  if (completionsAreSpent(await ports.tries.get(hold.id, now))) return tooManyTries(now);
  const over = overBy(state);
  if (over) return over;
  const wrong = await judged(ports, hold, request, now);
  if (wrong) return wrong;

  const displayName = await displayNameOf(ports, hold, now);
  const sendId = newUlid(now);
  const claimed = await ports.holds.claim(hold, sendId, clock());
  if (claimed?.sendId !== sendId) return lost(ports, claimed, clock());
  // The content is nowhere but here from now on.
  const sent = releaseHold(ports, { ...claimed, content: hold.content }, request.sourceIp, sendId, clock);
  const ended = await ports.upTo(CHECK_PATIENCE, sent);
  if (ended === "late") {
    sent.catch((error: unknown) => ports.log({ event: "late_send_failed", error: errorClass(error) }));
    return { hold: claimed, state: claimed.state, displayName };
  }
  return ended ? { hold: ended, state: ended.state, displayName } : refuse("hold_not_found");
}

/** Null for a token of this hold with right solutions. Anything else is a failure of the address and of the hold. */
async function judged(
  ports: Pick<CheckPorts, "tries" | "challengeKey">,
  hold: Hold,
  { token, solutions, sourceIp }: Completion,
  now: Millis,
): Promise<Refusal<"invalid_request"> | TooManyTries | null> {
  const verdict = checkSolutions({ holdId: hold.id, token, solutions, now }, await ports.challengeKey());
  if (verdict === "ok") return null;
  const [refusal, tries] = await Promise.all([
    failedFrom(ports, sourceIp, refuse("invalid_request", verdict), now),
    ports.tries.add(hold.id, "failure", now),
  ]);
  return holdIsSpent({ ...tries, all: tries.all - 1 }) ? tooManyTries(now) : refusal;
}

/** What became of a hold that another completion was faster with, or time. */
async function lost(
  ports: Pick<CheckPorts, "holds">,
  hold: Hold | null,
  now: Millis,
): Promise<HoldOver | Refusal<"hold_not_found">> {
  const standing = hold && (await standingOf(ports, hold, now));
  return (standing && overBy(standing.state)) ?? refuse("hold_not_found");
}
