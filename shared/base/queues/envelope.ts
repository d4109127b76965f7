import * as z from "zod/mini";
import { isUlid } from "../kernel/ids.ts";
import { parseTenant, type TenantId } from "../kernel/tenant.ts";
import type { Millis } from "../kernel/time.ts";
import { currentTraceId, isTraceId, type Traced } from "../kernel/trace.ts";

export const MESSAGE_VERSION = 2;

const FIRST_SENT_AT = "first_sent_at";

export const version = z.literal(MESSAGE_VERSION);
export const tenant = z.custom<TenantId>((value) => typeof value === "string" && parseTenant(value) !== null);
export const ulid = z.string().check(z.refine(isUlid));
export const positiveInteger = z.int().check(z.positive());
export const traceId = z.optional(z.string().check(z.refine(isTraceId)));

/** The body of a message. Without a trace id of its own, it carries the one of the work that sends it. */
export function encodeBody(fields: object, { traceId }: Traced = {}): string {
  return JSON.stringify({ v: MESSAGE_VERSION, ...fields, trace_id: traceId ?? currentTraceId() ?? undefined });
}

type V1Body = Readonly<Record<string, unknown>>;

/**
 * @param readV1 reads the one-letter fields of version 1, which the release before this one sent
 * @returns null for a body of another queue or version
 */
export function decodeBody<Schema extends z.ZodMiniType, Message>(
  text: string,
  schema: Schema,
  toMessage: (body: z.output<Schema>) => Message | null,
  readV1: (body: V1Body) => Message | null,
): Message | null {
  const body = parseObject(text);
  if (body?.v === 1) return readV1(body);
  const result = z.safeParse(schema, body);
  return result.success ? toMessage(result.data) : null;
}

/** The trace id of any queue's message; undefined when it has none. */
export function readTraceId(text: string): string | undefined {
  const traceId = parseObject(text)?.trace_id;
  return typeof traceId === "string" && isTraceId(traceId) ? traceId : undefined;
}

/** The version of any queue's message; null when it names none. */
export function readVersion(text: string): number | null {
  const version = parseObject(text)?.v;
  return typeof version === "number" ? version : null;
}

/** When a message that was postponed was first sent; null for any other. The body of every queue may have it. */
export function readFirstSentAt(text: string): Millis | null {
  const at = parseObject(text)?.[FIRST_SENT_AT];
  return typeof at === "number" ? at : null;
}

/** The same message with the time of its first send, which readers of its other fields ignore. */
export function withFirstSentAt(text: string, at: Millis): string {
  return JSON.stringify({ ...parseObject(text), [FIRST_SENT_AT]: at });
}

export function readV1Tenant({ t }: V1Body): TenantId | null {
  return typeof t === "string" ? parseTenant(t) : null;
}

export function isUlidValue(value: unknown): value is string {
  return typeof value === "string" && isUlid(value);
}

function parseObject(text: string): V1Body | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as V1Body) : null;
  } catch {
    return null;
  }
}
