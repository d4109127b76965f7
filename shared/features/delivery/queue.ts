import * as z from "zod/mini";
import type { TenantId } from "#base/kernel/tenant.ts";
import type { Millis } from "#base/kernel/time.ts";
import { type Traced, traceField } from "#base/kernel/trace.ts";
import {
  decodeBody,
  encodeBody,
  isUlidValue,
  MESSAGE_VERSION,
  positiveInteger,
  readV1Tenant,
  tenant,
  traceId,
  ulid,
  version,
} from "#base/queues/envelope.ts";

/** A later attempt of one delivery. The attempt number is a token: it is dropped when the row has moved on. */
export interface RetryMessage extends Traced {
  readonly tenant: TenantId;
  readonly endpointId: string;
  readonly eventUlid: string;
  readonly attempt: number;
  /** Requested through the API: it is made even while the endpoint's circuit is open. */
  readonly manual?: boolean;
  /** The id of a claim of this attempt that could not be given back, and by which no worker called the endpoint. */
  readonly unreleasedClaim?: string;
  /** How many such claims came before. */
  readonly unreleasedClaims?: number;
  /** How often it was deferred because the slow endpoint had no free slot. */
  readonly deferrals?: number;
}

interface EndpointRef {
  readonly tenant: TenantId;
  readonly endpointId: string;
}

/** Attempts one of the endpoint's waiting deliveries, to find out whether the endpoint has recovered. */
export interface ProbeTask extends EndpointRef {
  readonly kind: "probe";
  /** The `openUntil` of the breaker that this probe belongs to. */
  readonly probe: Millis;
  /** Probes take turns: this one starts behind the event with this ULID. */
  readonly after: string | null;
}

/** Queues the endpoint's waiting deliveries, one page at a time. */
export interface DrainTask extends EndpointRef {
  readonly kind: "drain";
  readonly after: string | null;
  readonly pageSize: number;
  /** Whether a second pass follows the last page. */
  readonly repeat: boolean;
}

/** Warns the owner of an endpoint whose every attempt has failed since `since`, or pauses the endpoint. */
export interface WarnTask extends EndpointRef {
  readonly kind: "warn";
  readonly since: Millis;
}

/** Work for an endpoint as a whole. */
export type EndpointTask = ProbeTask | DrainTask | WarnTask;

/** A message of a deliveries queue. */
export type DeliveriesMessage =
  | { readonly kind: "attempt"; readonly attempt: RetryMessage }
  | { readonly kind: "task"; readonly task: EndpointTask };

const endpoint = { v: version, tenant, endpoint_id: ulid } as const;
const afterEvent = z.optional(ulid);
const deliveriesSchema = z.discriminatedUnion("kind", [
  z.object({
    ...endpoint,
    kind: z.literal("attempt"),
    event_ulid: ulid,
    attempt: z.int(),
    manual: z.optional(z.boolean()),
    deferrals: z.optional(z.int()),
    unreleased_claim: z.optional(ulid),
    unreleased_claims: z.optional(positiveInteger),
    trace_id: traceId,
  }),
  z.object({ ...endpoint, kind: z.literal("probe"), probe_due_at: positiveInteger, after_event_ulid: afterEvent }),
  z.object({
    ...endpoint,
    kind: z.literal("drain"),
    page_size: positiveInteger,
    repeat: z.boolean(),
    after_event_ulid: afterEvent,
  }),
  z.object({ ...endpoint, kind: z.literal("warn"), failing_since: positiveInteger }),
]);

export function encodeRetry(message: RetryMessage): string {
  return encodeBody(
    {
      kind: "attempt",
      tenant: message.tenant,
      endpoint_id: message.endpointId,
      event_ulid: message.eventUlid,
      attempt: message.attempt,
      manual: message.manual || undefined,
      deferrals: message.deferrals || undefined,
      unreleased_claim: message.unreleasedClaim,
      unreleased_claims: message.unreleasedClaims,
    },
    message,
  );
}

/** A task has no trace id: it serves all deliveries of an endpoint, and the same task must have the same body. */
export function encodeEndpointTask(task: EndpointTask): string {
  const { kind, tenant, endpointId: endpoint_id } = task;
  return JSON.stringify({ v: MESSAGE_VERSION, kind, tenant, endpoint_id, ...taskFields(task) });
}

function taskFields(task: EndpointTask): object {
  switch (task.kind) {
    case "probe":
      return { probe_due_at: task.probe, after_event_ulid: task.after ?? undefined };
    case "drain":
      return { page_size: task.pageSize, repeat: task.repeat, after_event_ulid: task.after ?? undefined };
    case "warn":
      return { failing_since: task.since };
  }
}

/** @returns null for a body of another queue or version */
export function decodeDeliveries(text: string): DeliveriesMessage | null {
  return decodeBody(text, deliveriesSchema, toMessage, readMessageV1);
}

type Body = z.output<typeof deliveriesSchema>;
type RetryBody = Extract<Body, { kind: "attempt" }>;

function toMessage(body: Body): DeliveriesMessage {
  return body.kind === "attempt" ? { kind: "attempt", attempt: toRetry(body) } : { kind: "task", task: toTask(body) };
}

function toRetry(body: RetryBody): RetryMessage {
  return {
    tenant: body.tenant,
    endpointId: body.endpoint_id,
    eventUlid: body.event_ulid,
    attempt: body.attempt,
    ...(body.manual ? { manual: true } : {}),
    ...(body.deferrals === undefined ? {} : { deferrals: body.deferrals }),
    ...(body.unreleased_claim === undefined ? {} : { unreleasedClaim: body.unreleased_claim }),
    ...(body.unreleased_claims === undefined ? {} : { unreleasedClaims: body.unreleased_claims }),
    ...traceField(body.trace_id),
  };
}

function toTask(body: Exclude<Body, RetryBody>): EndpointTask {
  const ref = { tenant: body.tenant, endpointId: body.endpoint_id };
  switch (body.kind) {
    case "probe":
      return { ...ref, kind: body.kind, probe: body.probe_due_at, after: body.after_event_ulid ?? null };
    case "drain": {
      const { page_size: pageSize, repeat, after_event_ulid: after = null } = body;
      return { ...ref, kind: body.kind, pageSize, repeat, after };
    }
    case "warn":
      return { ...ref, kind: body.kind, since: body.failing_since };
  }
}

function readMessageV1(body: Readonly<Record<string, unknown>>): DeliveriesMessage | null {
  const attempt = readRetryV1(body);
  if (attempt) return { kind: "attempt", attempt };
  const task = readTaskV1(body);
  return task && { kind: "task", task };
}

function readRetryV1(body: Readonly<Record<string, unknown>>): RetryMessage | null {
  const { w, e, n, q, po } = body;
  const tenant = readV1Tenant(body);
  if (!tenant || !isUlidValue(w) || !isUlidValue(e) || !isInteger(n)) return null;
  return {
    tenant,
    endpointId: w,
    eventUlid: e,
    attempt: n,
    ...(q === 1 ? { manual: true } : {}),
    ...(isInteger(po) ? { deferrals: po } : {}),
  };
}

function readTaskV1(body: Readonly<Record<string, unknown>>): EndpointTask | null {
  const tenant = readV1Tenant(body);
  if (!tenant || !isUlidValue(body.w)) return null;
  const ref = { tenant, endpointId: body.w };
  const after = isUlidValue(body.after) ? body.after : null;
  const { step, probe, page, again, since } = body;
  if (step === "probe" && isPositive(probe)) return { ...ref, kind: "probe", probe, after };
  if (step === "drain" && isPositive(page)) {
    return { ...ref, kind: "drain", after, pageSize: page, repeat: again === true };
  }
  return step === "failing" && isPositive(since) ? { ...ref, kind: "warn", since } : null;
}

function isInteger(value: unknown): value is number {
  return Number.isSafeInteger(value);
}

function isPositive(value: unknown): value is number {
  return isInteger(value) && value > 0;
}
