import { isLeftAlone, isSlow } from "../../domain/delivery/breaker.ts";
import { type AttemptOutcome, judgeAttempt, type Verdict } from "../../domain/delivery/deliveries.ts";
import type { RenderedEvent } from "../../domain/events/events.ts";
import { RETENTION, SLOW_PAUSE_FIRST, SLOW_PAUSE_MAX } from "../../domain/limits.ts";
import type { Endpoint } from "../../domain/webhooks/endpoints.ts";
import { errorClass } from "../../kernel/error-class.ts";
import type { TenantId } from "../../kernel/tenant.ts";
import { MINUTE, type Millis } from "../../kernel/time.ts";
import type { RetryMessage } from "../../queues/messages.ts";
import type { Place } from "../../stores/delivery/concurrency-slots.ts";
import type { DeliveryRow } from "../../stores/delivery/delivery-items.ts";
import type { DeliverPorts } from "../ports.ts";
import { done, drop, type RecordEnd, retry } from "../record-outcome.ts";
import { countDelivery, type Tally } from "../stats/count.ts";
import { makeAttempt } from "./attempt.ts";
import { noteAttempt, noteSlow, type Watch } from "./endpoint-health.ts";
import type { Gathered } from "./fan-out.ts";
import { logAttempt } from "./log-attempt.ts";
import { pauseWhenGone, pauseWhenGoneAgain } from "./pause-gone.ts";
import { renderedEventOf } from "./rendered-events.ts";
import { retryAgain, scheduleRetry } from "./schedule.ts";

/** A worker that died left its attempt without an answer: it counts as one that timed out. */
export const abandoned: AttemptOutcome = { kind: "no_answer", error: "timeout", durationMs: MINUTE };

/**
 * Makes one later attempt: claims the row, posts, settles, and sees to the next. Safe to repeat at every line: the
 * attempt number is a token, and a claim whose worker died runs out. While the endpoint is left alone nothing is
 * claimed: the row waits, and is handed out when it works again.
 * @param gathered grows by what the attempt came to
 */
export async function retryDelivery(
  ports: DeliverPorts,
  message: RetryMessage,
  gathered: Gathered,
  now: () => Millis,
): Promise<RecordEnd> {
  const { tenant, endpointId } = message;
  const endpoint = await ports.endpoints.get(tenant, endpointId);
  if (endpoint?.status !== "active") return claimAndAttempt(ports, message, endpoint, gathered, now);
  if (isLeftAlone(endpoint.breaker, now()) && !message.asked) return done;
  if (!isSlow(endpoint.breaker, now())) return claimAndAttempt(ports, message, endpoint, gathered, now);
  const place = await ports.inFlight.enter(tenant, endpointId, now());
  if (!place) return putOff(ports, message);
  try {
    return await claimAndAttempt(ports, message, endpoint, gathered, now);
  } finally {
    await leave(ports, message, place);
  }
}

/** A slow endpoint has its fill. Its deliveries come back ever later, so that many of them do not keep the queue busy. */
async function putOff(ports: Pick<DeliverPorts, "retries" | "dice">, message: RetryMessage): Promise<RecordEnd> {
  const before = message.putOff ?? 0;
  const pause = Math.min(SLOW_PAUSE_FIRST * 2 ** before, SLOW_PAUSE_MAX);
  await ports.retries.send(retryAgain({ ...message, putOff: before + 1 }, pause * (0.5 + 0.5 * ports.dice())));
  return done;
}

/** Never fails: what came of the attempt stands, and a place is free again when its lease is over. */
async function leave(
  { inFlight, log }: Pick<DeliverPorts, "inFlight" | "log">,
  { tenant, endpointId }: RetryMessage,
  place: Place,
): Promise<void> {
  await inFlight.leave(tenant, endpointId, place).catch((error: unknown) => {
    log({ event: "place_left_taken", endpoint: endpointId, error: errorClass(error) });
  });
}

async function claimAndAttempt(
  ports: DeliverPorts,
  message: RetryMessage,
  endpoint: Endpoint | null,
  { tally, watch }: Gathered,
  now: () => Millis,
): Promise<RecordEnd> {
  const { tenant, endpointId, eventUlid, attempt } = message;
  const claim = await ports.deliveries.claim(tenant, endpointId, eventUlid, attempt, now());
  switch (claim.outcome) {
    case "gone":
      return drop("stale");
    case "leased":
      return retry("leased", Math.max(0, claim.until - now()));
    case "not_due":
      await scheduleRetry(ports, tenant, claim.row, attempt, claim.dueAt, now());
      return done;
    case "moved_on":
      return waitAgain(ports, message, claim.row, now());
    case "abandoned":
      return settle(ports, message, claim.row, abandoned, judge(ports, claim.row, abandoned, now()), tally, now());
    case "claimed": {
      const { outcome, verdict } = await attemptOnce(ports, tenant, endpoint, claim.row, watch, now);
      if (endpoint && outcome) noteAttempt(watch, tenant, endpoint, outcome);
      const settledAt = now();
      const end = await settle(ports, message, claim.row, outcome, verdict, tally, settledAt);
      if (end === done && endpoint) await pauseWhenGone(ports, tenant, claim.row, endpoint.url, outcome, settledAt);
      return end;
    }
  }
}

async function attemptOnce(
  ports: DeliverPorts,
  tenant: TenantId,
  endpoint: Endpoint | null,
  row: DeliveryRow,
  watch: Watch,
  now: () => Millis,
): Promise<{ outcome: AttemptOutcome | null; verdict: Verdict }> {
  const body = await renderedEventOf(ports, tenant, row);
  const instead = verdictWithoutCall(endpoint, body, row, now());
  if (instead || !endpoint || !body) return { outcome: null, verdict: instead ?? { status: "failed" } };
  const onSlow = () => noteSlow(ports, watch, tenant, endpoint, now());
  const outcome = await makeAttempt(ports, tenant, endpoint, body, now(), onSlow);
  return { outcome, verdict: judge(ports, row, outcome, now()) };
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

function judge(ports: DeliverPorts, row: DeliveryRow, outcome: AttemptOutcome, now: Millis): Verdict {
  return judgeAttempt(row.attempt, outcome, row.createdAt, now, ports.dice());
}

async function settle(
  ports: DeliverPorts,
  message: RetryMessage,
  row: DeliveryRow,
  outcome: AttemptOutcome | null,
  verdict: Verdict,
  tally: Tally,
  now: Millis,
): Promise<RecordEnd> {
  const ours = await ports.deliveries.settle(message.tenant, row, verdict, outcome, now);
  logAttempt(ports, row.endpointId, row.eventUlid, row.attempt, verdict, outcome);
  if (!ours) return drop("stale");
  countDelivery(tally, message.tenant, row, verdict.status);
  if (verdict.status === "retrying" && verdict.nextRetryAt !== null) {
    await scheduleRetry(ports, message.tenant, row, row.attempt + 1, verdict.nextRetryAt, now);
  }
  return done;
}

/** This message was worked on before: what was to follow from it may not have been done, and is done again. */
async function waitAgain(
  ports: DeliverPorts,
  message: RetryMessage,
  row: DeliveryRow,
  now: Millis,
): Promise<RecordEnd> {
  if (row.attempt !== message.attempt) return drop("stale");
  await pauseWhenGoneAgain(ports, message.tenant, row);
  if (row.status !== "retrying" || row.nextRetryAt === null) return drop("stale");
  await scheduleRetry(ports, message.tenant, row, row.attempt + 1, row.nextRetryAt, now);
  return done;
}
