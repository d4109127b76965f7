import { type DynamoDBDocumentClient, ScanCommand } from "@aws-sdk/lib-dynamodb";
import { decompress } from "#base/kernel/compression.ts";
import { rawCopyAttributes as A } from "#features/inbox/store/attributes.ts";

/** The raw copies of a batch, as a row or a file has them. */
export interface StoredCopies {
  /** The sort key of the row, or the key of the file. */
  readonly name: string;
  /** The webhooks, byte for byte. */
  readonly webhooks: readonly string[];
}

/** The raw copies that are rows of a table. */
export async function listCopyRows(client: DynamoDBDocumentClient, TableName: string): Promise<StoredCopies[]> {
  const copies: StoredCopies[] = [];
  let ExclusiveStartKey: Record<string, unknown> | undefined;
  do {
    const { Items = [], LastEvaluatedKey } = await client.send(
      new ScanCommand({
        TableName,
        FilterExpression: "begins_with(PK, :raw)",
        ExpressionAttributeValues: { ":raw": "RAW#" },
        ConsistentRead: true,
        ...(ExclusiveStartKey ? { ExclusiveStartKey } : {}),
      }),
    );
    for (const item of Items) copies.push({ name: String(item.SK), webhooks: readCopies(item[A.content]) });
    ExclusiveStartKey = LastEvaluatedKey;
  } while (ExclusiveStartKey);
  return copies;
}

/** The webhooks in the content of a row or file. */
export function readCopies(content: Uint8Array): string[] {
  const lines = Buffer.from(decompress(content)).toString("utf8").trim().split("\n");
  return lines.map((line) => (JSON.parse(line) as { body: string }).body);
}
