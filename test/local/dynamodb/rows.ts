import {
  DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  type QueryCommandInput,
} from "@aws-sdk/lib-dynamodb";
import { startTestTable } from "../../support/dynamo.ts";

// What Parley rests on must hold on the engine that stands in for DynamoDB, or the other tests prove nothing.

export type Attributes = Record<string, unknown>;
type Query = Omit<QueryCommandInput, "TableName">;

/** A fresh table and the plain calls that the conformance tests make on it. */
export interface Rows {
  readonly documents: DynamoDBDocumentClient;
  readonly TableName: string;
  put(PK: string, SK: string, more?: Attributes): Promise<unknown>;
  /** A consistent read. */
  get(PK: string, SK: string): Promise<Attributes | undefined>;
  /** One page. */
  query(more: Query): ReturnType<typeof queryOnce>;
  /** Every page. */
  queryAll(more: Query): Promise<{ items: Attributes[]; pages: number }>;
  close(): Promise<void>;
}

export async function startRows(): Promise<Rows> {
  const { client, tableName: TableName, close } = await startTestTable();
  const documents = DynamoDBDocumentClient.from(client);
  const query = (more: Query) => queryOnce(documents, { TableName, ...more });
  return {
    documents,
    TableName,
    close,
    query,
    put: (PK, SK, more = {}) => documents.send(new PutCommand({ TableName, Item: { PK, SK, ...more } })),
    get: async (PK, SK) =>
      (await documents.send(new GetCommand({ TableName, Key: { PK, SK }, ConsistentRead: true }))).Item,
    queryAll: async (more) => {
      const items: Attributes[] = [];
      let start: Attributes | undefined;
      let pages = 0;
      do {
        const page = await query(start === undefined ? more : { ...more, ExclusiveStartKey: start });
        items.push(...(page.Items ?? []));
        start = page.LastEvaluatedKey;
        pages += 1;
      } while (start !== undefined);
      return { items, pages };
    },
  };
}

function queryOnce(documents: DynamoDBDocumentClient, input: QueryCommandInput) {
  return documents.send(new QueryCommand(input));
}

/** 0 to count - 1. */
export function numbered(count: number): number[] {
  return Array.from({ length: count }, (_, i) => i);
}

export function padded(i: number): string {
  return String(i).padStart(3, "0");
}

export const refused = { name: "ConditionalCheckFailedException" };
export const invalid = { name: "ValidationException" };
