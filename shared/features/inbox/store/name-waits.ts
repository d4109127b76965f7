import { QueryCommand } from "@aws-sdk/lib-dynamodb";
import { newOp, newUlid } from "#base/kernel/ids.ts";
import { RETENTION } from "#base/kernel/limits.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import type { Millis } from "#base/kernel/time.ts";
import type { Table } from "#base/table/client.ts";
import { conditionalTransaction, conditionalWrite } from "#base/table/conditional-write.ts";
import { absentOr, allOf, below, equals, isAbsent, isPresent, itemDoesNotExist } from "#base/table/expressions.ts";
import { oldestPosition, timeToLive } from "#base/table/keys.ts";
import { check, put, update } from "#base/table/writes.ts";
import type { Message, MessageRef, NameWait, Participant } from "../rules/messages.ts";
import { messageAttributes as A, waitClaimAttributes as ClaimA, headAttributes as Head } from "./attributes.ts";
import { headKey, itemPosition, type MessageItem, messageKey, toMessage, toNameFields, waitClaimKey } from "./items.ts";

/** A message and where it is stored. */
export interface PlacedMessage {
  readonly message: Message;
  readonly ref: MessageRef;
}

/** The result of an attempt to name a message. */
export interface NamedMessage {
  /** False where the wait had ended before, or the message is gone or unsent. */
  readonly named: boolean;
  /** The message as it is stored; null when there is no row. */
  readonly message: Message | null;
}

/** A person who just began to write has fewer messages. Those behind wait for no lookup. */
const FIRST_MESSAGES = 10;

export type NameWaits = ReturnType<typeof nameWaitStore>;

/**
 * The waits of messages for the person's name. A claim of the event ends the wait, once: with the name, in one transaction
 * with the row of the message, or without. The worker that delivers events may write no message.
 */
export function nameWaitStore(table: Table) {
  const { client, name: TableName } = table;
  function claim(tenant: TenantId, eventUlid: string, now: Millis) {
    const op = newOp(now);
    const item = { ...waitClaimKey(tenant, eventUlid), [ClaimA.op]: op, [ClaimA.ttl]: timeToLive(now + RETENTION) };
    return { write: put(item, itemDoesNotExist), ownMark: { [ClaimA.op]: op } };
  }

  return {
    /** The oldest messages of a conversation in either direction, also unsent ones, read consistently. */
    async firstMessages(tenant: TenantId, conversationId: string, now: Millis): Promise<readonly PlacedMessage[]> {
      const { Items = [] } = await client.send(
        new QueryCommand({
          TableName,
          KeyConditionExpression: "PK = :c AND SK BETWEEN :from AND :upTo",
          ExpressionAttributeValues: { ":c": conversationId, ":from": `M#${oldestPosition(now)}`, ":upTo": "M#~" },
          Limit: FIRST_MESSAGES,
          ConsistentRead: true,
        }),
      );
      return (Items as MessageItem[]).map((item) => ({
        message: toMessage(tenant, item),
        ref: { conversationId, position: itemPosition(item) },
      }));
    },

    /**
     * Gives a message that waits the person's names, unless its conversation was erased after their fetch started. Of
     * several ends of a wait, the first one stands.
     * @param fetchedAt when the fetch started
     */
    async name(
      tenant: TenantId,
      { message, ref: { conversationId, position } }: PlacedMessage,
      names: Omit<Participant, "id">,
      fetchedAt: Millis,
    ): Promise<NamedMessage> {
      const { write, ownMark } = claim(tenant, message.eventUlid, fetchedAt);
      const set = { [A.nameWait]: "named" satisfies NameWait, ...toNameFields(names) };
      const isCurrent = allOf(isPresent(Head.lastAt), absentOr(below, Head.erasedAt, fetchedAt));
      const isWaiting = allOf(equals(A.nameWait, "waiting" satisfies NameWait), isAbsent(A.unsentAt));
      const result = await conditionalTransaction(
        table,
        [
          write,
          update(messageKey(conversationId, position), { set }, isWaiting),
          check(headKey(conversationId), isCurrent),
        ],
        { token: newUlid(fetchedAt), ownMark },
      );
      if (result.applied)
        return {
          named: true,
          message: { ...message, nameWait: "named", participant: { ...message.participant, ...names } },
        };
      const current = result.current[1] as MessageItem | null | undefined;
      return { named: false, message: current === undefined ? message : current && toMessage(tenant, current) };
    },

    /** Ends the wait of an event without a name. @returns false when it had ended before */
    async end(tenant: TenantId, eventUlid: string, now: Millis): Promise<boolean> {
      const { write, ownMark } = claim(tenant, eventUlid, now);
      return (await conditionalWrite(table, write, { ownMark })).applied;
    },
  };
}
