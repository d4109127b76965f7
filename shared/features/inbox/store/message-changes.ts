import { QueryCommand } from "@aws-sdk/lib-dynamodb";
import { table as names } from "#base/config/names.ts";
import { shortHash } from "#base/kernel/bytes.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import type { Millis } from "#base/kernel/time.ts";
import type { Table } from "#base/table/client.ts";
import { conditionalWrite } from "#base/table/conditional-write.ts";
import {
  absentOr,
  allOf,
  anyOf,
  below,
  type Changes,
  type Expression,
  isAbsent,
  isPresent,
  itemExists,
  storedOr,
} from "#base/table/expressions.ts";
import { type Key, positionTime } from "#base/table/keys.ts";
import { update } from "#base/table/writes.ts";
import type { Edit, Message, MessageRef, Reaction } from "../rules/messages.ts";
import { messageAttributes as A } from "./attributes.ts";
import {
  contextAttributes,
  hasReactions,
  isNewestReaction,
  itemPosition,
  type MessageItem,
  messageIdIndex,
  messageKey,
  nameAttributes,
  toMessage,
  toReactionField,
} from "./items.ts";

/** A message that the index does not know yet is among this many newest ones, or has not arrived. */
const NEWEST_EXAMINED = 200;

export type MessageChanges = ReturnType<typeof messageChangeStore>;

/** Changes of stored messages. */
export function messageChangeStore(table: Table) {
  const { client, name: TableName } = table;
  async function find(tenant: TenantId, conversationId: string, messageId: string): Promise<MessageRef | null> {
    const { Items = [] } = await client.send(
      new QueryCommand({
        TableName,
        IndexName: names.idIndex.name,
        KeyConditionExpression: `${A.idIndex} = :i`,
        ExpressionAttributeValues: { ":i": messageIdIndex(tenant, messageId) },
      }),
    );
    const key = (Items as Key[]).find(({ PK }) => PK === conversationId);
    return key ? { conversationId, position: itemPosition(key) } : null;
  }

  /** @returns the message as it is stored, also where the condition refuses the change; null when there is no row */
  async function change(
    tenant: TenantId,
    { conversationId, position }: MessageRef,
    changes: Changes,
    condition: Expression,
  ): Promise<Message | null> {
    const write = update(messageKey(conversationId, position), changes, condition, "ALL_NEW");
    const result = await conditionalWrite<MessageItem>(table, write);
    const item = result.applied ? result.item : result.current;
    return item ? toMessage(tenant, item) : null;
  }

  return {
    /** The position of a message by the index, which may be a second behind; null when the index does not know it. */
    find,

    /** When a message was sent, by the same index. */
    async getSentAt(tenant: TenantId, conversationId: string, messageId: string): Promise<Millis | null> {
      const ref = await find(tenant, conversationId, messageId);
      return ref && positionTime(ref.position);
    },

    /** The position of a message among the conversation's newest ones, read consistently. */
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
     * Removes a message's content, if it has exactly these reactions or is unsent already. The row stays until it expires,
     * so that readers show it as unsent and a repeated webhook cannot restore the message. Safe to repeat.
     * @param reactions those that the caller has seen
     * @returns the message as it is stored, not unsent where it has other reactions; null when there is no row
     */
    async unsend(
      tenant: TenantId,
      ref: MessageRef,
      { at, reactions = [] }: { readonly at: Millis; readonly reactions?: readonly Reaction[] },
    ): Promise<Message | null> {
      const changes = {
        set: { [A.unsentAt]: storedOr(A.unsentAt, at) },
        remove: [A.text, A.editText, ...nameAttributes, ...contextAttributes],
      };
      const condition = allOf(itemExists, anyOf(isPresent(A.unsentAt), hasReactions(reactions)));
      return change(tenant, ref, changes, condition);
    },

    /**
     * Stores a reaction or its removal, unless the message was unsent or a later one of the same side is stored. Safe to
     * repeat and to call in any order.
     * @returns the message as it is stored; null when there is no row
     */
    async react(tenant: TenantId, ref: MessageRef, reaction: Reaction): Promise<Message | null> {
      const condition = allOf(itemExists, isAbsent(A.unsentAt), isNewestReaction(reaction));
      return change(tenant, ref, { set: toReactionField(reaction) }, condition);
    },

    /**
     * Gives a message a newer text, unless it was unsent or a later edit is stored. Safe to repeat and to call in any
     * order.
     * @returns the message as it is stored; null when there is no row
     */
    async edit(tenant: TenantId, ref: MessageRef, edit: Edit): Promise<Message | null> {
      const set = {
        [A.editText]: edit.text,
        [A.editTruncated]: edit.isTextTruncated,
        [A.editCount]: edit.count,
        [A.editedAt]: edit.at ?? undefined,
      };
      const condition = allOf(itemExists, isAbsent(A.unsentAt), absentOr(below, A.editCount, edit.count));
      return change(tenant, ref, { set }, condition);
    },
  };
}
