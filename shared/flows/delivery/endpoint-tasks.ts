import type { Queue, QueueMessage } from "../../aws/queues.ts";
import { DRAIN_PAGE_FIRST, QUEUE_DELAY_MAX } from "../../domain/limits.ts";
import { isUlid } from "../../kernel/ids.ts";
import { parseTenant, type TenantId } from "../../kernel/tenant.ts";
import type { Millis } from "../../kernel/time.ts";
import { MESSAGE_VERSION, parseMessageBody } from "../../queues/messages.ts";
import type { DueAttempts } from "../../stores/delivery/due-attempts.ts";

/** What a step is sent by. */
export interface TaskPorts {
  readonly due: Pick<DueAttempts, "putTask">;
  readonly retries: Pick<Queue, "send">;
}

interface EndpointRef {
  readonly tenant: TenantId;
  readonly endpointId: string;
}

/** One of the endpoint's waiting deliveries is to be attempted, to see whether it works again. */
export interface ProbeTask extends EndpointRef {
  readonly step: "probe";
  /** The `openUntil` of the breaker that it is for. */
  readonly probe: Millis;
  /** Deliveries are tried in turn, from the event after this one on. */
  readonly after: string | null;
}

/** What waits for the endpoint is to be handed out, a page at a time. */
export interface DrainTask extends EndpointRef {
  readonly step: "drain";
  readonly after: string | null;
  readonly page: number;
  /** It is to be gone through once more after this. */
  readonly again: boolean;
}

/** The endpoint's every attempt has failed since then, for so long that its owners are to be told. */
export interface WarnTask extends EndpointRef {
  readonly step: "failing";
  readonly since: Millis;
}

/** What is to be done for an endpoint as a whole: a message of the deliveries queue. */
export type EndpointTask = ProbeTask | DrainTask | WarnTask;

export function encodeEndpointTask({ tenant, endpointId, ...task }: EndpointTask): string {
  return JSON.stringify({ v: MESSAGE_VERSION, t: tenant, w: endpointId, ...task });
}

export function decodeEndpointTask(text: string): EndpointTask | null {
  const body = parseMessageBody(text);
  const tenant = parseTenant(String(body?.t ?? ""));
  if (!body || !tenant || typeof body.w !== "string" || !isUlid(body.w)) return null;
  const endpoint = { tenant, endpointId: body.w };
  const after = typeof body.after === "string" && isUlid(body.after) ? body.after : null;
  switch (body.step) {
    case "probe":
      return isPositiveInteger(body.probe) ? { ...endpoint, step: "probe", probe: body.probe, after } : null;
    case "drain":
      return isPositiveInteger(body.page)
        ? { ...endpoint, step: "drain", after, page: body.page, again: body.again === true }
        : null;
    case "failing":
      return isPositiveInteger(body.since) ? { ...endpoint, step: "failing", since: body.since } : null;
    default:
      return null;
  }
}

export function taskMessage(
  task: Pick<EndpointRef, "tenant" | "endpointId">,
  body: string,
  delay: Millis,
): QueueMessage {
  return { body, group: `${task.tenant}/${task.endpointId}`, delay: Math.max(0, delay) };
}

/** Sees to a step: a wait of up to 15 minutes rides on the queue, a longer one rests in a due bucket. */
export async function scheduleTask(ports: TaskPorts, task: EndpointTask, dueAt: Millis, now: Millis): Promise<void> {
  const { tenant, endpointId } = task;
  const body = encodeEndpointTask(task);
  if (dueAt - now > QUEUE_DELAY_MAX) await ports.due.putTask({ tenant, endpointId, body, dueAt });
  else await ports.retries.send(taskMessage(task, body, dueAt - now));
}

/** The first step of handing out what waits for an endpoint. */
export function drainTask(tenant: TenantId, endpointId: string): DrainTask {
  return { tenant, endpointId, step: "drain", after: null, page: DRAIN_PAGE_FIRST, again: true };
}

function isPositiveInteger(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) > 0;
}
