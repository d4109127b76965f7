import { PutCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { RETENTION } from "../domain/limits.ts";
import type { Direction, Message, MessageRef, SentVia } from "../domain/messages.ts";
import type { TenantId } from "../kernel/tenant.ts";
import type { Millis } from "../kernel/time.ts";
import type { Table } from "./client.ts";
import { conditions, whenConditionHolds } from "./conditions.ts";
import { markerKey, messageKey, messagePlace, timeOfPlace, timeToLive } from "./keys.ts";
import { type MessageItem, messageOf } from "./message-items.ts";
import { messageStore, type Recorded } from "./messages.ts";

export type OutboundMessages = ReturnType<typeof outboundMessageStore>;

/** Messages that left the account, which become known twice: by our send's answer, and by their echo. */
export function outboundMessageStore(table: Table) {
  const { client, name: TableName } = table;
  const messages = messageStore(table);

  return {
    /**
     * Keeps a message that left the account: our own send, or an echo. A marker by message id decides which row it is,
     * so that both end as one message; what our send knows stands above what the echo knows.
     */
    async record(tenant: TenantId, message: Message, now: Millis, shards = 1): Promise<Recorded> {
      const place = messagePlace(message.sentAt, message.id);
      const ours = message.direction === "outbound";
      const marker = {
        ...markerKey(message.conversationId, message.id),
        p: place,
        e: message.eventUlid,
        d: message.direction,
        v: message.sentVia,
        ac: message.actorId ?? undefined,
        x: timeToLive(now + RETENTION),
      };
      const marked = await whenConditionHolds(() =>
        client.send(
          new PutCommand({
            TableName,
            Item: marker,
            ConditionExpression: conditions.notYetThere,
            ReturnValuesOnConditionCheckFailure: "ALL_OLD",
          }),
        ),
      );
      if (marked.held || !marked.old) return messages.putAt(tenant, message, place, now, shards);
      const first = marked.old as { p: string; e: string; d: Direction; v: SentVia; ac?: string };
      const settled: Message = {
        ...message,
        eventUlid: first.e,
        // Whoever marked it first may have died before its row: the row's time is that of its place all the same.
        sentAt: timeOfPlace(first.p),
        ...(ours ? {} : { direction: first.d, sentVia: first.v, actorId: first.ac ?? null }),
      };
      const recorded = await messages.putAt(tenant, settled, first.p, now, shards);
      if (ours && !recorded.fresh && recorded.message.direction === "echo") {
        return { ...recorded, message: await claimEcho(tenant, recorded.ref, message) };
      }
      return recorded;
    },
  };

  /** The echo of our own send was here first: the send's word stands. */
  async function claimEcho(tenant: TenantId, ref: MessageRef, sent: Message): Promise<Message> {
    const { Attributes } = await client.send(
      new UpdateCommand({
        TableName,
        Key: messageKey(ref.conversationId, ref.place),
        UpdateExpression: "SET d = :d, v = :v, ac = :ac",
        ConditionExpression: conditions.stillThere,
        ExpressionAttributeValues: { ":d": sent.direction, ":v": sent.sentVia, ":ac": sent.actorId ?? "" },
        ReturnValues: "ALL_NEW",
      }),
    );
    return messageOf(tenant, Attributes as MessageItem);
  }
}
