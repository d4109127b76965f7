import { deriveUlid } from "#base/kernel/ids.ts";
import { HOLD_SENDING_MAX } from "#base/kernel/limits.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { type Millis, SECOND } from "#base/kernel/time.ts";
import { done, drop, type RecordOutcome } from "#base/queues/record-outcome.ts";
import { type HoldState, holdStateAt, isHoldReadable } from "#features/holds/rules/holds.ts";
import { holdUpdatedFrame } from "../../events.ts";
import { listTargets, type PushRun } from "./batch.ts";
import type { PushPorts } from "./ports.ts";
import { postFrames } from "./post-frames.ts";
import { setTimer } from "./timers.ts";

/** A held message to push. */
interface HoldRef {
  readonly tenant: TenantId;
  readonly holdId: string;
  /** The ULID of the frame. */
  readonly eventUlid: string;
}

/** Pushes a held message as it is, in any scope, as `GET /v1/messages/holds/{hold_id}` shows it. @param hold `timer`: only if it ended by time */
export async function pushHold(
  ports: PushPorts,
  hold: HoldRef & { readonly timer?: boolean },
  run: PushRun,
): Promise<RecordOutcome> {
  const { sockets } = await listTargets(ports, hold.tenant, run);
  if (sockets.length === 0) return done;
  const push = await loadHoldPush(ports, hold, run.now());
  if (!push) return drop("gone");
  if (hold.timer && push.state.status !== "expired" && push.state.status !== "failed") return drop("stale");
  await postFrames(ports, { tenant: hold.tenant, sockets, frames: [push.frame] }, run);
  return done;
}

/**
 * The frame of a held message. While it may end by time alone, a timer is set for that end, which nothing else reports.
 * An end by time is stored before it is shown.
 * @returns null when the hold is gone, or too old to be read
 */
export async function loadHoldPush(
  ports: Pick<PushPorts, "holds" | "realtime">,
  { tenant, holdId, eventUlid }: HoldRef,
  now: Millis,
): Promise<{ readonly frame: string; readonly state: HoldState } | null> {
  const stored = await ports.holds.get(holdId);
  if (stored?.tenant !== tenant || !isHoldReadable(stored.createdAt, now)) return null;
  const isOver = holdStateAt(stored, now).status !== stored.state.status;
  const hold = isOver ? await ports.holds.expire(stored, now) : stored;
  if (!hold) return null;
  const state = holdStateAt(hold, now);
  const endsAt = endByTime(state, hold.expiresAt);
  if (endsAt !== null) {
    const timerUlid = deriveUlid(endsAt, `${holdId}\n${state.status}`);
    await setTimer(ports, { tenant, kind: "hold", holdId, eventUlid: timerUlid, timer: true }, endsAt - now);
  }
  return { frame: holdUpdatedFrame(tenant, { ulid: eventUlid, hold, state }), state };
}

/** When a hold ends by time; null when it has ended. */
function endByTime(state: HoldState, expiresAt: Millis): Millis | null {
  if (state.status === "awaiting_verification") return expiresAt;
  return state.status === "sending" ? state.claimedAt + HOLD_SENDING_MAX + SECOND : null;
}
