import { type EventType, eventTypes } from "../domain/events/events.ts";
import { parseConversationId } from "../domain/inbox/conversations.ts";
import type { EventSource } from "../domain/inbox/messages.ts";
import { isUlid } from "../kernel/ids.ts";
import { parseTenant, type TenantId } from "../kernel/tenant.ts";
import type { Millis } from "../kernel/time.ts";

// What the queues carry: keys and tokens. The raw bytes of an upstream webhook on the inbound queue are the exception.

/** A webhook of a platform, its signature verified. */
export interface InboundMessage {
  readonly receivedAt: Millis;
  /** The raw bytes, compressed, when they fit; else null and they lie under `file`. */
  readonly bytes: Uint8Array | null;
  readonly file: string | null;
}

/** An event to be announced to the tenant's endpoints. */
export interface EventMessage {
  readonly tenant: TenantId;
  readonly eventUlid: string;
  readonly type: EventType;
  readonly source: EventSource;
  /** It may have been announced before: look at the delivery's row first. */
  readonly repeated: boolean;
  /** Whoever writes its first delivery counts its message, too: it is in no counter yet. */
  readonly uncounted?: boolean;
  /** It tells of a test key's send: its deliveries are in no statistics. */
  readonly test?: boolean;
  /** An endpoint that is not told: the one that the event is about. */
  readonly except?: string;
}

/** A later attempt of one delivery. The attempt number is a token: a row that has moved on drops it. */
export interface RetryMessage {
  readonly tenant: TenantId;
  readonly endpointId: string;
  readonly eventUlid: string;
  readonly attempt: number;
  /** Somebody asked for this very attempt: it is made even while its endpoint is left alone. */
  readonly asked?: boolean;
  /** How often it was put off because its endpoint had its fill of attempts. */
  readonly putOff?: number;
}

/** A person to be looked up: the other side of a conversation. */
export interface ProfileMessage {
  readonly tenant: TenantId;
  readonly conversationId: string;
}

/** An erasure to be taken further. It is named by a hash: the conversation's id names a person. */
export interface ErasureMessage {
  readonly tenant: TenantId;
  readonly erasureId: string;
}

export const VERSION = 1;

export function writeInbound(message: InboundMessage): string {
  return JSON.stringify({
    v: VERSION,
    at: message.receivedAt,
    ...(message.bytes ? { gz: Buffer.from(message.bytes).toString("base64") } : { file: message.file }),
  });
}

export function readInbound(text: string): InboundMessage | null {
  const body = objectOf(text);
  if (!body || typeof body.at !== "number") return null;
  if (typeof body.gz === "string") return { receivedAt: body.at, bytes: Buffer.from(body.gz, "base64"), file: null };
  return typeof body.file === "string" ? { receivedAt: body.at, bytes: null, file: body.file } : null;
}

export function writeEvent(message: EventMessage): string {
  return JSON.stringify({
    v: VERSION,
    t: message.tenant,
    e: message.eventUlid,
    ty: message.type,
    ...(message.source ? { c: message.source.conversationId, p: message.source.place } : {}),
    ...(message.repeated ? { r: 1 } : {}),
    ...(message.uncounted ? { k: 1 } : {}),
    ...(message.test ? { z: 1 } : {}),
    ...(message.except ? { x: message.except } : {}),
  });
}

export function readEvent(text: string): EventMessage | null {
  const body = objectOf(text);
  const tenant = parseTenant(String(body?.t ?? ""));
  const type = eventTypes.find((known) => known === body?.ty);
  if (!body || !tenant || !type || typeof body.e !== "string" || !isUlid(body.e)) return null;
  const source = sourceOf(body);
  if (source === undefined) return null;
  const marks = {
    repeated: body.r === 1,
    ...(body.k === 1 ? { uncounted: true } : {}),
    ...(body.z === 1 ? { test: true } : {}),
    ...(typeof body.x === "string" ? { except: body.x } : {}),
  };
  return { tenant, eventUlid: body.e, type, source, ...marks };
}

function sourceOf({ c, p }: Record<string, unknown>): EventSource | undefined {
  if (c === undefined && p === undefined) return null;
  return typeof c === "string" && typeof p === "string" ? { conversationId: c, place: p } : undefined;
}

export function writeRetry(message: RetryMessage): string {
  return JSON.stringify({
    v: VERSION,
    t: message.tenant,
    w: message.endpointId,
    e: message.eventUlid,
    n: message.attempt,
    ...(message.asked ? { q: 1 } : {}),
    ...(message.putOff ? { po: message.putOff } : {}),
  });
}

export function readRetry(text: string): RetryMessage | null {
  const body = objectOf(text);
  const tenant = parseTenant(String(body?.t ?? ""));
  if (!body || !tenant || typeof body.w !== "string" || typeof body.e !== "string") return null;
  if (!isUlid(body.w) || !isUlid(body.e) || !Number.isSafeInteger(body.n)) return null;
  const marks = {
    ...(body.q === 1 ? { asked: true } : {}),
    ...(typeof body.po === "number" && Number.isSafeInteger(body.po) ? { putOff: body.po } : {}),
  };
  return { tenant, endpointId: body.w, eventUlid: body.e, attempt: body.n as number, ...marks };
}

export function writeProfile({ tenant, conversationId }: ProfileMessage): string {
  return JSON.stringify({ v: VERSION, t: tenant, c: conversationId });
}

/** Null also for a conversation of another tenant than the message names. */
export function readProfile(text: string): ProfileMessage | null {
  const body = objectOf(text);
  const tenant = parseTenant(String(body?.t ?? ""));
  if (!body || !tenant || typeof body.c !== "string" || !parseConversationId(tenant, body.c)) return null;
  return { tenant, conversationId: body.c };
}

export function writeErasure({ tenant, erasureId }: ErasureMessage): string {
  return JSON.stringify({ v: VERSION, t: tenant, er: erasureId });
}

export function readErasure(text: string): ErasureMessage | null {
  const body = objectOf(text);
  const tenant = parseTenant(String(body?.t ?? ""));
  if (!body || !tenant || typeof body.er !== "string" || !/^[0-9a-f]{64}$/.test(body.er)) return null;
  return { tenant, erasureId: body.er };
}

/** A message's body; null for one that is not ours, or of another version. */
export function objectOf(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    const known = typeof value === "object" && value !== null && (value as { v?: unknown }).v === VERSION;
    return known ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}
