import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DynamoDBDocumentClient, ScanCommand } from "@aws-sdk/lib-dynamodb";
import { env } from "../../../shared/config/names.ts";
import { clientFor } from "../../support/dynamo.ts";
import type { RunningLocal } from "./local-stack.ts";

/** Every row of a stack's table, as one text. */
export async function wholeTable({ dataDir }: Pick<RunningLocal, "dataDir">): Promise<string> {
  const environment = JSON.parse(readFileSync(join(dataDir, "environment.json"), "utf8")) as Record<string, string>;
  const raw = clientFor(environment.AWS_ENDPOINT_URL_DYNAMODB ?? "");
  const client = DynamoDBDocumentClient.from(raw);
  const rows: unknown[] = [];
  let ExclusiveStartKey: Record<string, unknown> | undefined;
  do {
    const answer = await client.send(new ScanCommand({ TableName: environment[env.table], ExclusiveStartKey }));
    rows.push(...(answer.Items ?? []));
    ExclusiveStartKey = answer.LastEvaluatedKey;
  } while (ExclusiveStartKey);
  raw.destroy();
  return JSON.stringify(rows);
}
