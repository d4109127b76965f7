import { DynamoDBClient, GetItemCommand } from "@aws-sdk/client-dynamodb";
import type { Item } from "../item-size.ts";
import { inProcess, isInProcess } from "../world/sdk-in-process.ts";
import { describeSchema, type TableSchema } from "./schema.ts";

/** Access to the table without a meter, with which the meter reads items before and after an operation. */
export interface UnmeteredTable {
  readonly tableName: string;
  readonly client: DynamoDBClient;
  schema(): Promise<TableSchema>;
  get(key: Item): Promise<Item | null>;
}

/** A client of the same table, without the middleware that was added to the first one. */
function copyOf({ config }: DynamoDBClient): DynamoDBClient {
  const { endpoint, region, credentials, requestHandler } = config;
  const settings = { region, credentials, ...(endpoint === undefined ? {} : { endpoint }) };
  if (isInProcess(config)) return inProcess(new DynamoDBClient({ ...settings, requestHandler }));
  return new DynamoDBClient(settings);
}

export function openUnmetered(metered: DynamoDBClient, tableName: string): UnmeteredTable {
  const client = copyOf(metered);
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
