import type { Queue, QueueMessage } from "#base/aws/queues.ts";
import { DRAIN_PAGE_FIRST, QUEUE_DELAY_MAX } from "#base/kernel/limits.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { MINUTE, type Millis } from "#base/kernel/time.ts";
import { currentTrace } from "#base/kernel/trace.ts";
import { type DrainTask, type EndpointTask, encodeEndpointTask, encodeRetry, type RetryMessage } from "./queue.ts";
import type { DueAttempts } from "./store/due-attempts.ts";
import type { AttemptKey } from "./store/items.ts";

/** A delayed queue message is exact to the second, so a sweep may also enqueue what is due in the next two minutes. */
export const SWEEP_AHEAD: Millis = 2 * MINUTE;

/** Behind the reach of any sweep that runs now, by more than a request can take: the row is written before it is swept. */
const SAFETY_NET_DELAY: Millis = SWEEP_AHEAD + 3 * MINUTE;

interface QueuePorts {
  readonly retries: Pick<Queue, "send">;
  readonly slowRetries: Pick<Queue, "send">;
}

export interface TaskPorts extends QueuePorts {
  readonly due: Pick<DueAttempts, "putTask">;
}

export interface RetryPorts extends QueuePorts {
  readonly due: Pick<DueAttempts, "put">;
}

interface EndpointRef {
  readonly tenant: TenantId;
  readonly endpointId: string;
}

/** One attempt of a delivery. */
type AttemptRef = EndpointRef &
  AttemptKey & {
    /** The endpoint is known to be slow. */
    readonly slow?: boolean;
  };

/** The queue message of an attempt. @param delay at most 15 minutes */
export function retryMessage(message: RetryMessage, delay: Millis = 0): QueueMessage {
  return { body: encodeRetry(message), group: message.tenant, delay: Math.max(0, delay) };
}

/** The queue message of an endpoint task. @param delay at most 15 minutes */
export function taskMessage(task: EndpointRef, body: string, delay: Millis = 0): QueueMessage {
  return { body, group: task.tenant, delay: Math.max(0, delay) };
}

/**
 * Schedules an attempt: on a queue for a wait of up to 15 minutes, in a due bucket for a longer one. Run twice it is
 * scheduled twice, and the second one is dropped by its attempt number. An attempt of a slow endpoint that is on the
 * other queue is moved by the worker that receives it.
 */
export async function scheduleRetry(
  ports: RetryPorts,
  { tenant, endpointId, eventUlid, attempt, slow = false }: AttemptRef,
  dueAt: Millis,
  now: Millis,
): Promise<void> {
  const retry = { tenant, endpointId, eventUlid, attempt };
  if (dueAt - now > QUEUE_DELAY_MAX) await ports.due.put({ ...retry, dueAt, ...currentTrace() });
  else await (slow ? ports.slowRetries : ports.retries).send(retryMessage(retry, dueAt - now));
}

/**
 * Schedules the first attempt before its row becomes `pending`: if the process dies before it sends the queue message,
 * a sweep sends it minutes later. In every other case the attempt number drops it.
 */
export function scheduleSafetyNet(
  ports: { readonly due: Pick<DueAttempts, "put"> },
  tenant: TenantId,
  { endpointId, eventUlid }: Pick<AttemptRef, "endpointId" | "eventUlid">,
  now: Millis,
): Promise<void> {
  const dueAt = now + SAFETY_NET_DELAY;
  return ports.due.put({ tenant, endpointId, eventUlid, attempt: 1, dueAt, ...currentTrace() });
}

/**
 * Schedules an endpoint task: on a queue for a wait of up to 15 minutes, in a due bucket for a longer one. A probe is an
 * attempt with its full time, so it has no place among ordinary attempts.
 */
export async function scheduleTask(ports: TaskPorts, task: EndpointTask, dueAt: Millis, now: Millis): Promise<void> {
  const { tenant, endpointId } = task;
  const body = encodeEndpointTask(task);
  if (dueAt - now > QUEUE_DELAY_MAX) await ports.due.putTask({ tenant, endpointId, body, dueAt });
  else await (task.kind === "probe" ? ports.slowRetries : ports.retries).send(taskMessage(task, body, dueAt - now));
}

/** The first task of a drain. */
export function drainTask(tenant: TenantId, endpointId: string): DrainTask {
  return { tenant, endpointId, kind: "drain", after: null, pageSize: DRAIN_PAGE_FIRST, repeat: true };
}
