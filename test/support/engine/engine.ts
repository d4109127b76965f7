import { randomUUID } from "node:crypto";
import {
  CreateTableCommand,
  type CreateTableCommandInput,
  DeleteTableCommand,
  DynamoDBClient,
  waitUntilTableExists,
} from "@aws-sdk/client-dynamodb";
import { type Engine, type EngineOptions, startEngine } from "#local-aws/dynamodb/engine.ts";
import { constantSigner } from "../constant-signer.ts";

/** The keys and indexes of a table. */
export type TableDefinition = Pick<
  CreateTableCommandInput,
  "AttributeDefinitions" | "KeySchema" | "GlobalSecondaryIndexes"
>;

/** A table for one test or one test file. */
export interface EngineTable {
  readonly endpoint: string;
  readonly tableName: string;
  readonly client: DynamoDBClient;
  /** Deletes the table and closes the client's connections. The engine stays for the process's other tables. */
  close(): Promise<void>;
}

let sharedEngine: Promise<Engine> | null = null;

/** The engine of this test process: in memory, ends with the process. TEST_DYNAMODB=dynamodb-local selects Amazon's. */
export function testEngine(): Promise<Engine> {
  sharedEngine ??= startEngine({ dataDir: null, ...preferredEngine() });
  return sharedEngine;
}

/** The engine that TEST_DYNAMODB selects, as an option of `startEngine`. Throws for an unknown name. */
export function preferredEngine(): Pick<EngineOptions, "prefer" | "mayBeExposed"> {
  const name = process.env.TEST_DYNAMODB;
  // Amazon's engine listens on every interface. A test's tables have no data of anyone.
  const mayBeExposed = true;
  if (!name) return { mayBeExposed };
  if (name === "dynoxide" || name === "dynamodb-local") return { prefer: name, mayBeExposed };
  throw new Error(`TEST_DYNAMODB is "${name}": set it to dynoxide or dynamodb-local, or leave it out.`);
}

/** A client for an engine itself, which accepts any credentials. */
export function clientFor(endpoint: string): DynamoDBClient {
  return new DynamoDBClient({
    endpoint,
    region: "us-east-1",
    credentials: { accessKeyId: "local", secretAccessKey: "local" },
    signer: constantSigner,
  });
}

/** Creates an empty table without TTL: engines differ in it, and it would empty tables of tests in the past. */
export async function startTable(definition: TableDefinition): Promise<EngineTable> {
  const { url } = await testEngine();
  const client = clientFor(url);
  const tableName = `test-${randomUUID()}`;
  await createTable(client, tableName, definition);
  return {
    endpoint: url,
    tableName,
    client,
    close: async () => {
      await client.send(new DeleteTableCommand({ TableName: tableName }));
      client.destroy();
    },
  };
}

export async function createTable(
  client: DynamoDBClient,
  tableName: string,
  definition: TableDefinition,
): Promise<void> {
  await client.send(new CreateTableCommand({ TableName: tableName, BillingMode: "PAY_PER_REQUEST", ...definition }));
  await waitUntilTableExists({ client, maxWaitTime: 20, minDelay: 0.1, maxDelay: 1 }, { TableName: tableName });
}
