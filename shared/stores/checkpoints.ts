import { GetCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import type { Table } from "./client.ts";
import { conditionalWrite } from "./conditional-write.ts";
import { type DueCursor, parseDueCursor } from "./due-queue.ts";
import type { Key } from "./keys.ts";

/** How far a sweep has come. */
export function sweepCheckpoint({ client, name: TableName }: Table, key: Key) {
  return {
    /** The place up to which everything due is done with; null before the first sweep. */
    async checkpoint(): Promise<DueCursor | null> {
      const { Item } = await client.send(new GetCommand({ TableName, Key: key, ConsistentRead: true }));
      return Item?.p === undefined ? null : parseDueCursor(String(Item.p));
    },

    /** Moves the mark forward; a slower sweep never moves it back. */
    async saveCheckpoint(cursor: DueCursor): Promise<void> {
      await conditionalWrite(() =>
        client.send(
          new UpdateCommand({
            TableName,
            Key: key,
            UpdateExpression: "SET p = :p",
            ConditionExpression: "attribute_not_exists(p) OR p < :p",
            ExpressionAttributeValues: { ":p": cursor.key },
          }),
        ),
      );
    },
  };
}
