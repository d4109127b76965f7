import { PutCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { RETENTION } from "../domain/limits.ts";
import type { Millis } from "../kernel/time.ts";
import type { Table } from "./client.ts";
import { conditions } from "./conditions.ts";
import { sendRecordKey, timeToLive } from "./keys.ts";

export type SendState = "sending" | "sent" | "failed" | "unknown";

export type SendRecords = ReturnType<typeof sendRecordStore>;

/** What became of each send: begun before the platform is called, so that no send is ever begun twice. */
export function sendRecordStore({ client, name: TableName }: Table) {
  return {
    async begin(conversationId: string, sendId: string, now: Millis): Promise<void> {
      await client.send(
        new PutCommand({
          TableName,
          Item: { ...sendRecordKey(conversationId, sendId), st: "sending", ca: now, x: timeToLive(now + RETENTION) },
        }),
      );
    },

    async settle(conversationId: string, sendId: string, state: SendState, messageId: string | null): Promise<void> {
      await client.send(
        new UpdateCommand({
          TableName,
          Key: sendRecordKey(conversationId, sendId),
          UpdateExpression: messageId === null ? "SET st = :st" : "SET st = :st, m = :m",
          ConditionExpression: conditions.stillThere,
          ExpressionAttributeValues: { ":st": state, ...(messageId === null ? {} : { ":m": messageId }) },
        }),
      );
    },
  };
}
