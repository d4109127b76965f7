import { QueryCommand } from "@aws-sdk/lib-dynamodb";
import type { Table } from "./client.ts";
import type { Key } from "./keys.ts";

/**
 * All items of a partition whose sort key starts with a text, in its order.
 * @param consistent default: true, for lists where a row that is missed would keep its access
 */
export async function queryAll<Item>(
  { client, name: TableName }: Table,
  { PK, SK }: Key,
  { consistent = true }: { readonly consistent?: boolean } = {},
): Promise<Item[]> {
  const items: Item[] = [];
  let ExclusiveStartKey: Record<string, unknown> | undefined;
  do {
    const { Items = [], LastEvaluatedKey } = await client.send(
      new QueryCommand({
        TableName,
        KeyConditionExpression: SK === "" ? "PK = :pk" : "PK = :pk AND begins_with(SK, :start)",
        ExpressionAttributeValues: { ":pk": PK, ...(SK === "" ? {} : { ":start": SK }) },
        ConsistentRead: consistent,
        ExclusiveStartKey,
      }),
    );
    items.push(...(Items as Item[]));
    ExclusiveStartKey = LastEvaluatedKey;
  } while (ExclusiveStartKey);
  return items;
}
