import { GetCommand } from "@aws-sdk/lib-dynamodb";
import { shortHash } from "#base/kernel/bytes.ts";
import { RETENTION } from "#base/kernel/limits.ts";
import { HOUR, type Millis } from "#base/kernel/time.ts";
import { batchGet } from "#base/table/batches.ts";
import type { Table } from "#base/table/client.ts";
import { conditionalWrite } from "#base/table/conditional-write.ts";
import {
  above,
  absentOr,
  allOf,
  anyOf,
  atMost,
  below,
  isAbsent,
  isPresent,
  setContains,
  sizeBelow,
  storedOr,
} from "#base/table/expressions.ts";
import { type Key, timeToLive } from "#base/table/keys.ts";
import { remove, sendWrite, update } from "#base/table/writes.ts";
import type { Edit, Reaction } from "../rules/messages.ts";
import { pendingChangeAttributes as A, headAttributes as Head } from "./attributes.ts";
import {
  hasReactions,
  headKey,
  isNewestReaction,
  pendingChangeKey,
  type ReactionFields,
  reactionAttributeNames,
  readReactions,
  toReactionField,
} from "./items.ts";

/** The changes to apply to a message that has not arrived. Of an unsent message the edit has only its count. */
export interface PendingChange {
  readonly unsentAt: Millis | null;
  readonly edit: Edit | null;
  /** The newest of each side. */
  readonly reactions: readonly Reaction[];
}

/**
 * A head names at most this many pending messages: each is 25 bytes that every message of the conversation reads and
 * writes. Most of them never arrive, because they are older than the account's connection.
 */
export const PENDING_MESSAGES_MAX = 12;

/** A head that ends within this time ends at once when a pending message is named on it, as a purge ends it. */
const ENDING: Millis = HOUR;

/** What a head has of its newest message. */
const shownMessage = [
  Head.feed,
  Head.feedPosition,
  Head.lastAt,
  Head.lastDirection,
  Head.lastInboundAt,
  Head.lastMessageHash,
  Head.lastOutboundAt,
  Head.lastText,
  Head.lastVersion,
];

interface Marks {
  readonly [Head.pendingMessages]?: ReadonlySet<string>;
}

export type PendingChanges = ReturnType<typeof pendingChangeStore>;

/**
 * Changes that arrive before their message. Each is an item of its own, and the conversation's head names the message,
 * so that the worker that ingests it applies the change. The item is always written before the head, so that every
 * name on the head refers to an item.
 */
export function pendingChangeStore(table: Table) {
  const { client, name: TableName } = table;
  return {
    /**
     * Records that a message was unsent, if exactly these reactions are pending or it was recorded before.
     * @param change.reactions those that the caller has seen
     * @returns the changes that are pending now, not unsent where other reactions are
     */
    async unsend(
      conversationId: string,
      messageId: string,
      { at, reactions = [] }: { readonly at: Millis; readonly reactions?: readonly Reaction[] },
      now: Millis,
    ): Promise<PendingChange> {
      const set = {
        [A.unsentAt]: storedOr(A.unsentAt, at),
        [A.changedAt]: now,
        [A.ttl]: timeToLive(now + RETENTION),
      };
      const key = pendingChangeKey(conversationId, shortHash(messageId));
      const changes = { set, remove: [A.editText, A.editTruncated, A.editedAt, ...reactionAttributeNames] };
      const condition = anyOf(isPresent(A.unsentAt), hasReactions(reactions));
      const result = await conditionalWrite<PendingChangeItem>(table, update(key, changes, condition, "ALL_NEW"));
      const item = result.applied ? result.item : result.current;
      return item ? toPendingChange(item) : { unsentAt: at, edit: null, reactions: [] };
    },

    /**
     * Records a reaction or its removal, unless the message is unsent or a later one of the same side is pending.
     * @returns the changes that are pending now
     */
    async react(conversationId: string, messageId: string, reaction: Reaction, now: Millis): Promise<PendingChange> {
      const set = { ...toReactionField(reaction), [A.changedAt]: now, [A.ttl]: timeToLive(now + RETENTION) };
      const result = await conditionalWrite<PendingChangeItem>(
        table,
        update(
          pendingChangeKey(conversationId, shortHash(messageId)),
          { set },
          allOf(isAbsent(A.unsentAt), isNewestReaction(reaction)),
          "ALL_NEW",
        ),
      );
      const item = result.applied ? result.item : result.current;
      return item ? toPendingChange(item) : { unsentAt: null, edit: null, reactions: [reaction] };
    },

    /** Records an edit, unless the message is unsent or a later edit is pending. @returns the changes that are pending now */
    async edit(conversationId: string, messageId: string, edit: Edit, now: Millis): Promise<PendingChange> {
      const set = {
        [A.editText]: edit.text,
        [A.editTruncated]: edit.isTextTruncated,
        [A.editCount]: edit.count,
        [A.editedAt]: edit.at ?? undefined,
        [A.changedAt]: now,
        [A.ttl]: timeToLive(now + RETENTION),
      };
      const isNewestChange = allOf(isAbsent(A.unsentAt), absentOr(below, A.editCount, edit.count));
      const result = await conditionalWrite<PendingChangeItem>(
        table,
        update(pendingChangeKey(conversationId, shortHash(messageId)), { set }, isNewestChange),
      );
      return result.applied || !result.current
        ? { unsentAt: null, edit, reactions: [] }
        : toPendingChange(result.current);
    },

    /** The changes that are pending for a message, read consistently; null when there are none. */
    async get(conversationId: string, messageId: string): Promise<PendingChange | null> {
      const { Item } = await client.send(
        new GetCommand({
          TableName,
          Key: pendingChangeKey(conversationId, shortHash(messageId)),
          ConsistentRead: true,
        }),
      );
      return Item ? toPendingChange(Item as PendingChangeItem) : null;
    },

    /**
     * Names a pending message on the conversation's head, and leaves the end of a head that shows a message as it is. When
     * the head names too many, it drops those with reactions only, then the oldest.
     */
    async markPending(conversationId: string, messageId: string, now: Millis): Promise<void> {
      const messageHash = shortHash(messageId);
      const hasRoom = anyOf(
        isAbsent(Head.pendingMessages),
        setContains(Head.pendingMessages, messageHash),
        sizeBelow(Head.pendingMessages, PENDING_MESSAGES_MAX),
      );
      const add = { [Head.pendingMessages]: new Set([messageHash]) };
      const endsLater = above(Head.ttl, timeToLive(now + ENDING));
      // A head of no message, or of one that ends now, which goes with it.
      const set = { [Head.ttl]: timeToLive(now + RETENTION) };
      const endsNow = absentOr(atMost, Head.ttl, timeToLive(now + ENDING));
      const onLasting = update(headKey(conversationId), { add }, allOf(hasRoom, endsLater));
      const onEnding = update(headKey(conversationId), { add, set, remove: shownMessage }, allOf(hasRoom, endsNow));
      for (;;) {
        const lasting = await conditionalWrite<Marks>(table, onLasting);
        const result = lasting.applied ? lasting : await conditionalWrite<Marks>(table, onEnding);
        if (result.applied) return;
        const marks = [...(result.current?.[Head.pendingMessages] ?? [])];
        if (marks.length >= PENDING_MESSAGES_MAX) await dropOldestMarks(conversationId, marks);
      }
    },

    /**
     * Removes the changes of a message that will not be stored: its name on the head first, because it refers to them.
     */
    async remove(conversationId: string, messageId: string): Promise<void> {
      const messageHash = shortHash(messageId);
      await removeMarks(conversationId, [messageHash]);
      await sendWrite(table, remove(pendingChangeKey(conversationId, messageHash)));
    },

    /** Removes a message from the head: it arrived, and its changes are applied. The item stays until it expires. */
    async clearPending(conversationId: string, messageId: string): Promise<void> {
      await removeMarks(conversationId, [shortHash(messageId)]);
    },
  };

  async function dropOldestMarks(conversationId: string, marks: readonly string[]): Promise<void> {
    const keys = marks.map((mark) => pendingChangeKey(conversationId, mark));
    // Consistently: an item that is not visible yet is among the newest.
    const items = await batchGet<PendingChangeItem>(table, keys, { consistent: true });
    const ranks = new Map(items.map((item) => [item.SK.slice(2), importance(item)]));
    const rankOf = (mark: string) => ranks.get(mark) ?? 0;
    const leastImportantFirst = [...marks].sort((a, b) => rankOf(a) - rankOf(b));
    await removeMarks(conversationId, leastImportantFirst.slice(0, PENDING_MESSAGES_MAX / 2));
  }

  async function removeMarks(conversationId: string, marks: readonly string[]): Promise<void> {
    const changes = { deleteFrom: { [Head.pendingMessages]: new Set(marks) } };
    // An update without the condition would create the head of an erased conversation again.
    await conditionalWrite(table, update(headKey(conversationId), changes, isPresent(Head.pendingMessages)));
  }
}

interface PendingChangeItem extends Key, ReactionFields {
  readonly [A.unsentAt]?: Millis;
  readonly [A.editText]?: string;
  readonly [A.editTruncated]?: true;
  readonly [A.editCount]?: number;
  readonly [A.editedAt]?: Millis;
  /** When the newest change was recorded. */
  readonly [A.changedAt]: Millis;
}

/** Grows with time. A reaction matters less than any edit or unsend: it leaves no text that should be gone. */
function importance({
  [A.changedAt]: changedAt,
  [A.unsentAt]: unsentAt,
  [A.editCount]: edits,
}: PendingChangeItem): number {
  return unsentAt === undefined && edits === undefined ? changedAt - Number.MAX_SAFE_INTEGER : changedAt;
}

function toPendingChange(item: PendingChangeItem): PendingChange {
  const { [A.unsentAt]: unsentAt = null, [A.editText]: text = "", [A.editCount]: count } = item;
  const truncation = item[A.editTruncated] ? { isTextTruncated: true as const } : {};
  const edit = count === undefined ? null : { text, ...truncation, count, at: item[A.editedAt] ?? null };
  return { unsentAt, edit, reactions: readReactions(item) };
}
