import { sha256 } from "../../kernel/bytes.ts";
import type { TenantId } from "../../kernel/tenant.ts";
import { MINUTE, type Millis, SECOND } from "../../kernel/time.ts";
import type { AuditEntry } from "../access/audit.ts";
import { deriveEventUlid } from "../events/events.ts";

/** What an erasure is known by: a hash of the conversation's id, in hex. The id itself names a person. */
export function deriveErasureId(conversationId: string): string {
  return sha256(conversationId).toString("hex");
}

/** As much of it as an audit row or a log line shows. */
export function shortErasureId(id: string): string {
  return id.slice(0, 16);
}

const MARK_CHARS = 10;

/** What a message that was removed is known by: the part of its event's ULID that follows from its id and names nobody. */
export function eventMark(eventUlid: string): string {
  return eventUlid.slice(-MARK_CHARS);
}

/** The marks that a message has if it was removed, in either direction. */
export function messageMarks(tenant: TenantId, messageId: string): string[] {
  const types = ["message.received", "message.sent"] as const;
  return types.map((type) => eventMark(deriveEventUlid(tenant, messageId, type, 0)));
}

/** Sorts before every row of a conversation. */
export const BEFORE_ALL_ROWS = " ";

/** What an erasure removed. Rows of the table each, but for the profile, which stands on the conversation's head. */
export interface RemovalCounts {
  readonly conversation: number;
  readonly profile: number;
  /** In both directions, test messages included. */
  readonly messages: number;
  /** What marks something: an outbound message's id, an event that was told, a change that came before its message. */
  readonly markers: number;
  /** Of all endpoints, deleted ones included. */
  readonly deliveries: number;
  readonly sendRecords: number;
  readonly uploads: number;
  readonly holds: number;
}

export const noRemovals: RemovalCounts = {
  conversation: 0,
  profile: 0,
  messages: 0,
  markers: 0,
  deliveries: 0,
  sendRecords: 0,
  uploads: 0,
  holds: 0,
};

export function addRemovalCounts(one: RemovalCounts, other: Partial<RemovalCounts>): RemovalCounts {
  const sum = (kind: keyof RemovalCounts) => one[kind] + (other[kind] ?? 0);
  return {
    conversation: sum("conversation"),
    profile: sum("profile"),
    messages: sum("messages"),
    markers: sum("markers"),
    deliveries: sum("deliveries"),
    sendRecords: sum("sendRecords"),
    uploads: sum("uploads"),
    holds: sum("holds"),
  };
}

/**
 * How long after one pass the next one begins: longer than any worker runs, so that what a worker had read before its
 * source was erased is written by then.
 */
export const PASS_INTERVAL: Millis = 3 * MINUTE;

/** When the background takes up an erasure that began in a request: the request is answered by then, or dead. */
export const BACKGROUND_DELAY: Millis = 20 * SECOND;

/** An erasure's row in the audit trail. */
export function erasureAuditEntry(
  { id, actor, ip, removed }: { id: string; actor: string; ip: string | null; removed: RemovalCounts },
  at: Millis,
): AuditEntry {
  const { sendRecords, ...rest } = removed;
  return {
    action: "conversation.erase",
    resource: `conversation:sha256:${shortErasureId(id)}`,
    actor,
    ip,
    detail: { ...rest, send_records: sendRecords },
    at,
  };
}
