import type { TenantId } from "#base/kernel/tenant.ts";
import type { Millis } from "#base/kernel/time.ts";
import type { Key } from "#base/table/keys.ts";
import {
  type ConversationHead,
  isConversationExpired,
  type ProfileState,
  parseConversationId,
} from "../rules/conversations.ts";
import type { Direction } from "../rules/messages.ts";
import { headAttributes as A } from "./attributes.ts";

/** What a worker reads of a conversation before it ingests an update. Before an inbound message it may be a second old. */
export interface ConversationSnapshot {
  readonly exists: boolean;
  /** When the conversation was erased: older messages must not stay. */
  readonly erasedAt: Millis | null;
  /** The short hashes of messages for which a change arrived first. */
  readonly pendingMessageIds: ReadonlySet<string>;
  readonly handle: string | null;
  readonly username: string | null;
  readonly name: string | null;
  readonly profile: ProfileState;
  readonly profileFetchedAt: Millis | null;
  readonly lastInboundAt: Millis | null;
  /** When the newest message in either direction was sent. */
  readonly lastMessageAt: Millis | null;
  /** When the URL of the person's picture expires or expired. */
  readonly pictureEndsAt: Millis | null;
}

/** A conversation's head as stored. */
export interface HeadItem extends Key {
  readonly [A.feedPosition]: string;
  readonly [A.lastAt]: Millis;
  readonly [A.lastInboundAt]?: Millis;
  readonly [A.lastOutboundAt]?: Millis;
  readonly [A.lastDirection]: Direction;
  readonly [A.lastMessageHash]: string;
  readonly [A.lastText]: string;
  readonly [A.lastVersion]: number;
  readonly [A.accountHandle]: string;
  readonly [A.handle]?: string;
  readonly [A.username]?: string;
  readonly [A.name]?: string;
  readonly [A.picture]?: string;
  readonly [A.pictureEndsAt]?: Millis;
  readonly [A.profileFetchedAt]?: Millis;
  readonly [A.profileState]?: ProfileState;
  readonly [A.erasedAt]?: Millis;
  readonly [A.pendingMessages]?: ReadonlySet<string>;
}

/** A person without a user name has their name as handle. */
function readName(item: Partial<HeadItem>): string | null {
  return item[A.name] ?? (item[A.username] === undefined ? (item[A.handle] ?? null) : null);
}

/** Throws when the head belongs to another tenant. */
export function toHead(tenant: TenantId, item: HeadItem, now: Millis): ConversationHead {
  const ref = parseConversationId(tenant, item.PK);
  if (!ref) throw new Error("Conversation belongs to another tenant.");
  const { [A.pictureEndsAt]: pictureEndsAt } = item;
  return {
    id: item.PK,
    ref,
    accountHandle: item[A.accountHandle],
    participantHandle: item[A.handle] ?? item[A.username] ?? null,
    participantUsername: item[A.username] ?? null,
    participantName: readName(item),
    participantPicture: pictureEndsAt !== undefined && pictureEndsAt > now ? (item[A.picture] ?? null) : null,
    participantProfile: item[A.profileState] ?? "pending",
    participantProfileAt: item[A.profileFetchedAt] ?? null,
    lastInboundAt: item[A.lastInboundAt] ?? null,
    lastOutboundAt: item[A.lastOutboundAt] ?? null,
    lastAt: item[A.lastAt],
    lastDirection: item[A.lastDirection],
    lastMessageText: item[A.lastText],
  };
}

/** A head without a last message stands for no conversation: it is new or erased. */
export function toLiveHead(tenant: TenantId, item: HeadItem, now: Millis): ConversationHead | null {
  const { [A.lastAt]: lastAt } = item;
  return lastAt === undefined || isConversationExpired(lastAt, now) ? null : toHead(tenant, item, now);
}

export function toSnapshot(item: Partial<HeadItem>): ConversationSnapshot {
  return {
    exists: item[A.lastAt] !== undefined,
    erasedAt: item[A.erasedAt] ?? null,
    pendingMessageIds: item[A.pendingMessages] ?? new Set(),
    handle: item[A.handle] ?? item[A.username] ?? null,
    username: item[A.username] ?? null,
    name: readName(item),
    profile: item[A.profileState] ?? "pending",
    profileFetchedAt: item[A.profileFetchedAt] ?? null,
    lastInboundAt: item[A.lastInboundAt] ?? null,
    lastMessageAt: item[A.lastAt] ?? null,
    pictureEndsAt: item[A.pictureEndsAt] ?? null,
  };
}
