import { failedStage } from "#base/kernel/attempt-stage.ts";
import { ulidTime } from "#base/kernel/ids.ts";
import { QUEUE_DELAY_MAX, RETENTION } from "#base/kernel/limits.ts";
import { isServiceFault } from "#base/kernel/service-fault.ts";
import { type Millis, SECOND } from "#base/kernel/time.ts";
import { POSTPONED_FROM_RECEIVE, postponedLine, postponement } from "#base/queues/outage.ts";
import { type EventMessage, encodeEvent } from "../event-queue.ts";
import type { DeliverPorts } from "../ports.ts";
import { decodeDeliveries, type RetryMessage } from "../queue.ts";
import { UnreleasedClaim } from "../rules/unreleased-claim.ts";
import { retryMessage, taskMessage } from "../schedule.ts";

/** A message that could not be processed. */
interface FailedMessage {
  readonly body: string;
  /** Decoded; null for a message of another queue. */
  readonly event: EventMessage | null;
  /** How often it was received. */
  readonly receives: number;
  readonly error: unknown;
}

/** The delay after the first claim of an attempt that could not be given back. It doubles each time. */
const UNRELEASED_DELAY_FIRST: Millis = 10 * SECOND;

/**
 * Replaces a message that fails because an AWS service does not work by a new one, which is due within 15 minutes and
 * has been received by no worker. An outage of any length then ends no delivery: not one message becomes a dead letter.
 * An attempt whose claim could not be given back is replaced at once. The new message names the claim: no worker called
 * the endpoint by it, so the attempt is continued and not counted.
 * @returns false when the message must take its usual way: another error, few receives, or an event past its retention
 */
export async function postponeInOutage(
  ports: Pick<DeliverPorts, "events" | "retries" | "slowRetries" | "random" | "log">,
  { body, event, receives, error }: FailedMessage,
  now: Millis,
): Promise<boolean> {
  const message = event ? null : decodeDeliveries(body);
  const retry = message?.kind === "attempt" ? message.attempt : null;
  const unreleased = retry && error instanceof UnreleasedClaim ? continuation(retry, error) : null;
  const fault = error instanceof UnreleasedClaim ? error.cause : error;
  if (!unreleased && (receives < POSTPONED_FROM_RECEIVE || !isServiceFault(fault))) return false;
  const delay = postponement(ports.random(), unreleased?.delayMax);
  const task = message?.kind === "task" ? message.task : null;
  const eventUlid = event?.eventUlid ?? retry?.eventUlid;
  if (eventUlid !== undefined && now >= ulidTime(eventUlid) + RETENTION) return false;
  if (event) await ports.events.send({ body: encodeEvent({ ...event, repeated: true }), group: event.tenant, delay });
  else if (retry) await ports.retries.send(retryMessage(unreleased?.message ?? retry, delay));
  else if (task) await (task.kind === "probe" ? ports.slowRetries : ports.retries).send(taskMessage(task, body, delay));
  else return false;
  ports.log({ ...postponedLine({ receives, delay, fault }), stage: failedStage(error) });
  return true;
}

/** The message that continues a claim, and its longest delay. */
function continuation(retry: RetryMessage, { claim }: UnreleasedClaim): { message: RetryMessage; delayMax: Millis } {
  const { unreleasedClaims = 0 } = retry;
  const message = { ...retry, unreleasedClaim: claim, unreleasedClaims: unreleasedClaims + 1 };
  return { message, delayMax: Math.min(UNRELEASED_DELAY_FIRST * 2 ** unreleasedClaims, QUEUE_DELAY_MAX) };
}
