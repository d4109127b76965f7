import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DynamoDBDocumentClient, ScanCommand } from "@aws-sdk/lib-dynamodb";
import { env } from "../../../shared/config/names.ts";
import { clientFor } from "../../support/dynamodb.ts";
import type { LocalStack } from "./local-stack.ts";

/** All items of a stack's table as one string. */
export async function dumpTable({ dataDir }: Pick<LocalStack, "dataDir">): Promise<string> {
  const environment = JSON.parse(readFileSync(join(dataDir, "environment.json"), "utf8")) as Record<string, string>;
  const dynamo = clientFor(environment.AWS_ENDPOINT_URL_DYNAMODB ?? "");
  const client = DynamoDBDocumentClient.from(dynamo);
  const rows: unknown[] = [];
  let ExclusiveStartKey: Record<string, unknown> | undefined;
  do {
    const page = await client.send(new ScanCommand({ TableName: environment[env.table], ExclusiveStartKey }));
    rows.push(...(page.Items ?? []));
    ExclusiveStartKey = page.LastEvaluatedKey;
  } while (ExclusiveStartKey);
  dynamo.destroy();
  return JSON.stringify(rows);
}
