import type { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { QueryCommand } from "@aws-sdk/lib-dynamodb";
import type { Table } from "../../shared/stores/client.ts";
import type { Key } from "../../shared/stores/keys.ts";

const MIDDLEWARE = "stale reads";

interface Input {
  readonly ConsistentRead?: boolean;
  readonly IndexName?: string;
  readonly Key?: TypedKey;
  readonly RequestItems?: Readonly<Record<string, { readonly ConsistentRead?: boolean; readonly Keys?: TypedKey[] }>>;
  readonly KeyConditionExpression?: string;
  readonly ExpressionAttributeValues?: Readonly<Record<string, { readonly S?: string }>>;
}
interface TypedKey {
  readonly PK: { readonly S: string };
  readonly SK: { readonly S: string };
}

/**
 * From now on, answers each eventually consistent read of these partitions from their rows as they are now. Knows
 * GetItem, BatchGetItem and queries by the beginning of the sort key; any other read of them is consistent.
 * @returns a function that ends it
 */
export async function freezeReads(table: Table, partitions: readonly string[]): Promise<() => void> {
  const rows = new Map<string, Key[]>();
  for (const partition of partitions) {
    const { Items = [] } = await table.client.send(
      new QueryCommand({
        TableName: table.name,
        KeyConditionExpression: "PK = :p",
        ExpressionAttributeValues: { ":p": partition },
        ConsistentRead: true,
      }),
    );
    rows.set(partition, Items as Key[]);
  }
  const rowAt = ({ PK, SK }: TypedKey) => rows.get(PK.S)?.find((row) => row.SK === SK.S);

  /** @returns undefined for a read that is consistent or of other partitions */
  function staleOutput(command: string, input: Input): object | undefined {
    if (command === "GetItem" && !input.ConsistentRead && input.Key && rows.has(input.Key.PK.S)) {
      return { Item: rowAt(input.Key) };
    }
    if (command === "BatchGetItem") {
      const { ConsistentRead, Keys = [] } = input.RequestItems?.[table.name] ?? {};
      if (ConsistentRead || !Keys.every(({ PK }) => rows.has(PK.S))) return undefined;
      return { Responses: { [table.name]: Keys.flatMap((key) => rowAt(key) ?? []) } };
    }
    if (command === "Query" && !input.ConsistentRead && !input.IndexName) {
      const [partition = "", prefix = ""] = Object.values(input.ExpressionAttributeValues ?? {}).map(({ S }) => S);
      if (!input.KeyConditionExpression?.includes("begins_with") || !rows.has(partition)) return undefined;
      return { Items: rows.get(partition)?.filter(({ SK }) => SK.startsWith(prefix)) };
    }
    return undefined;
  }

  const { middlewareStack } = table.client as unknown as Pick<DynamoDBClient, "middlewareStack">;
  middlewareStack.add(
    (next, context) => async (args) => {
      const command = String(context.commandName).replace(/Command$/, "");
      const output = staleOutput(command, args.input as Input);
      if (!output) return next(args);
      return { response: {}, output: { $metadata: { httpStatusCode: 200 }, ...output } };
    },
    { name: MIDDLEWARE, step: "finalizeRequest", priority: "low" },
  );
  return () => {
    middlewareStack.remove(MIDDLEWARE);
  };
}
