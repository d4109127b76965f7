import * as z from "zod/mini";
import { type EventType, eventTypes, messageEventType } from "#base/events/events.ts";
import { FIRST_EVENT_WAIT } from "#base/kernel/limits.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import type { Millis } from "#base/kernel/time.ts";
import { type Traced, traceField } from "#base/kernel/trace.ts";
import {
  decodeBody,
  encodeBody,
  isUlidValue,
  readV1Tenant,
  tenant,
  traceId,
  ulid,
  version,
} from "#base/queues/envelope.ts";
import type { EventSource, Message, MessageRef } from "#features/inbox/rules/messages.ts";

/** An event to publish to the tenant's endpoints. */
export interface EventMessage extends Traced {
  readonly tenant: TenantId;
  readonly eventUlid: string;
  readonly type: EventType;
  readonly source: EventSource;
  /** The event may have been published before: read the delivery's row first. */
  readonly repeated: boolean;
  /** No counter includes the event's message yet: the worker that writes its first delivery counts it. */
  readonly uncounted?: boolean;
  /** The event waited for the person's name, and may have been published with it since then. */
  readonly waited?: boolean;
  /** How long the person waited for the event's message. Absent where it answers no message. */
  readonly answeredAfter?: Millis;
  /** The event is about a test key's send: its deliveries are not in the statistics. */
  readonly test?: boolean;
  /** When the webhook arrived that the event is of. Absent for other events, and where an earlier release sent the message. */
  readonly receivedAt?: Millis;
  /** The endpoint that the event is about, which does not receive it. */
  readonly excludedEndpointId?: string;
}

const schema = z.object({
  v: version,
  tenant,
  event_ulid: ulid,
  event_type: z.enum(eventTypes),
  source: z.optional(z.object({ conversation_id: z.string(), position: z.string() })),
  repeated: z.optional(z.boolean()),
  uncounted: z.optional(z.boolean()),
  waited: z.optional(z.boolean()),
  answered_after: z.optional(z.number()),
  test: z.optional(z.boolean()),
  received_at: z.optional(z.number()),
  excluded_endpoint_id: z.optional(z.string()),
  trace_id: traceId,
});

export function encodeEvent(message: EventMessage): string {
  const { source } = message;
  return encodeBody(
    {
      tenant: message.tenant,
      event_ulid: message.eventUlid,
      event_type: message.type,
      source: source ? { conversation_id: source.conversationId, position: source.position } : undefined,
      repeated: message.repeated || undefined,
      uncounted: message.uncounted || undefined,
      waited: message.waited || undefined,
      answered_after: message.answeredAfter,
      test: message.test || undefined,
      received_at: message.receivedAt,
      excluded_endpoint_id: message.excludedEndpointId,
    },
    message,
  );
}

/** What is known of a message beside its row. */
interface MessageTimes {
  /** When its webhook arrived. */
  readonly receivedAt?: Millis | undefined;
  /** Since when the person had waited for it. Null where it answers no message. */
  readonly answersSince?: Millis | null;
}

/**
 * The queue message of a message's event. It carries keys only. The message is counted with its first delivery, which
 * saves a write. Where the event waits for the person's name, the message is due when the wait is over.
 */
export function messageEvent(
  tenant: TenantId,
  { message, ref, isNew }: { readonly message: Message; readonly ref: MessageRef; readonly isNew: boolean },
  { receivedAt, answersSince = null }: MessageTimes = {},
) {
  const waited = message.nameWait === "waiting";
  return {
    body: encodeEvent({
      tenant,
      eventUlid: message.eventUlid,
      type: messageEventType(message),
      source: ref,
      repeated: !isNew,
      waited,
      uncounted: message.scope === "live" && !message.counted,
      test: message.scope === "test",
      ...(answersSince === null ? {} : { answeredAfter: message.sentAt - answersSince }),
      ...(receivedAt === undefined ? {} : { receivedAt }),
    }),
    group: tenant,
    ...(waited ? { delay: FIRST_EVENT_WAIT } : {}),
  };
}

export function decodeEvent(text: string): EventMessage | null {
  return decodeBody(text, schema, toMessage, readV1);
}

function toMessage(body: z.output<typeof schema>): EventMessage {
  const { source, answered_after: answeredAfter, received_at: receivedAt } = body;
  const { excluded_endpoint_id: excludedEndpointId } = body;
  return {
    tenant: body.tenant,
    eventUlid: body.event_ulid,
    type: body.event_type,
    source: source ? { conversationId: source.conversation_id, position: source.position } : null,
    repeated: body.repeated === true,
    ...(body.uncounted ? { uncounted: true } : {}),
    ...(body.waited ? { waited: true } : {}),
    ...(answeredAfter === undefined ? {} : { answeredAfter }),
    ...(body.test ? { test: true } : {}),
    ...(receivedAt === undefined ? {} : { receivedAt }),
    ...(excludedEndpointId === undefined ? {} : { excludedEndpointId }),
    ...traceField(body.trace_id),
  };
}

function readV1(body: Readonly<Record<string, unknown>>): EventMessage | null {
  const tenant = readV1Tenant(body);
  const type = eventTypes.find((candidate) => candidate === body.ty);
  const source = readV1Source(body);
  if (!tenant || !type || !isUlidValue(body.e) || source === undefined) return null;
  return {
    tenant,
    eventUlid: body.e,
    type,
    source,
    repeated: body.r === 1,
    ...(body.k === 1 ? { uncounted: true } : {}),
    ...(body.z === 1 ? { test: true } : {}),
    ...(typeof body.x === "string" ? { excludedEndpointId: body.x } : {}),
  };
}

function readV1Source({ c, p }: Readonly<Record<string, unknown>>): EventSource | undefined {
  if (c === undefined && p === undefined) return null;
  return typeof c === "string" && typeof p === "string" ? { conversationId: c, position: p } : undefined;
}
