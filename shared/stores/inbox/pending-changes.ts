import { BatchGetCommand, GetCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import type { Edit } from "../../domain/inbox/messages.ts";
import { RETENTION } from "../../domain/limits.ts";
import { shortHash } from "../../kernel/bytes.ts";
import type { Millis } from "../../kernel/time.ts";
import type { Table } from "../client.ts";
import { whenConditionHolds } from "../conditional-write.ts";
import { earlyChangeKey, headKey, type Key, timeToLive } from "../keys.ts";

/** What is to become of a message that has not come yet. Of one that is unsent the edit has its count alone. */
export interface EarlyChange {
  readonly unsentAt: Millis | null;
  readonly edit: Edit | null;
}

/**
 * A head names at most this many messages that are waited for: each is 25 bytes of what every message of the
 * conversation reads and writes. Most of them never come, being older than the account's connection.
 */
export const AWAITED_MAX = 12;

export type EarlyChanges = ReturnType<typeof earlyChangeStore>;

/**
 * Changes that come before their message: each is an item of its own, and its conversation's head says so to whoever
 * brings the message. The item is always written first, so that who sees the mark finds what it stands for.
 */
export function earlyChangeStore({ client, name: TableName }: Table) {
  return {
    /** @returns what is now to become of the message */
    async unsend(conversationId: string, messageId: string, at: Millis, now: Millis): Promise<EarlyChange> {
      const { Attributes } = await client.send(
        new UpdateCommand({
          TableName,
          Key: earlyChangeKey(conversationId, shortHash(messageId)),
          UpdateExpression: "SET un = if_not_exists(un, :at), ca = :now, x = :x REMOVE et",
          ExpressionAttributeValues: { ":at": at, ":now": now, ":x": timeToLive(now + RETENTION) },
          ReturnValues: "ALL_NEW",
        }),
      );
      return changeOf(Attributes as EarlyItem);
    },

    /** Notes an edit, unless the message is to be unsent or a later edit waits. @returns what is to become of it now */
    async edit(conversationId: string, messageId: string, edit: Edit, now: Millis): Promise<EarlyChange> {
      const noted = await whenConditionHolds(() =>
        client.send(
          new UpdateCommand({
            TableName,
            Key: earlyChangeKey(conversationId, shortHash(messageId)),
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
      return noted.held || !noted.old ? { unsentAt: null, edit } : changeOf(noted.old as unknown as EarlyItem);
    },

    /** What waits for a message, read consistently; null when nothing does. */
    async get(conversationId: string, messageId: string): Promise<EarlyChange | null> {
      const { Item } = await client.send(
        new GetCommand({
          TableName,
          Key: earlyChangeKey(conversationId, shortHash(messageId)),
          ConsistentRead: true,
        }),
      );
      return Item ? changeOf(Item as EarlyItem) : null;
    },

    /** Says on the conversation's head that a message is waited for. Where too many are, the oldest give way. */
    async await(conversationId: string, messageId: string, now: Millis): Promise<void> {
      const mark = shortHash(messageId);
      for (;;) {
        const marked = await whenConditionHolds(() =>
          client.send(
            new UpdateCommand({
              TableName,
              Key: headKey(conversationId),
              // The head must outlive the mark.
              UpdateExpression: "ADD aw :marks SET x = :x",
              ConditionExpression: "attribute_not_exists(aw) OR contains(aw, :mark) OR size(aw) < :max",
              ExpressionAttributeValues: {
                ":marks": new Set([mark]),
                ":mark": mark,
                ":max": AWAITED_MAX,
                ":x": timeToLive(now + RETENTION),
              },
              ReturnValuesOnConditionCheckFailure: "ALL_OLD",
            }),
          ),
        );
        if (marked.held) return;
        await makeRoom(conversationId, [...((marked.old?.aw as ReadonlySet<string> | undefined) ?? [])]);
      }
    },

    /** The message came, and what waited for it is done. The item stays until its end of life. */
    async settle(conversationId: string, messageId: string): Promise<void> {
      await forgetMarks(conversationId, [shortHash(messageId)]);
    },
  };

  async function makeRoom(conversationId: string, marks: readonly string[]): Promise<void> {
    const { Responses } = await client.send(
      new BatchGetCommand({
        RequestItems: { [TableName]: { Keys: marks.map((mark) => earlyChangeKey(conversationId, mark)) } },
      }),
    );
    const notedAt = new Map(((Responses?.[TableName] ?? []) as EarlyItem[]).map(({ SK, ca }) => [SK.slice(2), ca]));
    const oldestFirst = [...marks].sort((a, b) => (notedAt.get(a) ?? 0) - (notedAt.get(b) ?? 0));
    await forgetMarks(conversationId, oldestFirst.slice(0, AWAITED_MAX / 2));
  }

  async function forgetMarks(conversationId: string, marks: readonly string[]): Promise<void> {
    await whenConditionHolds(() =>
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

interface EarlyItem extends Key {
  readonly un?: Millis;
  readonly et?: string;
  readonly ec?: number;
  /** When the newest change was noted. */
  readonly ca: Millis;
}

function changeOf({ un, et, ec }: EarlyItem): EarlyChange {
  return { unsentAt: un ?? null, edit: ec === undefined ? null : { text: et ?? "", count: ec } };
}
