import { allDone } from "#base/kernel/parallel.ts";
import { isRefusal, type Refusal, refuse } from "#base/kernel/refusals.ts";
import type { Millis } from "#base/kernel/time.ts";
import { type Caller, refuseTenant } from "#features/access/rules/callers.ts";
import { networkKey } from "#features/access/rules/networks.ts";
import type { CheckPagePorts } from "../ports.ts";
import { isAddressExhausted, secondsUntilNextWindow } from "../rules/check-attempts.ts";
import { type HoldState, holdSecretHash, holdStateAt, isHoldId, isHoldReadable, isHoldSecret } from "../rules/holds.ts";
import type { Hold } from "../store/items.ts";

/** A hold with its current state. */
export interface HoldView {
  readonly hold: Hold;
  readonly state: HoldState;
}

/** A hold as the check page shows it. */
export interface CheckHoldView extends HoldView, HoldNames {}

/** Who receives a held message, and from which account. */
interface HoldNames {
  /** The name of the person who receives the message. */
  readonly displayName: string;
  readonly participantUsername: string | null;
  /** Null when the conversation is gone. */
  readonly accountHandle: string | null;
}

/** A request of the check page. The hold's secret is its only credential. */
export interface CheckRequest {
  readonly holdId: string;
  readonly secret: string;
  /** As the gateway saw it. */
  readonly sourceIp: string | null;
}

/** The hold does not wait for its check any more. `view` says why. */
export interface HoldEndedRefusal extends Refusal<"hold_sending" | "hold_sent" | "hold_failed" | "hold_expired"> {
  readonly view: HoldView;
}
export type TooManyAttempts = Refusal<"verification_limit">;
type OpenPorts = Pick<CheckPagePorts, "holds" | "checkAttempts">;

/** Shown when no name is known. */
const FALLBACK_NAME = "this person";

/** No secret has this hash. It makes an unknown hold cost the same work as a known one. */
const UNKNOWN_HOLD_HASH = holdSecretHash("");

/** Gets a hold of the caller's tenant, until 30 minutes after it was created. */
export async function getHold(
  ports: Pick<CheckPagePorts, "holds">,
  caller: Caller,
  holdId: string,
  now: Millis,
): Promise<HoldView | Refusal<"hold_not_found" | "tenant_suspended">> {
  const hold = isHoldId(holdId) ? await ports.holds.get(holdId) : null;
  const view = hold && (await currentHold(ports, hold, now));
  if (!view) return refuse("hold_not_found");
  const refusal = refuseTenant(caller, view.hold.tenant, "hold_not_found");
  if (refusal) return refusal;
  return isHoldReadable(view.hold.createdAt, now) ? view : refuse("hold_not_found");
}

/** Gets a held message for the check page. A successful read is not counted as an attempt. */
export async function viewHold(
  ports: Pick<CheckPagePorts, "holds" | "checkAttempts" | "conversations">,
  request: CheckRequest,
  now: Millis,
): Promise<CheckHoldView | Refusal<"hold_not_found"> | TooManyAttempts | HoldEndedRefusal> {
  const view = await openHold(ports, request, now);
  if (isRefusal(view)) return view;
  return endedReason(view) ?? { ...view, ...(await getHoldNames(ports, view.hold, now)) };
}

/**
 * Opens a hold with its secret. A wrong secret, an unknown hold and a hold older than 30 minutes give the same refusal,
 * and each counts as a failure of the source address.
 */
export async function openHold(
  ports: OpenPorts,
  { holdId, secret, sourceIp }: CheckRequest,
  now: Millis,
): Promise<HoldView | Refusal<"hold_not_found"> | TooManyAttempts> {
  const [attempts, hold] = await allDone([
    ports.checkAttempts.get(networkKey(sourceIp), now),
    isHoldId(holdId) ? ports.holds.get(holdId) : null,
  ]);
  if (isAddressExhausted(attempts)) return tooManyAttempts(now);
  const secretMatches = isHoldSecret(secret, hold?.secretHash ?? UNKNOWN_HOLD_HASH);
  const view =
    hold && secretMatches && isHoldReadable(hold.createdAt, now) ? await currentHold(ports, hold, now) : null;
  return view ?? countFailure(ports, sourceIp, refuse("hold_not_found"), now);
}

/**
 * The current state of a hold; null when it was erased. Stores an end by time first, so that no other end can follow.
 */
export async function currentHold(
  ports: Pick<CheckPagePorts, "holds">,
  hold: Hold,
  now: Millis,
): Promise<HoldView | null> {
  const state = holdStateAt(hold, now);
  if (state.status === hold.state.status) return { hold, state };
  const current = await ports.holds.expire(hold, now);
  return current && { hold: current, state: holdStateAt(current, now) };
}

/** The refusal for a hold that no longer waits for its check; null while it waits. */
export function endedReason(view: HoldView): HoldEndedRefusal | null {
  const { status } = view.state;
  return status === "awaiting_verification" ? null : { ...refuse(endedReasons[status], status), view };
}

const endedReasons = {
  sending: "hold_sending",
  sent: "hold_sent",
  failed: "hold_failed",
  expired: "hold_expired",
} as const;

/** The names around a held message. Reads its conversation. */
export async function getHoldNames(
  ports: Pick<CheckPagePorts, "conversations">,
  hold: Hold,
  now: Millis,
): Promise<HoldNames> {
  const head = await ports.conversations.get(hold.tenant, hold.conversationId, now);
  const participantUsername = head?.participantUsername ?? null;
  return {
    displayName: head?.participantName ?? head?.participantHandle ?? participantUsername ?? FALLBACK_NAME,
    participantUsername,
    accountHandle: head?.accountHandle ?? null,
  };
}

/**
 * Counts a failure of a source address. @returns `refusal`, or `verification_limit` when the address is over its limit
 */
export async function countFailure<R extends Refusal>(
  ports: Pick<OpenPorts, "checkAttempts">,
  sourceIp: string | null,
  refusal: R,
  now: Millis,
): Promise<R | TooManyAttempts> {
  const attemptsBefore = {
    all: 0,
    failed: (await ports.checkAttempts.add(networkKey(sourceIp), "failure", now)).failed - 1,
  };
  return isAddressExhausted(attemptsBefore) ? tooManyAttempts(now) : refusal;
}

export function tooManyAttempts(now: Millis): TooManyAttempts {
  return refuse("verification_limit", undefined, secondsUntilNextWindow(now));
}
