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
  readonly excludedEndpointId?: string;
}

/** A later attempt of one delivery. The attempt number is a token: a row that has moved on drops it. */
export interface RetryMessage {
  readonly tenant: TenantId;
  readonly endpointId: string;
  readonly eventUlid: string;
  readonly attempt: number;
  /** Somebody asked for this very attempt: it is made even while its endpoint is left alone. */
  readonly manual?: boolean;
  /** How often it was put off because its endpoint had its fill of attempts. */
  readonly deferrals?: number;
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

export const MESSAGE_VERSION = 1;

export function encodeInbound(message: InboundMessage): string {
  return JSON.stringify({
    v: MESSAGE_VERSION,
    at: message.receivedAt,
    ...(message.bytes ? { gz: Buffer.from(message.bytes).toString("base64") } : { file: message.file }),
  });
}

export function decodeInbound(text: string): InboundMessage | null {
  const body = parseMessageBody(text);
  if (!body || typeof body.at !== "number") return null;
  if (typeof body.gz === "string") return { receivedAt: body.at, bytes: Buffer.from(body.gz, "base64"), file: null };
  return typeof body.file === "string" ? { receivedAt: body.at, bytes: null, file: body.file } : null;
}

export function encodeEvent(message: EventMessage): string {
  return JSON.stringify({
    v: MESSAGE_VERSION,
    t: message.tenant,
    e: message.eventUlid,
    ty: message.type,
    ...(message.source ? { c: message.source.conversationId, p: message.source.position } : {}),
    ...(message.repeated ? { r: 1 } : {}),
    ...(message.uncounted ? { k: 1 } : {}),
    ...(message.test ? { z: 1 } : {}),
    ...(message.excludedEndpointId ? { x: message.excludedEndpointId } : {}),
  });
}

export function decodeEvent(text: string): EventMessage | null {
  const body = parseMessageBody(text);
  const tenant = parseTenant(String(body?.t ?? ""));
  const type = eventTypes.find((candidate) => candidate === body?.ty);
  if (!body || !tenant || !type || typeof body.e !== "string" || !isUlid(body.e)) return null;
  const source = parseSource(body);
  if (source === undefined) return null;
  const flags = {
    repeated: body.r === 1,
    ...(body.k === 1 ? { uncounted: true } : {}),
    ...(body.z === 1 ? { test: true } : {}),
    ...(typeof body.x === "string" ? { excludedEndpointId: body.x } : {}),
  };
  return { tenant, eventUlid: body.e, type, source, ...flags };
}

function parseSource({ c, p }: Record<string, unknown>): EventSource | undefined {
  if (c === undefined && p === undefined) return null;
  return typeof c === "string" && typeof p === "string" ? { conversationId: c, position: p } : undefined;
}

export function encodeRetry(message: RetryMessage): string {
  return JSON.stringify({
    v: MESSAGE_VERSION,
    t: message.tenant,
    w: message.endpointId,
    e: message.eventUlid,
    n: message.attempt,
    ...(message.manual ? { q: 1 } : {}),
    ...(message.deferrals ? { po: message.deferrals } : {}),
  });
}

export function decodeRetry(text: string): RetryMessage | null {
  const body = parseMessageBody(text);
  const tenant = parseTenant(String(body?.t ?? ""));
  if (!body || !tenant || typeof body.w !== "string" || typeof body.e !== "string") return null;
  if (!isUlid(body.w) || !isUlid(body.e) || !Number.isSafeInteger(body.n)) return null;
  const flags = {
    ...(body.q === 1 ? { manual: true } : {}),
    ...(typeof body.po === "number" && Number.isSafeInteger(body.po) ? { deferrals: body.po } : {}),
  };
  return { tenant, endpointId: body.w, eventUlid: body.e, attempt: body.n as number, ...flags };
}

export function encodeProfile({ tenant, conversationId }: ProfileMessage): string {
  return JSON.stringify({ v: MESSAGE_VERSION, t: tenant, c: conversationId });
}

/** Null also for a conversation of another tenant than the message names. */
export function decodeProfile(text: string): ProfileMessage | null {
  const body = parseMessageBody(text);
  const tenant = parseTenant(String(body?.t ?? ""));
  if (!body || !tenant || typeof body.c !== "string" || !parseConversationId(tenant, body.c)) return null;
  return { tenant, conversationId: body.c };
}

export function encodeErasure({ tenant, erasureId }: ErasureMessage): string {
  return JSON.stringify({ v: MESSAGE_VERSION, t: tenant, er: erasureId });
}

export function decodeErasure(text: string): ErasureMessage | null {
  const body = parseMessageBody(text);
  const tenant = parseTenant(String(body?.t ?? ""));
  if (!body || !tenant || typeof body.er !== "string" || !/^[0-9a-f]{64}$/.test(body.er)) return null;
  return { tenant, erasureId: body.er };
}

/** A message's body; null for one that is not ours, or of another version. */
export function parseMessageBody(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    const isCurrent = typeof value === "object" && value !== null && (value as { v?: unknown }).v === MESSAGE_VERSION;
    return isCurrent ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}
