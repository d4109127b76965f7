import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DynamoDBDocumentClient, ScanCommand } from "@aws-sdk/lib-dynamodb";
import { env } from "../../../shared/config/names.ts";
import { clientFor } from "../../support/dynamodb.ts";
import type { LocalStack } from "./local-stack.ts";

/** A stored item. Its attributes are listed in docs/design/table-keys.md. */
export type StoredItem = Readonly<Record<string, unknown>> & { readonly PK: string; readonly SK: string };

/** All items of a stack's table as one string. */
export async function dumpTable(stack: Pick<LocalStack, "dataDir">): Promise<string> {
  return JSON.stringify(await readTable(stack));
}

/** All items of a stack's table. */
export async function readTable({ dataDir }: Pick<LocalStack, "dataDir">): Promise<StoredItem[]> {
  const environment = JSON.parse(readFileSync(join(dataDir, "environment.json"), "utf8")) as Record<string, string>;
  const dynamo = clientFor(environment.AWS_ENDPOINT_URL_DYNAMODB ?? "");
  const client = DynamoDBDocumentClient.from(dynamo);
  const rows: StoredItem[] = [];
  let ExclusiveStartKey: Record<string, unknown> | undefined;
  do {
    const page = await client.send(new ScanCommand({ TableName: environment[env.table], ExclusiveStartKey }));
    rows.push(...((page.Items ?? []) as StoredItem[]));
    ExclusiveStartKey = page.LastEvaluatedKey;
  } while (ExclusiveStartKey);
  dynamo.destroy();
  return rows;
}
