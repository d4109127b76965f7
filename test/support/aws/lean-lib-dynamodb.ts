import type { LeanClient } from "#base/aws/lean/client.ts";
import { DynamoDBDocumentClient as Lean, ScanCommand } from "#base/aws/lean/dynamodb.ts";

// The SDK's package with the lean client: for runs of the tests with PARLEY_AWS_CLIENT=lean.

// The package itself: its name is the name of this file.
// @ts-expect-error: the types are those of the package
export * from "../../../node_modules/@aws-sdk/lib-dynamodb/dist-cjs/index.js";
export const DynamoDBDocumentClient = Lean;

/** The SDK's own demands its own client. */
export async function* paginateScan({ client }: { readonly client: LeanClient }, input: object) {
  let ExclusiveStartKey: object | undefined;
  do {
    const page = await client.send(new ScanCommand({ ...input, ExclusiveStartKey }));
    yield page;
    ExclusiveStartKey = page.LastEvaluatedKey;
  } while (ExclusiveStartKey);
}
