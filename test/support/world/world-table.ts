import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import type { Millis } from "#base/kernel/time.ts";
import type { TestTable } from "../dynamodb.ts";
import { tableDefinition } from "../table-definition.ts";
import { inProcess, inProcessSettings } from "./sdk-in-process.ts";
import { tableReads } from "./table/reads.ts";
import { type Lag, Storage } from "./table/storage.ts";
import { InvalidRequest, type Item } from "./table/values.ts";
import type { Change } from "./table/view.ts";
import { tableWrites } from "./table/writes.ts";

/** A table in this process, with the keys and indexes of the real one. Only tests for it and for the meter need more. */
export interface WorldTable extends TestTable {
  /** Decides which eventually consistent reads answer from a copy that is behind. Without it none does. */
  setLag(lag: Lag): void;
  /** Another client, without the middleware that the first one got. */
  newClient(): DynamoDBClient;
  /** All items, in the form of the low-level client. */
  items(): Item[];
  /** Every write since the table was opened, in order. */
  changes(): readonly (Change & { readonly at: Millis })[];
}

/**
 * Opens an empty table. One attempt costs about 50 µs, and its effects are those of the engine: see `world-table.test.ts`.
 * @param now for the age of copies and of transaction tokens
 */
export function openWorldTable(now: () => Millis): WorldTable {
  const storage = new Storage(now);
  const operations: Readonly<Record<string, (input: never) => unknown>> = {
    ...tableReads(storage),
    ...tableWrites(storage, now),
    DescribeTable: () => ({ Table: tableDefinition() }),
  };
  const newClient = () =>
    inProcess(
      new DynamoDBClient(
        inProcessSettings((command, input) => {
          const operation = operations[command];
          if (!operation) throw new InvalidRequest(`Unsupported operation: ${command}`);
          return operation(input);
        }),
      ),
    );
  const client = newClient();
  return {
    endpoint: "",
    tableName: "world",
    client,
    newClient,
    setLag: (lag) => {
      storage.lag = lag;
    },
    items: () => storage.consistent().all(),
    changes: () => storage.changes(),
    close: async () => client.destroy(),
  };
}
