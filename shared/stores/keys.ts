import { type AccountRef, accountKey } from "../domain/accounts/accounts.ts";
import type { Scope } from "../domain/inbox/messages.ts";
import { RETENTION } from "../domain/limits.ts";
import { sha256, shortHash } from "../kernel/bytes.ts";
import { ulidFloor } from "../kernel/ids.ts";
import type { TenantId } from "../kernel/tenant.ts";
import { HOUR, MINUTE, type Millis, SECOND } from "../kernel/time.ts";

// Every key of the table is made here. docs/design/table-keys.md describes each item, docs/design/table-costs.md who reads it and what it costs.
//
// In a conversation's partition everything that is not a message sorts before `M#`, and the head after it, so that
// one descending query answers the head and the newest messages.

export interface Key {
  readonly PK: string;
  readonly SK: string;
}

/** 13 digits: epoch milliseconds that sort as text. */
export function t13(at: Millis): string {
  return String(Math.max(0, at)).padStart(13, "0");
}

export const HEAD_SORT_KEY = "~HEAD";

export function headKey(conversationId: string): Key {
  return { PK: conversationId, SK: HEAD_SORT_KEY };
}

/** Where a message stands in time: `<t13>#<m22>`, the tail of its sort key and its place in the feed. */
export function messagePosition(sentAt: Millis, messageId: string): string {
  return `${t13(sentAt)}#${shortHash(messageId)}`;
}

export function positionTime(position: string): Millis {
  return Number(position.slice(0, 13));
}

export function messageKey(conversationId: string, position: string): Key {
  return { PK: conversationId, SK: `M#${position}` };
}

/** One per outbound message id, so that a send's answer and its echo meet in one row whichever comes first. */
export function markerKey(conversationId: string, messageId: string): Key {
  return { PK: conversationId, SK: `K#${shortHash(messageId)}` };
}

export function sendRecordKey(conversationId: string, sendId: string): Key {
  return { PK: conversationId, SK: `J#${sendId}` };
}

/** How much was sent in a conversation, and what the platform asked for there. */
export function conversationBudgetKey(conversationId: string, scope: Scope): Key {
  return { PK: conversationId, SK: `B#${scope}` };
}

/** How much an account sent, and until when it is to send nothing. */
export function accountBudgetKey(tenant: TenantId, ref: AccountRef, scope: Scope): Key {
  return { PK: `B#${tenant}#${accountKey(ref)}`, SK: scope };
}

/** What became of a request that named a key of its own. @param keyHash of everything that the key is one of */
export function idempotencyKey(tenant: TenantId, keyHash: string): Key {
  return { PK: `IK#${tenant}#${keyHash}`, SK: "IK" };
}

/** A change of a message that came before the message did. @param messageHash the short hash of the message's id */
export function pendingChangeKey(conversationId: string, messageHash: string): Key {
  return { PK: conversationId, SK: `C#${messageHash}` };
}

/** From a conversation to an event of it whose body lies apart. `what` names the change, so that it is told once. */
export function eventRefKey(conversationId: string, changeName: string): Key {
  return { PK: conversationId, SK: `E#${shortHash(changeName)}` };
}

/** The body of an event that has no message of its own. */
export function eventBodyKey(tenant: TenantId, eventUlid: string): Key {
  return { PK: `E#${tenant}#${eventUlid}`, SK: "B" };
}

/** The erasure of a conversation, by the hash of its id. */
export function erasureKey(erasureId: string): Key {
  return { PK: `ER#${erasureId}`, SK: "R" };
}

/** Events of a conversation that was erased at that instant, to be looked at once more. */
export function erasedEventsKey(erasureId: string, erasedAt: Millis, ulid: string): Key {
  return { PK: `ER#${erasureId}`, SK: `P#${t13(erasedAt)}#${ulid}` };
}

/** What belongs to a conversation and lies apart from it, by id. */
export const relatedKeys = {
  hold: (id: string): Key => ({ PK: `H#${id}`, SK: "H" }),
  upload: (id: string): Key => ({ PK: `U#${id}`, SK: "U" }),
} as const;

/** From a conversation to what lies apart from it, so that erasing finds it. */
export function relatedRefKey(conversationId: string, kind: keyof typeof relatedKeys, id: string): Key {
  return { PK: conversationId, SK: `A#${kind}#${id}` };
}

/** What every worker needs to know of a tenant: how many shards its feeds have, and when it last erased. */
export function tenantStateKey(tenant: TenantId): Key {
  return { PK: `T#${tenant}`, SK: "STATE" };
}

/** The place of the topmost entry of a feed of more than one shard: above every other place, which begins with a digit. */
export const FEED_HEADER = "~";

/** The entry of a feed's first shard that says how many there are. */
export function feedHeaderKey(tenant: TenantId, feed: "inbox" | "messages"): Key {
  return { PK: `T#${tenant}`, SK: `FEED#${feed}` };
}

/** A conversation's shard among the `shards` of its tenant's feeds. */
export function feedShard(conversationId: string, shards: number): number {
  return shards === 1 ? 0 : Number.parseInt(sha256(conversationId).toString("hex").slice(0, 8), 16) % shards;
}

export function inboxFeed(tenant: TenantId, shard: number): string {
  return `I#${tenant}#${shard}`;
}

/** Test messages are few: theirs is one feed. */
export function messageFeed(tenant: TenantId, scope: Scope, shard: number): string {
  return scope === "test" ? `FT#${tenant}#0` : `F#${tenant}#${shard}`;
}

/** A conversation's place in the inbox: `<t13>#<hash of its id>`. */
export function inboxPosition(lastAt: Millis, conversationId: string): string {
  return `${t13(lastAt)}#${shortHash(conversationId)}`;
}

export function messageIdIndex(tenant: TenantId, messageId: string): string {
  return `${tenant}#${messageId}`;
}

export function tenantKey(tenant: TenantId): Key {
  return { PK: `T#${tenant}`, SK: "TENANT" };
}

export function accountItemKey(tenant: TenantId, ref: AccountRef): Key {
  return { PK: `T#${tenant}`, SK: `ACC#${accountKey(ref)}` };
}

/** From a platform's account to the tenant it is connected to. */
export function accountRouteKey(ref: AccountRef): Key {
  return { PK: `ACC#${accountKey(ref)}`, SK: "R" };
}

export function endpointKey(tenant: TenantId, endpointId: string): Key {
  return { PK: `T#${tenant}`, SK: `WH#${endpointId}` };
}

/** How many endpoints a tenant has, without deleted ones. */
export function endpointCountKey(tenant: TenantId): Key {
  return { PK: `T#${tenant}`, SK: "ENDPOINTS" };
}

export function deliveryPartition(tenant: TenantId, endpointId: string): string {
  return `D#${tenant}#${endpointId}#0`;
}

export function deliveryKey(tenant: TenantId, endpointId: string, eventUlid: string): Key {
  return { PK: deliveryPartition(tenant, endpointId), SK: eventUlid };
}

/** What a slow endpoint has in flight. */
export function concurrencySlotsKey(tenant: TenantId, endpointId: string): Key {
  return { PK: `W#${tenant}#${endpointId}`, SK: "W" };
}

/** The partition of an endpoint's deliveries that have not come through, in their own index. */
export function undeliveredPartition(tenant: TenantId, endpointId: string): string {
  return `${tenant}#${endpointId}`;
}

export const DUE_SHARDS = 8;

/** Due items rest in hourly partitions and sort by the instant they are due. */
export function duePartition(dueAt: Millis, shard: number): string {
  return `Q#${Math.floor(dueAt / HOUR)}#${shard}`;
}

export function dueShard(endpointId: string, eventUlid: string): number {
  const last = shortHash(`${endpointId}#${eventUlid}`).charCodeAt(0);
  return last % DUE_SHARDS;
}

export function dueKey(dueAt: Millis, endpointId: string, eventUlid: string, attempt: number): Key {
  return {
    PK: duePartition(dueAt, dueShard(endpointId, eventUlid)),
    SK: `${t13(dueAt)}#${endpointId}#${eventUlid}#${attempt}`,
  };
}

/** Sends that are to be looked at, in hourly partitions as other due items, and apart from them: nobody looks ahead. */
export function dueSendPartition(dueAt: Millis, shard: number): string {
  return `QS#${Math.floor(dueAt / HOUR)}#${shard}`;
}

export function dueSendKey(dueAt: Millis, sendId: string): Key {
  const shard = shortHash(sendId).charCodeAt(0) % DUE_SHARDS;
  return { PK: dueSendPartition(dueAt, shard), SK: `${t13(dueAt)}#${sendId}` };
}

/** How far sends have been looked at. */
export const sendSweepCheckpointKey: Key = { PK: "QS", SK: "SWEPT" };

/** @param body the body of the step's queue message */
export function dueTaskKey(dueAt: Millis, endpointId: string, body: string): Key {
  const taskHash = shortHash(body);
  return { PK: duePartition(dueAt, dueShard(endpointId, taskHash)), SK: `${t13(dueAt)}#${endpointId}#${taskHash}` };
}

/** How far the sweeper has come. */
export const sweepCheckpointKey: Key = { PK: "Q", SK: "SWEPT" };

export function apiKeyLookupKey(keyHash: string): Key {
  return { PK: `K#${keyHash}`, SK: "K" };
}

export function apiKeyItemKey(tenant: TenantId, keyId: string): Key {
  return { PK: `T#${tenant}`, SK: `KEY#${keyId}` };
}

export function operatorKeyItemKey(keyId: string): Key {
  return { PK: "OPERATORS", SK: `KEY#${keyId}` };
}

export function rateLimitKey(keyId: string, now: Millis): Key {
  return { PK: `RL#${keyId}`, SK: String(Math.floor(now / MINUTE)) };
}

/** Host names that were looked up for a tenant in a minute. */
export function dnsQuotaKey(tenant: TenantId, now: Millis): Key {
  return { PK: `LU#${tenant}`, SK: String(Math.floor(now / MINUTE)) };
}

/** Tries of the check page in one window. @param subject a source address or a hold's id */
export function verificationAttemptsKey(subject: string, windowStart: Millis): Key {
  return { PK: `TR#${subject}`, SK: t13(windowStart) };
}

export function auditKey(tenant: TenantId, auditUlid: string): Key {
  return { PK: `A#${tenant}`, SK: auditUlid };
}

export function startOfHour(at: Millis): Millis {
  return at - (at % HOUR);
}

/** What a tenant's hour counts. */
export function hourKey(tenant: TenantId, at: Millis): Key {
  return { PK: `S#${tenant}`, SK: t13(startOfHour(at)) };
}

/** That somebody counts the message of this event. */
export function countClaimKey(tenant: TenantId, eventUlid: string): Key {
  return { PK: `N#${tenant}#${eventUlid}`, SK: "N" };
}

export function quarantineKey(queue: string, id: string): Key {
  return { PK: `QUAR#${queue}`, SK: id };
}

/** Where the feeds' index has the held messages that wait for their check, each at the instant it runs out. */
export const WAITING_HOLDS = "QH";

/** The table's time-to-live is in seconds. */
export function timeToLive(at: Millis): number {
  return Math.ceil(at / SECOND);
}

/** The oldest place in time that a read may still return. */
export function oldestPosition(now: Millis): string {
  return t13(now - RETENTION + 1);
}

export function oldestUlid(now: Millis): string {
  return ulidFloor(now - RETENTION + 1);
}

/**
 * The sort keys of a descending list's page: from the oldest that it may show up to just below where the page before
 * ended, or up to the top. Null where that place is no longer within the list: the table refuses a range that ends
 * before it begins.
 */
export function pageRange(oldest: string, before: string | null, top: string): { from: string; upTo: string } | null {
  const upTo = before === null ? top : justBelow(before);
  return upTo < oldest ? null : { from: oldest, upTo };
}

/**
 * The greatest text below a sort key of fixed length, to continue a descending query after it: BETWEEN is inclusive
 * and ExclusiveStartKey wants the partition, which a cursor never carries.
 */
export function justBelow(sortKey: string): string {
  const last = sortKey.length - 1;
  return `${sortKey.slice(0, last)}${String.fromCharCode(sortKey.charCodeAt(last) - 1)}~`;
}
