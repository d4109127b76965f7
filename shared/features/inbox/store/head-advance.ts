import { shortHash } from "#base/kernel/bytes.ts";
import { LAST_MESSAGE_TEXT_CHARS_MAX, RETENTION } from "#base/kernel/limits.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import type { Millis } from "#base/kernel/time.ts";
import type { Table } from "#base/table/client.ts";
import { conditionalWrite } from "#base/table/conditional-write.ts";
import {
  absentOr,
  allOf,
  anyOf,
  below,
  type Expression,
  equals,
  isAbsent,
  isPresent,
  storedOr,
} from "#base/table/expressions.ts";
import { timeToLive } from "#base/table/keys.ts";
import { update } from "#base/table/writes.ts";
import { currentText, type Message, messageVersion } from "../rules/messages.ts";
import { headAttributes as A } from "./attributes.ts";
import { type ConversationSnapshot, type HeadItem, toSnapshot } from "./head-items.ts";
import { feedShard, headKey, inboxFeed, inboxPosition } from "./keys.ts";

/** The state of a head before a message advanced it. */
export interface HeadAdvance {
  /** There was no conversation: the message started it, if it may. */
  readonly started: boolean;
  readonly snapshot: ConversationSnapshot;
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
  return {
    /**
     * Advances a conversation's head to a message. Safe to repeat and to call in any order: the head shows the newest
     * message in either direction, and `last_inbound_at` and `last_outbound_at` never move backwards. Of two messages
     * at the same instant the same one always wins; a send wins over its own echo. A message that the head already
     * shows is not applied again, so that its later changes stay. A message from before the erasure never shows.
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
      const headAdvance: HeadAdvance = { started: previous[A.lastAt] === undefined, snapshot: toSnapshot(previous) };
      const { erasedAt } = headAdvance.snapshot;
      if (result.applied || !result.current || (erasedAt !== null && sentAt <= erasedAt)) return headAdvance;
      if ((previous[sideAttribute] ?? Number.NEGATIVE_INFINITY) >= sentAt) return headAdvance;
      const advancesSide = allOf(isPresent(A.lastAt), notErasedSince(sentAt), absentOr(below, sideAttribute, sentAt));
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
      const preview = { [A.lastText]: firstChars(currentText(message)), [A.lastVersion]: version };
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
