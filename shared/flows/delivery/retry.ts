import { isCircuitOpen, isSlow } from "../../domain/delivery/breaker.ts";
import { type AttemptOutcome, judgeAttempt, type Verdict } from "../../domain/delivery/deliveries.ts";
import type { RenderedEvent } from "../../domain/events/events.ts";
import { RETENTION, SLOW_BACKOFF_FIRST, SLOW_BACKOFF_MAX } from "../../domain/limits.ts";
import type { Endpoint } from "../../domain/webhooks/endpoints.ts";
import { errorClass } from "../../kernel/error-class.ts";
import type { TenantId } from "../../kernel/tenant.ts";
import { MINUTE, type Millis } from "../../kernel/time.ts";
import type { RetryMessage } from "../../queues/deliveries.ts";
import type { Slot } from "../../stores/delivery/concurrency-slots.ts";
import type { DeliveryRow } from "../../stores/delivery/delivery-items.ts";
import { done, drop, type RecordOutcome, retry } from "../record-outcome.ts";
import { countDelivery, type Tally } from "../stats/count.ts";
import { makeAttempt } from "./attempt.ts";
import { type EndpointHealth, recordAttempt, recordSlow } from "./endpoint-health.ts";
import type { BatchContext } from "./fan-out.ts";
import { logAttempt } from "./log-attempt.ts";
import { pauseWhenGone, resumePauseWhenGone } from "./pause-gone.ts";
import type { DeliverPorts } from "./ports.ts";
import { loadRenderedEvent } from "./rendered-events.ts";
import { retryMessage, scheduleRetry } from "./schedule.ts";

/** A worker that died left its attempt without an answer: it counts as one that timed out. */
export const abandonedOutcome: AttemptOutcome = { kind: "no_answer", error: "timeout", durationMs: MINUTE };

/**
 * Makes one later attempt: claims the row, posts, settles, and sees to the next. Safe to repeat at every line: the
 * attempt number is a token, and a claim whose worker died runs out. While the endpoint is left alone nothing is
 * claimed: the row waits, and is handed out when it works again.
 * @param batch grows by what the attempt came to
 */
export async function retryDelivery(
  ports: DeliverPorts,
  message: RetryMessage,
  batch: BatchContext,
  now: () => Millis,
): Promise<RecordOutcome> {
  const { tenant, endpointId } = message;
  const endpoint = await ports.endpoints.get(tenant, endpointId);
  if (endpoint?.status !== "active") return claimAndAttempt(ports, message, endpoint, batch, now);
  if (isCircuitOpen(endpoint.breaker, now()) && !message.manual) return done;
  if (!isSlow(endpoint.breaker, now())) return claimAndAttempt(ports, message, endpoint, batch, now);
  const slot = await ports.concurrencySlots.acquire(tenant, endpointId, now());
  if (!slot) return defer(ports, message);
  try {
    return await claimAndAttempt(ports, message, endpoint, batch, now);
  } finally {
    await releaseSlot(ports, message, slot);
  }
}

/** A slow endpoint has its fill. Its deliveries come back ever later, so that many of them do not keep the queue busy. */
async function defer(ports: Pick<DeliverPorts, "retries" | "random">, message: RetryMessage): Promise<RecordOutcome> {
  const deferrals = message.deferrals ?? 0;
  const delay = Math.min(SLOW_BACKOFF_FIRST * 2 ** deferrals, SLOW_BACKOFF_MAX);
  await ports.retries.send(
    retryMessage({ ...message, deferrals: deferrals + 1 }, delay * (0.5 + 0.5 * ports.random())),
  );
  return done;
}

/** Never fails: what came of the attempt stands, and a place is free again when its lease is over. */
async function releaseSlot(
  { concurrencySlots, log }: Pick<DeliverPorts, "concurrencySlots" | "log">,
  { tenant, endpointId }: RetryMessage,
  slot: Slot,
): Promise<void> {
  await concurrencySlots.release(tenant, endpointId, slot).catch((error: unknown) => {
    log({ event: "place_left_taken", endpoint: endpointId, error: errorClass(error) });
  });
}

async function claimAndAttempt(
  ports: DeliverPorts,
  message: RetryMessage,
  endpoint: Endpoint | null,
  { tally, health }: BatchContext,
  now: () => Millis,
): Promise<RecordOutcome> {
  const { tenant, endpointId, eventUlid, attempt } = message;
  const claim = await ports.deliveries.claim(tenant, endpointId, eventUlid, attempt, now());
  switch (claim.outcome) {
    case "gone":
      return drop("stale");
    case "leased":
      return retry("leased", Math.max(0, claim.until - now()));
    case "not_due":
      await scheduleRetry(ports, message, claim.dueAt, now());
      return done;
    case "moved_on":
      return rescheduleAfterDuplicate(ports, message, claim.row, now());
    case "abandoned":
      return settleDelivery(
        ports,
        message,
        claim.row,
        abandonedOutcome,
        judgeOutcome(ports, claim.row, abandonedOutcome, now()),
        tally,
        now(),
      );
    case "claimed": {
      const { outcome, verdict } = await attemptOnce(ports, tenant, endpoint, claim.row, health, now);
      if (endpoint && outcome) recordAttempt(health, tenant, endpoint, outcome);
      const settledAt = now();
      const result = await settleDelivery(ports, message, claim.row, outcome, verdict, tally, settledAt);
      if (result === done && endpoint) await pauseWhenGone(ports, tenant, claim.row, endpoint.url, outcome, settledAt);
      return result;
    }
  }
}

async function attemptOnce(
  ports: DeliverPorts,
  tenant: TenantId,
  endpoint: Endpoint | null,
  row: DeliveryRow,
  health: EndpointHealth,
  now: () => Millis,
): Promise<{ outcome: AttemptOutcome | null; verdict: Verdict }> {
  const body = await loadRenderedEvent(ports, tenant, row);
  const finalVerdict = verdictWithoutCall(endpoint, body, row, now());
  if (finalVerdict || !endpoint || !body) return { outcome: null, verdict: finalVerdict ?? { status: "failed" } };
  const onSlow = () => recordSlow(ports, health, tenant, endpoint, now());
  const outcome = await makeAttempt(ports, tenant, endpoint, body, now(), onSlow);
  return { outcome, verdict: judgeOutcome(ports, row, outcome, now()) };
}

/** What becomes of a delivery that is not to be attempted any more; null when it is. */
export function verdictWithoutCall(
  endpoint: Endpoint | null,
  body: RenderedEvent | null,
  row: DeliveryRow,
  now: Millis,
): Verdict | null {
  if (!endpoint || endpoint.status === "deleted" || !body) return { status: "failed" };
  if (endpoint.status === "paused") return { status: "blocked" };
  return now >= row.createdAt + RETENTION ? { status: "dlq" } : null;
}

function judgeOutcome(ports: DeliverPorts, row: DeliveryRow, outcome: AttemptOutcome, now: Millis): Verdict {
  return judgeAttempt(row.attempt, outcome, row.createdAt, now, ports.random());
}

async function settleDelivery(
  ports: DeliverPorts,
  message: RetryMessage,
  row: DeliveryRow,
  outcome: AttemptOutcome | null,
  verdict: Verdict,
  tally: Tally,
  now: Millis,
): Promise<RecordOutcome> {
  const applied = await ports.deliveries.settle(message.tenant, row, verdict, outcome, now);
  logAttempt(ports, row.endpointId, row.eventUlid, row.attempt, verdict, outcome);
  if (!applied) return drop("stale");
  countDelivery(tally, message.tenant, row, verdict.status);
  if (verdict.status === "retrying" && verdict.nextRetryAt !== null) {
    await scheduleRetry(ports, { ...message, attempt: row.attempt + 1 }, verdict.nextRetryAt, now);
  }
  return done;
}

/** This message was worked on before: what was to follow from it may not have been done, and is done again. */
async function rescheduleAfterDuplicate(
  ports: DeliverPorts,
  message: RetryMessage,
  row: DeliveryRow,
  now: Millis,
): Promise<RecordOutcome> {
  if (row.attempt !== message.attempt) return drop("stale");
  await resumePauseWhenGone(ports, message.tenant, row);
  if (row.status !== "retrying" || row.nextRetryAt === null) return drop("stale");
  await scheduleRetry(ports, { ...message, attempt: row.attempt + 1 }, row.nextRetryAt, now);
  return done;
}
