import type { Outgoing, Queue } from "../../aws/queues.ts";
import { DRAIN_PAGE_FIRST, QUEUE_DELAY_MAX } from "../../domain/limits.ts";
import { isUlid } from "../../kernel/ids.ts";
import { parseTenant, type TenantId } from "../../kernel/tenant.ts";
import type { Millis } from "../../kernel/time.ts";
import { objectOf, VERSION } from "../../queues/messages.ts";
import type { DueAttempts } from "../../stores/delivery/due-attempts.ts";

/** What a step is sent by. */
export interface StepPorts {
  readonly due: Pick<DueAttempts, "putStep">;
  readonly retries: Pick<Queue, "send">;
}

interface OfEndpoint {
  readonly tenant: TenantId;
  readonly endpointId: string;
}

/** One of the endpoint's waiting deliveries is to be attempted, to see whether it works again. */
export interface ProbeStep extends OfEndpoint {
  readonly step: "probe";
  /** The `openUntil` of the breaker that it is for. */
  readonly probe: Millis;
  /** Deliveries are tried in turn, from the event after this one on. */
  readonly after: string | null;
}

/** What waits for the endpoint is to be handed out, a page at a time. */
export interface DrainStep extends OfEndpoint {
  readonly step: "drain";
  readonly after: string | null;
  readonly page: number;
  /** It is to be gone through once more after this. */
  readonly again: boolean;
}

/** The endpoint's every attempt has failed since then, for so long that its owners are to be told. */
export interface FailingStep extends OfEndpoint {
  readonly step: "failing";
  readonly since: Millis;
}

/** What is to be done for an endpoint as a whole: a message of the deliveries queue. */
export type EndpointStep = ProbeStep | DrainStep | FailingStep;

export function writeStep({ tenant, endpointId, ...step }: EndpointStep): string {
  return JSON.stringify({ v: VERSION, t: tenant, w: endpointId, ...step });
}

export function readStep(text: string): EndpointStep | null {
  const body = objectOf(text);
  const tenant = parseTenant(String(body?.t ?? ""));
  if (!body || !tenant || typeof body.w !== "string" || !isUlid(body.w)) return null;
  const of = { tenant, endpointId: body.w };
  const after = typeof body.after === "string" && isUlid(body.after) ? body.after : null;
  switch (body.step) {
    case "probe":
      return isCount(body.probe) ? { ...of, step: "probe", probe: body.probe, after } : null;
    case "drain":
      return isCount(body.page) ? { ...of, step: "drain", after, page: body.page, again: body.again === true } : null;
    case "failing":
      return isCount(body.since) ? { ...of, step: "failing", since: body.since } : null;
    default:
      return null;
  }
}

export function stepMessage(step: Pick<OfEndpoint, "tenant" | "endpointId">, body: string, delay: Millis): Outgoing {
  return { body, group: `${step.tenant}/${step.endpointId}`, delay: Math.max(0, delay) };
}

/** Sees to a step: a wait of up to 15 minutes rides on the queue, a longer one rests in a due bucket. */
export async function sendStep(ports: StepPorts, step: EndpointStep, dueAt: Millis, now: Millis): Promise<void> {
  const { tenant, endpointId } = step;
  const body = writeStep(step);
  if (dueAt - now > QUEUE_DELAY_MAX) await ports.due.putStep({ tenant, endpointId, body, dueAt });
  else await ports.retries.send(stepMessage(step, body, dueAt - now));
}

/** The first step of handing out what waits for an endpoint. */
export function drainOf(tenant: TenantId, endpointId: string): DrainStep {
  return { tenant, endpointId, step: "drain", after: null, page: DRAIN_PAGE_FIRST, again: true };
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) > 0;
}
