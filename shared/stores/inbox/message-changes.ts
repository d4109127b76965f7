import { QueryCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { table as names } from "../../config/names.ts";
import type { Edit, Message, MessageRef } from "../../domain/inbox/messages.ts";
import { shortHash } from "../../kernel/bytes.ts";
import type { TenantId } from "../../kernel/tenant.ts";
import type { Millis } from "../../kernel/time.ts";
import type { Table } from "../client.ts";
import { conditionalWrite, conditions } from "../conditional-write.ts";
import { type Key, messageIdIndex, messageKey, positionTime } from "../keys.ts";
import { itemPosition, type MessageItem, toMessage } from "./message-items.ts";

/** A message that was not told of by the index lies among this many newest ones, or has not come yet. */
const NEWEST_EXAMINED = 200;

export type MessageChanges = ReturnType<typeof messageChangeStore>;

/** What becomes of a message after it was kept. */
export function messageChangeStore({ client, name: TableName }: Table) {
  async function find(tenant: TenantId, conversationId: string, messageId: string): Promise<MessageRef | null> {
    const { Items = [] } = await client.send(
      new QueryCommand({
        TableName,
        IndexName: names.idIndex.name,
        KeyConditionExpression: "i = :i",
        ExpressionAttributeValues: { ":i": messageIdIndex(tenant, messageId) },
      }),
    );
    const key = (Items as Key[]).find(({ PK }) => PK === conversationId);
    return key ? { conversationId, position: itemPosition(key) } : null;
  }

  return {
    /** Where a message lies, by the index, which may be a second behind; null when that does not know. */
    find,

    /** When a message was sent that the same index knows. */
    async getSentAt(tenant: TenantId, conversationId: string, messageId: string): Promise<Millis | null> {
      const ref = await find(tenant, conversationId, messageId);
      return ref && positionTime(ref.position);
    },

    /** The same among the conversation's newest messages, read consistently. */
    async findAmongNewest(conversationId: string, messageId: string): Promise<MessageRef | null> {
      const { Items = [] } = await client.send(
        new QueryCommand({
          TableName,
          KeyConditionExpression: "PK = :c AND begins_with(SK, :m)",
          ExpressionAttributeValues: { ":c": conversationId, ":m": "M#" },
          ProjectionExpression: "PK, SK",
          ScanIndexForward: false,
          Limit: NEWEST_EXAMINED,
          ConsistentRead: true,
        }),
      );
      const tail = `#${shortHash(messageId)}`;
      const key = (Items as Key[]).find(({ SK }) => SK.endsWith(tail));
      return key ? { conversationId, position: itemPosition(key) } : null;
    },

    /**
     * Empties a message's row. The row itself stays until its end of life, known by its id and seen by no reader, so
     * that the message does not come back when its webhook does. Safe to repeat.
     * @returns the message as it stands; null when there is no row
     */
    async unsend(tenant: TenantId, ref: MessageRef, at: Millis): Promise<Message | null> {
      const result = await conditionalWrite(() =>
        client.send(
          new UpdateCommand({
            TableName,
            Key: messageKey(ref.conversationId, ref.position),
            UpdateExpression: "SET un = if_not_exists(un, :at) REMOVE F, G, t, a, et, h, u, r",
            ConditionExpression: conditions.itemExists,
            ExpressionAttributeValues: { ":at": at },
            ReturnValues: "ALL_NEW",
          }),
        ),
      );
      return result.applied ? toMessage(tenant, result.output.Attributes as MessageItem) : null;
    },

    /**
     * Gives a message a newer text, unless it was unsent or a later edit is known. Safe to repeat and in any order.
     * @returns the message as it stands; null when there is no row
     */
    async edit(tenant: TenantId, ref: MessageRef, edit: Edit): Promise<Message | null> {
      const result = await conditionalWrite(() =>
        client.send(
          new UpdateCommand({
            TableName,
            Key: messageKey(ref.conversationId, ref.position),
            UpdateExpression: "SET et = :text, ec = :count",
            ConditionExpression:
              "attribute_exists(PK) AND attribute_not_exists(un) AND (attribute_not_exists(ec) OR ec < :count)",
            ExpressionAttributeValues: { ":text": edit.text, ":count": edit.count },
            ReturnValues: "ALL_NEW",
            ReturnValuesOnConditionCheckFailure: "ALL_OLD",
          }),
        ),
      );
      const item = result.applied ? result.output.Attributes : result.current;
      return item ? toMessage(tenant, item as unknown as MessageItem) : null;
    },
  };
}
