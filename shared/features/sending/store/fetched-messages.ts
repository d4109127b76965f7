import { QueryCommand } from "@aws-sdk/lib-dynamodb";
import type { TenantId } from "#base/kernel/tenant.ts";
import type { Millis } from "#base/kernel/time.ts";
import type { Table } from "#base/table/client.ts";
import { conditionalWrite } from "#base/table/conditional-write.ts";
import { absentOr, allOf, equals, itemExists } from "#base/table/expressions.ts";
import { t13 } from "#base/table/keys.ts";
import { update } from "#base/table/writes.ts";
import type { Message, MessageRef } from "#features/inbox/rules/messages.ts";
import { messageAttributes as A } from "#features/inbox/store/attributes.ts";
import { itemPosition, type MessageItem, messageKey, toMessage } from "#features/inbox/store/items.ts";

export type FetchedMessages = ReturnType<typeof fetchedMessageStore>;

/** A message that a platform named, and what it answers. */
export interface FetchedMessage {
  readonly message: Message;
  readonly ref: MessageRef;
  /** The send that it answers; null for none. */
  readonly answers: string | null;
}

/** The outbound messages that this service did not send, as far as the table knows: they were fetched, or came as echoes. */
export function fetchedMessageStore(table: Table) {
  const { client, name: TableName } = table;
  return {
    /** Those of a part of a conversation, oldest first. Reads consistently. */
    async list(
      tenant: TenantId,
      conversationId: string,
      { from, upTo }: { readonly from: Millis; readonly upTo: Millis },
    ): Promise<FetchedMessage[]> {
      const messages: FetchedMessage[] = [];
      let ExclusiveStartKey: Record<string, unknown> | undefined;
      do {
        const { Items = [], LastEvaluatedKey } = await client.send(
          new QueryCommand({
            TableName,
            KeyConditionExpression: "PK = :c AND SK BETWEEN :from AND :upTo",
            FilterExpression: `${A.sentVia} IN (:native, :other)`,
            ExpressionAttributeValues: {
              ":c": conversationId,
              ":from": `M#${t13(from)}`,
              ":upTo": `M#${t13(upTo)}~`,
              ":native": "native_app",
              ":other": "other_app",
            },
            ConsistentRead: true,
            ExclusiveStartKey,
          }),
        );
        for (const item of Items as FetchedItem[]) {
          const ref = { conversationId, position: itemPosition(item) };
          messages.push({ message: toMessage(tenant, item), ref, answers: item[A.answeredSend] ?? null });
        }
        ExclusiveStartKey = LastEvaluatedKey;
      } while (ExclusiveStartKey);
      return messages;
    },

    /** Has a message answer a send, unless it answers another one. Safe to repeat. @returns whether it answers this one */
    async claim({ conversationId, position }: MessageRef, send: string): Promise<boolean> {
      const isFree = allOf(itemExists, absentOr(equals, A.answeredSend, send));
      const key = messageKey(conversationId, position);
      return (await conditionalWrite(table, update(key, { set: { [A.answeredSend]: send } }, isFree))).applied;
    },
  };
}

interface FetchedItem extends MessageItem {
  readonly [A.answeredSend]?: string;
}
