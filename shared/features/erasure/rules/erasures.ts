import { deriveEventUlid } from "#base/events/events.ts";
import { sha256 } from "#base/kernel/bytes.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { MINUTE, type Millis, SECOND } from "#base/kernel/time.ts";
import type { AuditEntry } from "#features/access/rules/audit.ts";

/** The id of an erasure: a hash of the conversation's id, in hex. The conversation's id identifies a person. */
export function deriveErasureId(conversationId: string): string {
  return sha256(conversationId).toString("hex");
}

/** The part of an erasure's id that audit rows and log lines show. */
export function shortErasureId(id: string): string {
  return id.slice(0, 16);
}

const MARK_CHARS = 10;

/** Identifies a removed message: the end of its event's ULID, which is a hash of its id. */
export function eventMark(eventUlid: string): string {
  return eventUlid.slice(-MARK_CHARS);
}

/** The marks of a message, inbound and outbound. */
export function messageMarks(tenant: TenantId, messageId: string): string[] {
  const types = ["message.received", "message.sent"] as const;
  return types.map((type) => eventMark(deriveEventUlid(tenant, messageId, type, 0)));
}

/** A sort key before every row of a conversation. */
export const BEFORE_ALL_ROWS = " ";

/** What an erasure removed, in rows of the table. The profile is part of the conversation's head. */
export interface RemovalCounts {
  readonly conversation: number;
  readonly profile: number;
  /** In both directions, including test messages. */
  readonly messages: number;
  /** Markers of outbound message ids, of published events and of pending changes. */
  readonly markers: number;
  /** Of all endpoints, including deleted ones. */
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
 * The time between two passes. It is longer than any worker runs, so that every write based on a read from before the
 * erasure has happened by the next pass.
 */
export const PASS_INTERVAL: Millis = 3 * MINUTE;

/**
 * When the background continues an erasure that a request started. It is longer than the function of a request runs: a
 * message that came before the start would be dropped, and no other one would continue the erasure.
 */
export const BACKGROUND_DELAY: Millis = 40 * SECOND;

/** The audit entry of an erasure. */
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
