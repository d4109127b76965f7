import { openTable, type Table } from "#base/table/client.ts";
import { startTestTable } from "../dynamodb.ts";

/** A table of `startTestTable`, as the stores take it. */
export async function openTestTable(): Promise<Table & { close(): Promise<void> }> {
  const { tableName, client, close } = await startTestTable();
  return { ...openTable(tableName, client), close };
}
