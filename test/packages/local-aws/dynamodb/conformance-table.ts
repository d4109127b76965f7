import {
  DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  type QueryCommandInput,
} from "@aws-sdk/lib-dynamodb";
import { startTable } from "../../../support/engine/engine.ts";
import { sampleTable } from "./sample-table.ts";

// The tests of a service are valid only if the local engine behaves like DynamoDB.

export type Attributes = Record<string, unknown>;
type Query = Omit<QueryCommandInput, "TableName">;

/** A new table and the calls that the conformance tests make. */
export interface ConformanceTable {
  readonly documents: DynamoDBDocumentClient;
  readonly TableName: string;
  put(PK: string, SK: string, attributes?: Attributes): Promise<unknown>;
  /** A consistent read. */
  get(PK: string, SK: string): Promise<Attributes | undefined>;
  /** One page. */
  query(input: Query): ReturnType<typeof queryOnce>;
  /** Every page. */
  queryAll(input: Query): Promise<{ items: Attributes[]; pages: number }>;
  close(): Promise<void>;
}

export async function startConformanceTable(): Promise<ConformanceTable> {
  const { client, tableName: TableName, close } = await startTable(sampleTable);
  const documents = DynamoDBDocumentClient.from(client);
  const query = (input: Query) => queryOnce(documents, { TableName, ...input });
  return {
    documents,
    TableName,
    close,
    query,
    put: (PK, SK, attributes = {}) => documents.send(new PutCommand({ TableName, Item: { PK, SK, ...attributes } })),
    get: async (PK, SK) =>
      (await documents.send(new GetCommand({ TableName, Key: { PK, SK }, ConsistentRead: true }))).Item,
    queryAll: async (input) => {
      const items: Attributes[] = [];
      let startKey: Attributes | undefined;
      let pages = 0;
      do {
        const page = await query(startKey === undefined ? input : { ...input, ExclusiveStartKey: startKey });
        items.push(...(page.Items ?? []));
        startKey = page.LastEvaluatedKey;
        pages += 1;
      } while (startKey !== undefined);
      return { items, pages };
    },
  };
}

function queryOnce(documents: DynamoDBDocumentClient, input: QueryCommandInput) {
  return documents.send(new QueryCommand(input));
}

/** 0 to count - 1. */
export function indexesTo(count: number): number[] {
  return Array.from({ length: count }, (_, i) => i);
}

export function padIndex(i: number): string {
  return String(i).padStart(3, "0");
}

export const conditionFailed = { name: "ConditionalCheckFailedException" };
export const validationFailed = { name: "ValidationException" };
