import { DynamoDBClient, GetItemCommand } from "@aws-sdk/client-dynamodb";
import type { Item } from "../item-size.ts";
import { shapeOf, type TableShape } from "./schema.ts";

/** The unmetered way to the table by which the meter sees items before and after an operation. */
export interface Source {
  readonly tableName: string;
  readonly client: DynamoDBClient;
  shape(): Promise<TableShape>;
  get(key: Item): Promise<Item | null>;
}

export function sourceBeside(metered: DynamoDBClient, tableName: string): Source {
  const { endpoint, region, credentials } = metered.config;
  const client = new DynamoDBClient({ region, credentials, ...(endpoint === undefined ? {} : { endpoint }) });
  let shape: Promise<TableShape> | null = null;
  return {
    tableName,
    client,
    shape: () => {
      shape ??= shapeOf(client, tableName);
      return shape;
    },
    get: async (key) => {
      const input = { TableName: tableName, Key: key, ConsistentRead: true };
      return (await client.send(new GetItemCommand(input))).Item ?? null;
    },
  };
}
