import type { AttemptOutcome } from "#base/kernel/attempt-outcome.ts";
import { atStage } from "#base/kernel/attempt-stage.ts";
import { errorClass } from "#base/kernel/error-class.ts";
import { SLOW_BACKOFF_FIRST, SLOW_BACKOFF_MAX } from "#base/kernel/limits.ts";
import type { Millis } from "#base/kernel/time.ts";
import { done, drop, type RecordOutcome, retry } from "#base/queues/record-outcome.ts";
import type { Endpoint } from "#features/webhooks/rules/endpoints.ts";
import type { DeliverPorts } from "../ports.ts";
import type { RetryMessage } from "../queue.ts";
import { isCircuitOpen, isSlow } from "../rules/breaker.ts";
import { judgeAbandoned, judgeAttempt, type Verdict } from "../rules/deliveries.ts";
import { retryMessage, scheduleRetry } from "../schedule.ts";
import type { Slot } from "../store/concurrency-slots.ts";
import type { DeliveryRow } from "../store/items.ts";
import { type Batch, callEndpoint, isUnanswered, judge, openSigningSecrets, prepareClaimed } from "./attempt.ts";
import { onUnanswered } from "./endpoint-health.ts";
import { finishAttempt, resumeFinishedAttempt } from "./finish-attempt.ts";

/**
 * Makes one later attempt: claims the row, posts the event, and finishes the attempt. Safe to repeat at every line: the
 * attempt number is a token, and the claim of a worker that died expires. While the circuit is open nothing is claimed:
 * the row waits, and a drain queues it when the endpoint recovers. An attempt of a slow endpoint moves to the slow
 * deliveries queue, and so does one that has no answer soon.
 * @param batch receives the result of the attempt
 */
export async function retryDelivery(ports: DeliverPorts, message: RetryMessage, batch: Batch): Promise<RecordOutcome> {
  const { now } = batch;
  const { tenant, endpointId } = message;
  const endpoint = await atStage("prepare", ports.endpoints.get(tenant, endpointId));
  if (endpoint?.status !== "active") return claimAndAttempt(ports, message, endpoint, batch);
  if (isCircuitOpen(endpoint.breaker, now()) && !message.manual) return done;
  if (!isSlow(endpoint.breaker, now())) return claimAndAttempt(ports, message, endpoint, batch);
  if (!batch.slow) {
    await atStage("follow_up", ports.slowRetries.send(retryMessage(message)));
    return done;
  }
  const slot = await atStage("prepare", ports.concurrencySlots.acquire(tenant, endpointId, now()));
  if (!slot) return defer(ports, message);
  try {
    return await claimAndAttempt(ports, message, endpoint, batch);
  } finally {
    await releaseSlot(ports, message, slot);
  }
}

/** Defers an attempt of a slow endpoint without a free slot. Doubling delays keep many of them from filling the queue. */
async function defer(
  ports: Pick<DeliverPorts, "slowRetries" | "random">,
  message: RetryMessage,
): Promise<RecordOutcome> {
  const deferrals = message.deferrals ?? 0;
  const delay = Math.min(SLOW_BACKOFF_FIRST * 2 ** deferrals, SLOW_BACKOFF_MAX);
  const deferred = retryMessage({ ...message, deferrals: deferrals + 1 }, delay * (0.5 + 0.5 * ports.random()));
  await atStage("follow_up", ports.slowRetries.send(deferred));
  return done;
}

/** Never fails: the attempt is recorded, and a slot that is not released becomes free when its lease expires. */
async function releaseSlot(
  { concurrencySlots, log }: Pick<DeliverPorts, "concurrencySlots" | "log">,
  { tenant, endpointId }: RetryMessage,
  slot: Slot,
): Promise<void> {
  await concurrencySlots.release(tenant, endpointId, slot).catch((error: unknown) => {
    log({ event: "slot.release_failed", endpoint: endpointId, error: errorClass(error) });
  });
}

async function claimAndAttempt(
  ports: DeliverPorts,
  message: RetryMessage,
  endpoint: Endpoint | null,
  batch: Batch,
): Promise<RecordOutcome> {
  const { now } = batch;
  const { tenant, attempt } = message;
  const secrets = await openSigningSecrets(ports, { tenant, endpoint, now: now() });
  const claim = await atStage("prepare", ports.deliveries.claimDelivery(tenant, message, now()));
  switch (claim.outcome) {
    case "gone":
      return drop("stale");
    case "leased":
      return retry("leased", Math.max(0, claim.until - now()));
    case "not_due":
      await atStage("follow_up", scheduleRetry(ports, message, claim.dueAt, now()));
      return done;
    case "moved_on":
      if (claim.row.attempt !== attempt) return drop("stale");
      return (await resumeFinishedAttempt(ports, tenant, claim.row, now())) ? done : drop("stale");
    case "abandoned": {
      const { attempt, createdAt } = claim.row;
      const verdict = judgeAbandoned({ attempt, createdAt, now: now(), jitter: ports.random() });
      const end = { tenant, endpoint, row: claim.row, outcome: null, abandoned: true, verdict, settledAt: now() };
      const recorded = await finishAttempt(ports, end, { ...batch, health: null });
      return recorded.kind === "recorded" ? done : drop("stale");
    }
    case "claimed": {
      const claimedDelivery = { tenant, endpoint, row: claim.row };
      const prepared = await prepareClaimed(ports, { ...claimedDelivery, secrets }, batch);
      const answered = await callEndpoint(ports, prepared, batch);
      if (endpoint && isUnanswered(answered, batch)) {
        onUnanswered(ports, { ...message, endpoint }, batch);
        const released = ports.deliveries.releaseDelivery(tenant, claim.row, now());
        if (!(await atStage("follow_up", released))) return drop("stale");
        await atStage("follow_up", ports.slowRetries.send(retryMessage(message)));
        return done;
      }
      const judgement = judge(answered, (outcome) => judgeOutcome(ports, claim.row, outcome, now()));
      const recorded = await finishAttempt(ports, { ...claimedDelivery, ...judgement, settledAt: now() }, batch);
      return recorded.kind === "recorded" ? done : drop("stale");
    }
  }
}

function judgeOutcome(ports: DeliverPorts, row: DeliveryRow, outcome: AttemptOutcome, now: Millis): Verdict {
  const { attempt, createdAt } = row;
  return judgeAttempt(outcome, { attempt, createdAt, now, jitter: ports.random() });
}
