import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { requestOptions, requestTimeouts } from "../config/request-times.ts";
import { callScopePlugin } from "../kernel/call-scope.ts";

/** The table and its client. Every store is made from it. */
export interface Table {
  readonly client: DynamoDBDocumentClient;
  readonly name: string;
}

/**
 * @param name the table's name
 * @param client by default, region, endpoint and credentials come from the environment
 */
export function openTable(name: string, client: DynamoDBClient = defaultClient()): Table {
  client.middlewareStack.use(callScopePlugin);
  return {
    name,
    client: DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } }),
  };
}

function defaultClient(): DynamoDBClient {
  const { requestHandler, ...options } = requestOptions(requestTimeouts.table);
  return new DynamoDBClient({ ...options, requestHandler: { ...requestHandler, httpsAgent: { maxSockets: 64 } } });
}
