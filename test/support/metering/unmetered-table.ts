import { DynamoDBClient, GetItemCommand } from "@aws-sdk/client-dynamodb";
import type { Item } from "../item-size.ts";
import { describeSchema, type TableSchema } from "./schema.ts";

/** Access to the table without a meter, with which the meter reads items before and after an operation. */
export interface UnmeteredTable {
  readonly tableName: string;
  readonly client: DynamoDBClient;
  schema(): Promise<TableSchema>;
  get(key: Item): Promise<Item | null>;
}

export function openUnmetered(metered: DynamoDBClient, tableName: string): UnmeteredTable {
  const { endpoint, region, credentials } = metered.config;
  const client = new DynamoDBClient({ region, credentials, ...(endpoint === undefined ? {} : { endpoint }) });
  let schema: Promise<TableSchema> | null = null;
  return {
    tableName,
    client,
    schema: () => {
      schema ??= describeSchema(client, tableName);
      return schema;
    },
    get: async (key) => {
      const input = { TableName: tableName, Key: key, ConsistentRead: true };
      return (await client.send(new GetItemCommand(input))).Item ?? null;
    },
  };
}
