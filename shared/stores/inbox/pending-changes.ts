import { BatchGetCommand, GetCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import type { Edit } from "../../domain/inbox/messages.ts";
import { RETENTION } from "../../domain/limits.ts";
import { shortHash } from "../../kernel/bytes.ts";
import type { Millis } from "../../kernel/time.ts";
import type { Table } from "../client.ts";
import { conditionalWrite } from "../conditional-write.ts";
import { headKey, type Key, pendingChangeKey, timeToLive } from "../keys.ts";

/** What is to become of a message that has not come yet. Of one that is unsent the edit has its count alone. */
export interface PendingChange {
  readonly unsentAt: Millis | null;
  readonly edit: Edit | null;
}

/**
 * A head names at most this many messages that are waited for: each is 25 bytes of what every message of the
 * conversation reads and writes. Most of them never come, being older than the account's connection.
 */
export const PENDING_MESSAGES_MAX = 12;

export type PendingChanges = ReturnType<typeof pendingChangeStore>;

/**
 * Changes that come before their message: each is an item of its own, and its conversation's head says so to whoever
 * brings the message. The item is always written first, so that who sees the mark finds what it stands for.
 */
export function pendingChangeStore({ client, name: TableName }: Table) {
  return {
    /** @returns what is now to become of the message */
    async unsend(conversationId: string, messageId: string, at: Millis, now: Millis): Promise<PendingChange> {
      const { Attributes } = await client.send(
        new UpdateCommand({
          TableName,
          Key: pendingChangeKey(conversationId, shortHash(messageId)),
          UpdateExpression: "SET un = if_not_exists(un, :at), ca = :now, x = :x REMOVE et",
          ExpressionAttributeValues: { ":at": at, ":now": now, ":x": timeToLive(now + RETENTION) },
          ReturnValues: "ALL_NEW",
        }),
      );
      return toPendingChange(Attributes as PendingChangeItem);
    },

    /** Notes an edit, unless the message is to be unsent or a later edit waits. @returns what is to become of it now */
    async edit(conversationId: string, messageId: string, edit: Edit, now: Millis): Promise<PendingChange> {
      const result = await conditionalWrite(() =>
        client.send(
          new UpdateCommand({
            TableName,
            Key: pendingChangeKey(conversationId, shortHash(messageId)),
            UpdateExpression: "SET et = :text, ec = :count, ca = :now, x = :x",
            ConditionExpression: "attribute_not_exists(un) AND (attribute_not_exists(ec) OR ec < :count)",
            ExpressionAttributeValues: {
              ":text": edit.text,
              ":count": edit.count,
              ":now": now,
              ":x": timeToLive(now + RETENTION),
            },
            ReturnValuesOnConditionCheckFailure: "ALL_OLD",
          }),
        ),
      );
      return result.applied || !result.current
        ? { unsentAt: null, edit }
        : toPendingChange(result.current as unknown as PendingChangeItem);
    },

    /** What waits for a message, read consistently; null when nothing does. */
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

    /** Says on the conversation's head that a message is waited for. Where too many are, the oldest give way. */
    async markPending(conversationId: string, messageId: string, now: Millis): Promise<void> {
      const messageHash = shortHash(messageId);
      for (;;) {
        const result = await conditionalWrite(() =>
          client.send(
            new UpdateCommand({
              TableName,
              Key: headKey(conversationId),
              // The head must outlive the mark.
              UpdateExpression: "ADD aw :marks SET x = :x",
              ConditionExpression: "attribute_not_exists(aw) OR contains(aw, :mark) OR size(aw) < :max",
              ExpressionAttributeValues: {
                ":marks": new Set([messageHash]),
                ":mark": messageHash,
                ":max": PENDING_MESSAGES_MAX,
                ":x": timeToLive(now + RETENTION),
              },
              ReturnValuesOnConditionCheckFailure: "ALL_OLD",
            }),
          ),
        );
        if (result.applied) return;
        await dropOldestMarks(conversationId, [...((result.current?.aw as ReadonlySet<string> | undefined) ?? [])]);
      }
    },

    /** The message came, and what waited for it is done. The item stays until its end of life. */
    async clearPending(conversationId: string, messageId: string): Promise<void> {
      await removeMarks(conversationId, [shortHash(messageId)]);
    },
  };

  async function dropOldestMarks(conversationId: string, marks: readonly string[]): Promise<void> {
    const { Responses } = await client.send(
      new BatchGetCommand({
        RequestItems: { [TableName]: { Keys: marks.map((mark) => pendingChangeKey(conversationId, mark)) } },
      }),
    );
    const changedAt = new Map(
      ((Responses?.[TableName] ?? []) as PendingChangeItem[]).map(({ SK, ca }) => [SK.slice(2), ca]),
    );
    const oldestFirst = [...marks].sort((a, b) => (changedAt.get(a) ?? 0) - (changedAt.get(b) ?? 0));
    await removeMarks(conversationId, oldestFirst.slice(0, PENDING_MESSAGES_MAX / 2));
  }

  async function removeMarks(conversationId: string, marks: readonly string[]): Promise<void> {
    await conditionalWrite(() =>
      client.send(
        new UpdateCommand({
          TableName,
          Key: headKey(conversationId),
          UpdateExpression: "DELETE aw :marks",
          // A head that was erased meanwhile is not made anew.
          ConditionExpression: "attribute_exists(aw)",
          ExpressionAttributeValues: { ":marks": new Set(marks) },
        }),
      ),
    );
  }
}

interface PendingChangeItem extends Key {
  readonly un?: Millis;
  readonly et?: string;
  readonly ec?: number;
  /** When the newest change was noted. */
  readonly ca: Millis;
}

function toPendingChange({ un, et, ec }: PendingChangeItem): PendingChange {
  return { unsentAt: un ?? null, edit: ec === undefined ? null : { text: et ?? "", count: ec } };
}
