import type { Millis } from "#base/kernel/time.ts";
import { done, drop, type RecordOutcome } from "#base/queues/record-outcome.ts";
import type { ErasePorts } from "../ports.ts";
import { type ErasureMessage, encodeErasure } from "../queue.ts";
import type { Erasure } from "../store/erasure-items.ts";
import { runFirstPass } from "./first-pass.ts";
import { runLaterPass } from "./later-pass.ts";

/**
 * Continues an erasure until time runs out, and queues a new message for the rest. Returning the same message to the
 * queue would count as a failed receive. Until the erasure is over, a message is always queued: an erasure that has not
 * started when its message comes never starts.
 */
export async function eraseInBackground(
  ports: ErasePorts,
  { message, now }: { readonly message: ErasureMessage; readonly now: Millis },
  hasTime: () => boolean,
): Promise<RecordOutcome> {
  const erasure = await startedErasure(ports, message, now);
  if (!erasure) return drop("stale");
  const resumeAt = await continueErasure(ports, { erasure, now }, hasTime);
  if (resumeAt === null) return done;
  const delay = Math.max(0, resumeAt - now);
  const { op: _op, ...rest } = message;
  await ports.erasureWork.send({ body: encodeErasure(rest), group: message.tenant, delay });
  return done;
}

/**
 * The erasure to continue. The start that the message was sent before must not be committed from now on: no other message
 * would continue it.
 */
async function startedErasure(
  { erasures }: ErasePorts,
  { tenant, erasureId, op }: ErasureMessage,
  now: Millis,
): Promise<Erasure | null> {
  const erasure = await erasures.get(tenant, erasureId);
  if (op === undefined || erasure?.op === op) return erasure;
  return (await erasures.refuseStart(erasureId, op, now)) ? erasure : erasures.get(tenant, erasureId);
}

/** @returns when to continue; null when the erasure is over */
async function continueErasure(
  ports: ErasePorts,
  due: { readonly erasure: Erasure; readonly now: Millis },
  hasTime: () => boolean,
): Promise<Millis | null> {
  const { erasure, now } = due;
  if (erasure.phase === "first") return (await runFirstPass(ports, due, hasTime)).nextPassAt ?? now;
  const dueAt = erasure.nextPassAt ?? now;
  return dueAt > now ? dueAt : runLaterPass(ports, due, hasTime);
}
