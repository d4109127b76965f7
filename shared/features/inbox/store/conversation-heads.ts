import { shortHash } from "#base/kernel/bytes.ts";
import { LAST_MESSAGE_TEXT_CHARS_MAX, RETENTION } from "#base/kernel/limits.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import type { Millis } from "#base/kernel/time.ts";
import type { Table } from "#base/table/client.ts";
import { conditionalWrite } from "#base/table/conditional-write.ts";
import {
  above,
  absentOr,
  allOf,
  anyOf,
  atMost,
  below,
  type Expression,
  equals,
  isAbsent,
  isPresent,
  storedOr,
} from "#base/table/expressions.ts";
import { type Key, timeToLive } from "#base/table/keys.ts";
import { update } from "#base/table/writes.ts";
import {
  type AttachmentType,
  type ConversationHead,
  currentText,
  type Direction,
  isConversationExpired,
  type Message,
  messageVersion,
  type ProfileState,
  parseConversationId,
} from "../rules/messages.ts";
import { headAttributes as A } from "./attributes.ts";
import { feedShard, headKey, inboxFeed, inboxPosition } from "./items.ts";

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
  readonly [A.lastKind]?: AttachmentType;
  /** Removed by an answer. A late one may leave it: it counts only after the last outbound message. */
  readonly [A.waitingSince]?: Millis;
  /** Of the shown message, unless it is inbound: the `waitingSince` that it removed, or 0. */
  readonly [A.answersSince]?: Millis;
  /** When a person marked the last inbound message as done. A newer message of either side removes it. */
  readonly [A.doneAt]?: Millis;
  /** When a person removed that mark. A newer message removes this, too. */
  readonly [A.undoneAt]?: Millis;
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
    lastMessageKind: item[A.lastKind] ?? "text",
    waitingSince: readWaitingSince(item),
    doneAt: item[A.lastDirection] === "inbound" ? (item[A.doneAt] ?? null) : null,
    undoneAt: item[A.lastDirection] === "inbound" ? (item[A.undoneAt] ?? null) : null,
  };
}

/**
 * A head that an earlier version stored has no such time, and one whose answer came late has one from before it: then the
 * last inbound message counts.
 */
function readWaitingSince(item: Partial<HeadItem>): Millis | null {
  if (item[A.lastDirection] !== "inbound") return null;
  const { [A.waitingSince]: since, [A.lastInboundAt]: lastInboundAt = null, [A.lastOutboundAt]: lastOutboundAt } = item;
  return since !== undefined && since > (lastOutboundAt ?? Number.NEGATIVE_INFINITY) ? since : lastInboundAt;
}

/** @param hasAdvanced whether this run made the head show the message */
function readAnswersSince(message: Message, previous: Partial<HeadItem>, hasAdvanced: boolean): Millis | null {
  // The message of an earlier run, or the echo of a send that was not matched to it then.
  if (previous[A.lastMessageHash] === shortHash(message.id)) return previous[A.answersSince] || null;
  return hasAdvanced ? readWaitingSince(previous) : null;
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

/** The state of a head before a message advanced it. */
export interface HeadAdvance {
  /** There was no conversation: the message started it, if it may. */
  readonly started: boolean;
  readonly snapshot: ConversationSnapshot;
  /**
   * Since when the person had waited for the message. Null where it answers no message, and for the answer of an earlier run
   * that another message has followed since.
   */
  readonly answersSince: Millis | null;
}

/** The inbox in which a head is listed. */
export interface InboxTarget {
  readonly accountHandle: string;
  /** The number of shards of the tenant's feeds. */
  readonly shards: number;
  /** Whether the message may start a conversation. Default: true */
  readonly mayStart?: boolean;
  /** When the conversation was last erased, if known. A new head stores it. */
  readonly erasedAt?: Millis | null;
  /** The expiry of the head's picture as it was read, when that is over. The expired picture is then removed. */
  readonly expiredPictureEndsAt?: Millis | null;
}

/** The writes that keep a conversation's head up to its newest message. */
export function headAdvances(table: Table) {
  /** A message that came late is among those that wait: the first of them counts. */
  async function moveWaitingBack(key: Key, sentAt: Millis, previous: Partial<HeadItem>): Promise<void> {
    const since = previous[A.lastDirection] === "inbound" ? previous[A.waitingSince] : undefined;
    if (since === undefined || since <= sentAt || sentAt <= (previous[A.lastOutboundAt] ?? 0)) return;
    const isFirst = allOf(
      equals(A.lastDirection, "inbound"),
      above(A.waitingSince, sentAt),
      absentOr(below, A.lastOutboundAt, sentAt),
      notErasedSince(sentAt),
    );
    await conditionalWrite(table, update(key, { set: { [A.waitingSince]: sentAt } }, isFirst));
  }

  return {
    /**
     * Advances a conversation's head to a message. Safe to repeat and to call in any order: the head shows the newest
     * message in either direction, and `last_inbound_at` and `last_outbound_at` never move backwards. Of two messages
     * at the same instant the same one always wins; a send wins over its own echo. A message that the head already
     * shows is not applied again, so that its later changes stay. A message from before the erasure never shows.
     *
     * A newer message of either side ends `done_at`. `waiting_since` is the first inbound message after the last outbound
     * one, for every order in which they come, but for an outbound message that comes after inbound ones that are newer: then it is
     * at most as late as the last of those.
     */
    async advanceHead(tenant: TenantId, message: Message, inbox: InboxTarget): Promise<HeadAdvance> {
      const { sentAt } = message;
      const sideAttribute = message.direction === "inbound" ? A.lastInboundAt : A.lastOutboundAt;
      const key = headKey(message.conversationId);
      const newestMessage = {
        [A.lastAt]: sentAt,
        [sideAttribute]: sentAt,
        [A.lastDirection]: message.direction,
        [A.lastMessageHash]: shortHash(message.id),
        [A.lastText]: firstChars(currentText(message)),
        [A.lastVersion]: messageVersion(message),
        [A.lastKind]: storedKind(message),
        [A.waitingSince]: message.direction === "inbound" ? storedOr(A.waitingSince, sentAt) : undefined,
        // An outbound message removes `waitingSince`. Its value is copied here, so that a repetition of the run reads it.
        [A.answersSince]: message.direction === "inbound" ? undefined : storedOr(A.waitingSince, 0),
        [A.doneAt]: undefined,
        [A.undoneAt]: undefined,
        [A.feed]: inboxFeed(tenant, feedShard(message.conversationId, inbox.shards)),
        [A.feedPosition]: inboxPosition(sentAt, message.conversationId),
        [A.ttl]: timeToLive(sentAt + RETENTION),
        [A.accountHandle]: inbox.accountHandle,
        ...((inbox.erasedAt ?? null) !== null ? { [A.erasedAt]: storedOr(A.erasedAt, inbox.erasedAt) } : {}),
      };
      const mayStart = inbox.mayStart === false ? [isPresent(A.lastAt)] : [];
      const isShownNext = allOf(notErasedSince(sentAt), isNewerThanShown(message), ...mayStart);
      const advance = (expiredPicture: Millis | null) =>
        conditionalWrite<Partial<HeadItem>>(
          table,
          expiredPicture === null
            ? update(key, { set: newestMessage }, isShownNext, "ALL_OLD")
            : update(
                key,
                { set: newestMessage, remove: [A.picture, A.pictureEndsAt] },
                allOf(isShownNext, pictureIsAsSeen(expiredPicture)),
                "ALL_OLD",
              ),
        );
      const expiredPicture = inbox.expiredPictureEndsAt ?? null;
      const first = await advance(expiredPicture);
      const hasNewPicture =
        !first.applied &&
        expiredPicture !== null &&
        (first.current?.[A.pictureEndsAt] ?? expiredPicture) !== expiredPicture;
      const result = hasNewPicture ? await advance(null) : first;
      const previous = (result.applied ? result.item : result.current) ?? {};
      const headAdvance: HeadAdvance = {
        started: previous[A.lastAt] === undefined,
        snapshot: toSnapshot(previous),
        answersSince: message.direction === "inbound" ? null : readAnswersSince(message, previous, result.applied),
      };
      const { erasedAt } = headAdvance.snapshot;
      if (result.applied || !result.current || (erasedAt !== null && sentAt <= erasedAt)) return headAdvance;
      if ((previous[sideAttribute] ?? Number.NEGATIVE_INFINITY) >= sentAt) {
        if (message.direction === "inbound") await moveWaitingBack(key, sentAt, previous);
        return headAdvance;
      }
      const advancesSide = allOf(isPresent(A.lastAt), notErasedSince(sentAt), absentOr(below, sideAttribute, sentAt));
      if (message.direction !== "inbound" && previous[A.lastDirection] === "inbound") {
        // An answer that comes late: of the messages after it, the last one is known to wait.
        const waiting = { [sideAttribute]: sentAt, [A.waitingSince]: previous[A.lastInboundAt] };
        const stillWaits = allOf(advancesSide, equals(A.lastDirection, "inbound"), atMost(A.waitingSince, sentAt));
        if ((await conditionalWrite(table, update(key, { set: waiting }, stillWaits))).applied) {
          const since = readWaitingSince(previous);
          return { ...headAdvance, answersSince: since !== null && since <= sentAt ? since : null };
        }
      }
      await conditionalWrite(table, update(key, { set: { [sideAttribute]: sentAt } }, advancesSide));
      return headAdvance;
    },

    /**
     * Shows a message's current text if the head shows an older version of it.
     * @returns false when the head does not show this message yet: advance the head, then refresh again
     */
    async refreshPreview(message: Message): Promise<boolean> {
      const messageHash = shortHash(message.id);
      const version = messageVersion(message);
      const showsOlderVersion = allOf(
        equals(A.lastAt, message.sentAt),
        equals(A.lastMessageHash, messageHash),
        below(A.lastVersion, version),
      );
      const preview = {
        [A.lastText]: firstChars(currentText(message)),
        [A.lastVersion]: version,
        [A.lastKind]: storedKind(message),
      };
      const result = await conditionalWrite<HeadItem>(
        table,
        update(headKey(message.conversationId), { set: preview }, showsOlderVersion),
      );
      if (result.applied) return true;
      const { [A.lastAt]: lastAt, [A.lastMessageHash]: shownHash } = (result.current ?? {}) as Partial<HeadItem>;
      return (
        lastAt !== undefined && (lastAt > message.sentAt || (lastAt === message.sentAt && shownHash === messageHash))
      );
    },
  };
}

/** The kind that the preview names; undefined for a text. An unsent message has no attachments any more. */
function storedKind({ attachments, unsentAt }: Message): AttachmentType | undefined {
  return unsentAt === undefined ? attachments[0]?.type : undefined;
}

/** The conversation was not erased at this instant or later. */
function notErasedSince(at: Millis): Expression {
  return absentOr(below, A.erasedAt, at);
}

/** The message is newer than the one that the head shows. */
function isNewerThanShown({ sentAt, direction, id }: Message): Expression {
  return anyOf(
    isAbsent(A.lastAt),
    below(A.lastAt, sentAt),
    allOf(
      equals(A.lastAt, sentAt),
      // The directions sort as they must: echo, inbound, outbound.
      anyOf(
        below(A.lastDirection, direction),
        allOf(equals(A.lastDirection, direction), below(A.lastMessageHash, shortHash(id))),
      ),
    ),
  );
}

/** No newer picture has been stored since this one was read. */
function pictureIsAsSeen(endsAt: Millis): Expression {
  return anyOf(isAbsent(A.pictureEndsAt), equals(A.pictureEndsAt, endsAt));
}

/** Cuts by code points, so that no character is split. */
function firstChars(text: string): string {
  return text.length <= LAST_MESSAGE_TEXT_CHARS_MAX ? text : [...text].slice(0, LAST_MESSAGE_TEXT_CHARS_MAX).join("");
}
