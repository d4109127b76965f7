import * as z from "zod/mini";
import { type EventType, eventTypes } from "#base/events/events.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { type Traced, traceField } from "#base/kernel/trace.ts";
import { decodeBody, encodeBody, tenant, traceId, ulid, version } from "#base/queues/envelope.ts";
import { isHoldId } from "#features/holds/rules/holds.ts";
import { type EventSource, parseConversationId } from "#features/inbox/rules/messages.ts";
import { parseUploadId } from "#features/uploads/rules/uploads.ts";

/** The most events of one message. */
export const EVENTS_MAX = 10;
/** The most connections of one message: those of a tenant. */
const SOCKETS_MAX = 1_000;

/** An event for the sockets of its tenant. */
export interface RealtimeEvent {
  readonly eventUlid: string;
  readonly type: EventType;
  readonly source: EventSource;
  /** The event is about a test key's send. */
  readonly test?: boolean;
}

/** What is pushed to sockets: rows of the table, by their names. */
export type PushTask = {
  /** Only these sockets get it: the others have it. Default: all of the tenant. */
  readonly connectionIds?: readonly string[];
} & (
  | { readonly kind: "events" /** At most `EVENTS_MAX`. */; readonly events: readonly RealtimeEvent[] }
  /** A conversation as it is, or that it was erased. `eventUlid`: the ULID of the frame, as in the next two. */
  | {
      readonly kind: "conversation";
      readonly conversationId: string;
      readonly eventUlid: string;
      readonly erased?: boolean;
    }
  /** A held message as it is. `timer`: only if it ended by time. */
  | { readonly kind: "hold"; readonly holdId: string; readonly eventUlid: string; readonly timer?: boolean }
  /** An upload as it is. `timer`: only if it ended by time. */
  | { readonly kind: "upload"; readonly uploadId: string; readonly eventUlid: string; readonly timer?: boolean }
);

/** Work for the sockets of a tenant. It names rows of the table: a queue has no text and no ticket. */
export type RealtimeTask =
  | PushTask
  /** Marks the accounts of the tenant and sends the first frame of a connection. */
  | { readonly kind: "hello"; readonly connectionId: string }
  /** Closes connections. */
  | { readonly kind: "close"; readonly connectionIds: readonly string[] }
  /** Closes those of the connections whose grant is no longer valid. */
  | { readonly kind: "recheck"; readonly connectionIds: readonly string[] };

export type RealtimeMessage = Traced & RealtimeTask & { readonly tenant: TenantId };

// `subject_id`: with names of their own the fields would also be those of other queues' messages.
const text = z.string().check(z.minLength(1), z.maxLength(500));
const timer = z.optional(z.boolean());
const connectionIds = z.array(text).check(z.minLength(1), z.maxLength(SOCKETS_MAX));
const common = { v: version, tenant, trace_id: traceId };
const push = { ...common, connection_ids: z.optional(connectionIds) };

const schema = z.discriminatedUnion("kind", [
  z.object({
    ...push,
    kind: z.literal("events"),
    events: z
      .array(
        z.object({
          event_ulid: ulid,
          event_type: z.enum(eventTypes),
          source: z.optional(z.object({ conversation_id: z.string(), position: z.string() })),
          test: z.optional(z.boolean()),
        }),
      )
      .check(z.minLength(1), z.maxLength(EVENTS_MAX)),
  }),
  z.object({
    ...push,
    kind: z.literal("conversation"),
    subject_id: text,
    event_ulid: ulid,
    erased: z.optional(z.boolean()),
  }),
  z.object({
    ...push,
    kind: z.literal("hold"),
    subject_id: z.string().check(z.refine(isHoldId)),
    event_ulid: ulid,
    timer,
  }),
  z.object({
    ...push,
    kind: z.literal("upload"),
    subject_id: z.string().check(z.refine((id) => parseUploadId(id) !== null)),
    event_ulid: ulid,
    timer,
  }),
  z.object({ ...common, kind: z.literal("hello"), connection_id: text }),
  z.object({ ...common, kind: z.literal("close"), connection_ids: connectionIds }),
  z.object({ ...common, kind: z.literal("recheck"), connection_ids: connectionIds }),
]);

export function encodeRealtime(message: RealtimeMessage): string {
  return encodeBody({ tenant: message.tenant, kind: message.kind, ...taskFields(message) }, message);
}

function taskFields(task: RealtimeTask): object {
  switch (task.kind) {
    case "events":
      return { events: task.events.map(eventFields), connection_ids: task.connectionIds };
    case "conversation":
      return {
        subject_id: task.conversationId,
        event_ulid: task.eventUlid,
        erased: task.erased || undefined,
        connection_ids: task.connectionIds,
      };
    case "hold":
    case "upload":
      return {
        subject_id: task.kind === "hold" ? task.holdId : task.uploadId,
        event_ulid: task.eventUlid,
        timer: task.timer || undefined,
        connection_ids: task.connectionIds,
      };
    case "hello":
      return { connection_id: task.connectionId };
    case "close":
    case "recheck":
      return { connection_ids: task.connectionIds };
  }
}

function eventFields({ eventUlid, type, source, test }: RealtimeEvent) {
  return {
    event_ulid: eventUlid,
    event_type: type,
    source: source ? { conversation_id: source.conversationId, position: source.position } : undefined,
    test: test || undefined,
  };
}

/** Null also when a conversation belongs to another tenant than the message names. */
export function decodeRealtime(text: string): RealtimeMessage | null {
  return decodeBody(
    text,
    schema,
    (body): RealtimeMessage | null => {
      const task = toTask(body);
      return task && { tenant: body.tenant, ...task, ...traceField(body.trace_id) };
    },
    // The release before this one had no such queue.
    () => null,
  );
}

function toTask(body: z.output<typeof schema>): RealtimeTask | null {
  const { kind } = body;
  switch (kind) {
    case "events": {
      const events = body.events.map(toEvent);
      const isOwn = ({ source }: RealtimeEvent) =>
        source === null || parseConversationId(body.tenant, source.conversationId) !== null;
      return events.every(isOwn) ? { kind, events, ...forSockets(body) } : null;
    }
    case "conversation": {
      const { subject_id: conversationId, event_ulid: eventUlid, erased } = body;
      if (!parseConversationId(body.tenant, conversationId)) return null;
      return { kind, conversationId, eventUlid, ...(erased ? { erased } : {}), ...forSockets(body) };
    }
    case "hold":
      return { kind, holdId: body.subject_id, ...subjectFields(body) };
    case "upload":
      return { kind, uploadId: body.subject_id, ...subjectFields(body) };
    case "hello":
      return { kind, connectionId: body.connection_id };
    case "close":
    case "recheck":
      return { kind, connectionIds: body.connection_ids };
  }
}

function subjectFields(body: {
  readonly event_ulid: string;
  readonly timer?: boolean | undefined;
  readonly connection_ids?: readonly string[] | undefined;
}) {
  return { eventUlid: body.event_ulid, ...(body.timer ? { timer: true } : {}), ...forSockets(body) };
}

function forSockets(body: { readonly connection_ids?: readonly string[] | undefined }) {
  return body.connection_ids === undefined ? {} : { connectionIds: body.connection_ids };
}

function toEvent(body: {
  readonly event_ulid: string;
  readonly event_type: EventType;
  readonly source?: { readonly conversation_id: string; readonly position: string } | undefined;
  readonly test?: boolean | undefined;
}): RealtimeEvent {
  const { source } = body;
  return {
    eventUlid: body.event_ulid,
    type: body.event_type,
    source: source ? { conversationId: source.conversation_id, position: source.position } : null,
    ...(body.test ? { test: true } : {}),
  };
}
