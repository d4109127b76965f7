import { GetCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import type { Table } from "./client.ts";
import { whenConditionHolds } from "./conditional-write.ts";
import { type DuePlace, duePlaceOf } from "./due-queue.ts";
import type { Key } from "./keys.ts";

/** How far a sweep has come. */
export function sweepMark({ client, name: TableName }: Table, mark: Key) {
  return {
    /** The place up to which everything due is done with; null before the first sweep. */
    async sweptUpTo(): Promise<DuePlace | null> {
      const { Item } = await client.send(new GetCommand({ TableName, Key: mark, ConsistentRead: true }));
      return Item?.p === undefined ? null : duePlaceOf(String(Item.p));
    },

    /** Moves the mark forward; a slower sweep never moves it back. */
    async markSwept(upTo: DuePlace): Promise<void> {
      await whenConditionHolds(() =>
        client.send(
          new UpdateCommand({
            TableName,
            Key: mark,
            UpdateExpression: "SET p = :p",
            ConditionExpression: "attribute_not_exists(p) OR p < :p",
            ExpressionAttributeValues: { ":p": upTo.key },
          }),
        ),
      );
    },
  };
}
