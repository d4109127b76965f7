import { sha256, shortHash } from "#base/kernel/bytes.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import type { Millis } from "#base/kernel/time.ts";
import { type Key, t13 } from "#base/table/keys.ts";
import type { Scope } from "#features/inbox/rules/messages.ts";

export const HEAD_SORT_KEY = "~HEAD";

export function headKey(conversationId: string): Key {
  return { PK: conversationId, SK: HEAD_SORT_KEY };
}

/** A message's position in time: `<t13>#<m22>`, the end of its sort key and its sort key in the feed. */
export function messagePosition(sentAt: Millis, messageId: string): string {
  return `${t13(sentAt)}#${shortHash(messageId)}`;
}

export function messageKey(conversationId: string, position: string): Key {
  return { PK: conversationId, SK: `M#${position}` };
}

/** One item per outbound message id, so that a send and its echo end in one row, whichever is stored first. */
export function markerKey(conversationId: string, messageId: string): Key {
  return { PK: conversationId, SK: `K#${shortHash(messageId)}` };
}

/** A change that arrived before its message. @param messageHash the short hash of the message's id */
export function pendingChangeKey(conversationId: string, messageHash: string): Key {
  return { PK: conversationId, SK: `C#${messageHash}` };
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
