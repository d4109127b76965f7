import { type AccountRef, accountKey } from "../domain/accounts/accounts.ts";
import type { Scope } from "../domain/inbox/messages.ts";
import { RETENTION } from "../domain/limits.ts";
import { sha256, shortHash } from "../kernel/bytes.ts";
import { ulidFloor } from "../kernel/ids.ts";
import type { TenantId } from "../kernel/tenant.ts";
import { HOUR, MINUTE, type Millis, SECOND, startOfDay } from "../kernel/time.ts";

// The keys of the table are built here, those of accounts in `accounts/account-keys.ts`. docs/design/table-keys.md lists
// the items by key.
//
// In a conversation's partition the head sorts after the messages (`M#`) and everything else before them, so that one
// descending query returns the head and the newest messages.

export interface Key {
  readonly PK: string;
  readonly SK: string;
}

/** Epoch milliseconds in 13 digits, which sort as text. */
export function t13(at: Millis): string {
  return String(Math.max(0, at)).padStart(13, "0");
}

export const HEAD_SORT_KEY = "~HEAD";

export function headKey(conversationId: string): Key {
  return { PK: conversationId, SK: HEAD_SORT_KEY };
}

/** A message's position in time: `<t13>#<m22>`, the end of its sort key and its sort key in the feed. */
export function messagePosition(sentAt: Millis, messageId: string): string {
  return `${t13(sentAt)}#${shortHash(messageId)}`;
}

export function positionTime(position: string): Millis {
  return Number(position.slice(0, 13));
}

export function messageKey(conversationId: string, position: string): Key {
  return { PK: conversationId, SK: `M#${position}` };
}

/** One item per outbound message id, so that a send and its echo end in one row, whichever is stored first. */
export function markerKey(conversationId: string, messageId: string): Key {
  return { PK: conversationId, SK: `K#${shortHash(messageId)}` };
}

export function sendRecordKey(conversationId: string, sendId: string): Key {
  return { PK: conversationId, SK: `J#${sendId}` };
}

/** A conversation's send counts and pause. */
export function conversationBudgetKey(conversationId: string, scope: Scope): Key {
  return { PK: conversationId, SK: `B#${scope}` };
}

/** An account's send counts and pause. */
export function accountBudgetKey(tenant: TenantId, ref: AccountRef, scope: Scope): Key {
  return { PK: `B#${tenant}#${accountKey(ref)}`, SK: scope };
}

/** The record of an idempotency key. @param keyHash a hash of the key and of everything that scopes it */
export function idempotencyKey(tenant: TenantId, keyHash: string): Key {
  return { PK: `IK#${tenant}#${keyHash}`, SK: "IK" };
}

/** The account through which a tenant uploaded an attachment, by the platform's id of the attachment. */
export function attachmentOwnerKey(tenant: TenantId, attachmentId: string): Key {
  return { PK: `AT#${tenant}#${shortHash(attachmentId)}`, SK: "AT" };
}

/** A change that arrived before its message. @param messageHash the short hash of the message's id */
export function pendingChangeKey(conversationId: string, messageHash: string): Key {
  return { PK: conversationId, SK: `C#${messageHash}` };
}

/** From a conversation to an event with a stored body. `changeName` names the change, which is published once. */
export function eventRefKey(conversationId: string, changeName: string): Key {
  return { PK: conversationId, SK: `E#${shortHash(changeName)}` };
}

/** The body of an event without a message. */
export function eventBodyKey(tenant: TenantId, eventUlid: string): Key {
  return { PK: `E#${tenant}#${eventUlid}`, SK: "B" };
}

/** The erasure of a conversation. @param erasureId the hash of the conversation's id */
export function erasureKey(erasureId: string): Key {
  return { PK: `ER#${erasureId}`, SK: "R" };
}

/** Removed events of a conversation that was erased at that instant. @param tail a ULID or the mark of one message */
export function erasedEventsKey(erasureId: string, erasedAt: Millis, tail: string): Key {
  return { PK: `ER#${erasureId}`, SK: `P#${t13(erasedAt)}#${tail}` };
}

/** Items outside a conversation's partition that belong to it, by id. */
export const relatedKeys = {
  hold: (id: string): Key => ({ PK: `H#${id}`, SK: "H" }),
  upload: (id: string): Key => ({ PK: `U#${id}`, SK: "U" }),
} as const;

/** From a conversation to such an item, so that an erasure finds it. */
export function relatedRefKey(conversationId: string, kind: keyof typeof relatedKeys, id: string): Key {
  return { PK: conversationId, SK: `A#${kind}#${id}` };
}

/** A tenant's state for workers: the shards of its feeds, and its last erasure. */
export function tenantStateKey(tenant: TenantId): Key {
  return { PK: `T#${tenant}`, SK: "STATE" };
}

/** The position of the header of a feed of several shards. It sorts after every other position, which starts with a digit. */
export const FEED_HEADER = "~";

/** The header of a feed: the entry of its first shard that says how many shards there are. */
export function feedHeaderKey(tenant: TenantId, feed: "inbox" | "messages"): Key {
  return { PK: `T#${tenant}`, SK: `FEED#${feed}` };
}

/** The shard of a conversation in its tenant's feeds. */
export function feedShard(conversationId: string, shards: number): number {
  return shards === 1 ? 0 : Number.parseInt(sha256(conversationId).toString("hex").slice(0, 8), 16) % shards;
}

export function inboxFeed(tenant: TenantId, shard: number): string {
  return `I#${tenant}#${shard}`;
}

/** Test messages are few and have one shard. */
export function messageFeed(tenant: TenantId, scope: Scope, shard: number): string {
  return scope === "test" ? `FT#${tenant}#0` : `F#${tenant}#${shard}`;
}

/** A conversation's position in the inbox: `<t13>#<hash of its id>`. */
export function inboxPosition(lastAt: Millis, conversationId: string): string {
  return `${t13(lastAt)}#${shortHash(conversationId)}`;
}

export function messageIdIndex(tenant: TenantId, messageId: string): string {
  return `${tenant}#${messageId}`;
}

export function tenantKey(tenant: TenantId): Key {
  return { PK: `T#${tenant}`, SK: "TENANT" };
}

export function endpointKey(tenant: TenantId, endpointId: string): Key {
  return { PK: `T#${tenant}`, SK: `WH#${endpointId}` };
}

/**
 * The number of a tenant's sockets. It sorts after the endpoints, which are ULIDs, so that the query of a tenant's
 * endpoints brings it.
 */
export function presenceKey(tenant: TenantId): Key {
  return endpointKey(tenant, "~SOCKETS");
}

/** The start of the sort key of a socket. */
export const SOCKET = "C#";

export function socketKey(tenant: TenantId, connectionId: string): Key {
  return { PK: `WC#${tenant}`, SK: `${SOCKET}${connectionId}` };
}

/** The newest erasure of a tenant that has sockets. The query of its sockets brings it. */
export function socketErasureKey(tenant: TenantId): Key {
  return { PK: socketKey(tenant, "").PK, SK: "~ERASED" };
}

/** From a connection to its tenant, with the counts of its frames. */
export function socketTenantKey(connectionId: string): Key {
  return { PK: `WS#${connectionId}`, SK: "S" };
}

/** @param ticketId the hash of a realtime ticket */
export function realtimeTicketKey(ticketId: string): Key {
  return { PK: `WT#${ticketId}`, SK: "T" };
}

/** The number of a tenant's endpoints, without deleted ones. */
export function endpointCountKey(tenant: TenantId): Key {
  return { PK: `T#${tenant}`, SK: "ENDPOINTS" };
}

export function deliveryPartition(tenant: TenantId, endpointId: string): string {
  return `D#${tenant}#${endpointId}#0`;
}

export function deliveryKey(tenant: TenantId, endpointId: string, eventUlid: string): Key {
  return { PK: deliveryPartition(tenant, endpointId), SK: eventUlid };
}

/** The attempts that a slow endpoint has in flight. */
export function concurrencySlotsKey(tenant: TenantId, endpointId: string): Key {
  return { PK: `W#${tenant}#${endpointId}`, SK: "W" };
}

/** An endpoint's partition in the index of undelivered events. */
export function undeliveredPartition(tenant: TenantId, endpointId: string): string {
  return `${tenant}#${endpointId}`;
}

export const DUE_SHARDS = 8;

/** Due items are in hourly partitions, sorted by the instant when they are due. */
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

/** Sends to settle have their own hourly partitions. */
export function dueSendPartition(dueAt: Millis, shard: number): string {
  return `QS#${Math.floor(dueAt / HOUR)}#${shard}`;
}

export function dueSendKey(dueAt: Millis, sendId: string): Key {
  const shard = shortHash(sendId).charCodeAt(0) % DUE_SHARDS;
  return { PK: dueSendPartition(dueAt, shard), SK: `${t13(dueAt)}#${sendId}` };
}

/** The checkpoint of the sweep of sends. */
export const sendSweepCheckpointKey: Key = { PK: "QS", SK: "SWEPT" };

/** @param body the body of the task's queue message */
export function dueTaskKey(dueAt: Millis, endpointId: string, body: string): Key {
  const taskHash = shortHash(body);
  return { PK: duePartition(dueAt, dueShard(endpointId, taskHash)), SK: `${t13(dueAt)}#${endpointId}#${taskHash}` };
}

/** The second part of a due erasure's sort key, where attempts and tasks have their endpoint. */
export const DUE_ERASURE = "ER";

/** @param erasureId the hash of the conversation's id */
export function dueErasureKey(dueAt: Millis, erasureId: string): Key {
  return {
    PK: duePartition(dueAt, dueShard(DUE_ERASURE, erasureId)),
    SK: `${t13(dueAt)}#${DUE_ERASURE}#${erasureId}`,
  };
}

/** The second part of the sort key of a due task of an account. */
export const DUE_ACCOUNT_TASK = "AC";

/** @param body the body of the task's queue message */
export function dueAccountTaskKey(dueAt: Millis, body: string): Key {
  return dueTaskKey(dueAt, DUE_ACCOUNT_TASK, body);
}

/** The checkpoint of the sweep of due attempts, tasks and erasures. */
export const sweepCheckpointKey: Key = { PK: "Q", SK: "SWEPT" };

/** Where the daily scan of waiting deliveries stopped. */
export const deliveryScanCheckpointKey: Key = { PK: "QD", SK: "SWEPT" };

export function apiKeyLookupKey(keyHash: string): Key {
  return { PK: `K#${keyHash}`, SK: "K" };
}

export function apiKeyItemKey(tenant: TenantId, keyId: string): Key {
  return { PK: `T#${tenant}`, SK: `KEY#${keyId}` };
}

export function operatorKeyItemKey(keyId: string): Key {
  return { PK: "OPERATORS", SK: `KEY#${keyId}` };
}

/** The user's partition: one query reads the user and their memberships. @param userId `usr_<ULID>` */
export function userKey(userId: string): Key {
  return { PK: `USR#${userId}`, SK: "P" };
}

/** From an email address to its user. @param addressHash a keyed hash of the address */
export function userAddressKey(addressHash: string): Key {
  return { PK: `EML#${addressHash}`, SK: "U" };
}

/** The start of the sort key of a membership, on both of its sides. */
export const MEMBERSHIP = "MEM#";

/** The side of a membership that the user's requests read. */
export function userMembershipKey(userId: string, tenant: TenantId): Key {
  return { PK: userKey(userId).PK, SK: `${MEMBERSHIP}${tenant}` };
}

/** The side of a membership that the tenant lists. */
export function membershipKey(tenant: TenantId, userId: string): Key {
  return { PK: `T#${tenant}`, SK: `${MEMBERSHIP}${userId}` };
}

/** @param inviteId `inv_<ULID>` */
export function inviteKey(tenant: TenantId, inviteId: string): Key {
  return { PK: `T#${tenant}`, SK: `INV#${inviteId}` };
}

/** The pending invite of an address in a tenant. @param addressHash a keyed hash of the address */
export function pendingInviteKey(addressHash: string, tenant: TenantId | ""): Key {
  return { PK: `INV#${addressHash}`, SK: tenant };
}

/** The ids of a tenant's pending invites, for their number. */
export function pendingInvitesKey(tenant: TenantId): Key {
  return { PK: `T#${tenant}`, SK: "INVITES" };
}

/** The mails of a tenant's invites in a day of UTC. */
export function tenantInviteMailsKey(tenant: TenantId, now: Millis): Key {
  return { PK: `T#${tenant}`, SK: `MAILS#${t13(startOfDay(now))}` };
}

/** The mails of the invites that a person sent in a day of UTC, in all tenants. */
export function personInviteMailsKey(userId: string, now: Millis): Key {
  return { PK: `IM#${userId}`, SK: t13(startOfDay(now)) };
}

export function rateLimitKey(callerId: string, now: Millis): Key {
  return { PK: `RL#${callerId}`, SK: String(Math.floor(now / MINUTE)) };
}

/** The requests of a tenant's keys and members in a minute. */
export function tenantRequestsKey(tenant: TenantId, now: Millis): Key {
  return { PK: `RQ#${tenant}`, SK: String(Math.floor(now / MINUTE)) };
}

/** A tenant's DNS lookups in a minute. */
export function dnsQuotaKey(tenant: TenantId, now: Millis): Key {
  return { PK: `LU#${tenant}`, SK: String(Math.floor(now / MINUTE)) };
}

/** Attempts on the check page in a window. @param subject a source network or a hold's id */
export function verificationAttemptsKey(subject: string, windowStart: Millis): Key {
  return { PK: `TR#${subject}`, SK: t13(windowStart) };
}

/** A sign-in link. @param loginId the hash of its token */
export function loginTokenKey(loginId: string): Key {
  return { PK: `TOK#${loginId}`, SK: "T" };
}

/** The sign-in requests of a window. @param subjectHash a keyed hash of the email address or the source network */
export function signInCapKey(kind: "address" | "source", subjectHash: string, windowStart: Millis): Key {
  return { PK: `CAP#${kind}#${subjectHash}`, SK: t13(windowStart) };
}

export function auditKey(tenant: TenantId, auditUlid: string): Key {
  return { PK: `A#${tenant}`, SK: auditUlid };
}

export function startOfHour(at: Millis): Millis {
  return at - (at % HOUR);
}

/** A tenant's counters of an hour. */
export function hourKey(tenant: TenantId, at: Millis): Key {
  return { PK: `S#${tenant}`, SK: t13(startOfHour(at)) };
}

/** The claim to count the message of an event. */
export function countClaimKey(tenant: TenantId, eventUlid: string): Key {
  return { PK: `N#${tenant}#${eventUlid}`, SK: "N" };
}

export function quarantineKey(queue: string, id: string): Key {
  return { PK: `QUAR#${queue}`, SK: id };
}

/** The partition of waiting holds in the feed index, sorted by the instant when they expire. */
export const WAITING_HOLDS = "QH";

/**
 * The partitions that belong to a tenant as a whole, and the beginnings of those that belong to it. Rows of a tenant in
 * other partitions are found by their sort key or an attribute.
 */
export function tenantPartitions(tenant: TenantId): { readonly whole: string[]; readonly starts: string[] } {
  return {
    whole: ["A", "LU", "RQ", "S", "T", "WC"].map((kind) => `${kind}#${tenant}`),
    starts: ["AT", "B", "CONV", "D", "E", "IK", "N", "W"].map((kind) => `${kind}#${tenant}#`),
  };
}

/** A time to live, in epoch seconds. */
export function timeToLive(at: Millis): number {
  return Math.ceil(at / SECOND);
}

/** The oldest position that a read may return. */
export function oldestPosition(now: Millis): string {
  return t13(now - RETENTION + 1);
}

export function oldestUlid(now: Millis): string {
  return ulidFloor(now - RETENTION + 1);
}

/**
 * The range of sort keys of a page of a descending list: from the oldest that may be shown to just below the end of the
 * previous page, or to `top`. Null when the range is empty: DynamoDB refuses a range that ends before it starts.
 */
export function pageRange(oldest: string, before: string | null, top: string): { from: string; upTo: string } | null {
  const upTo = before === null ? top : justBelow(before);
  return upTo < oldest ? null : { from: oldest, upTo };
}

/**
 * The greatest text below a sort key of fixed length. It continues a descending query, because BETWEEN is inclusive and
 * ExclusiveStartKey needs the partition, which a cursor never contains.
 */
export function justBelow(sortKey: string): string {
  const last = sortKey.length - 1;
  return `${sortKey.slice(0, last)}${String.fromCharCode(sortKey.charCodeAt(last) - 1)}~`;
}
