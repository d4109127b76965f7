import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { requestOptions, requestTimeouts } from "../config/request-times.ts";
import { callScopePlugin } from "../kernel/call-scope.ts";
import { throttlesPlugin } from "./throttles.ts";

/** The table and its client. Every store is made from it. */
export interface Table {
  readonly client: DynamoDBDocumentClient;
  readonly name: string;
}

/**
 * @param name the table's name
 * @param client by default, region, endpoint and credentials come from the environment
 * @param onThrottled called for each throttled attempt of the default client, also for one that is repeated with success
 */
export function openTable(name: string, client?: DynamoDBClient, onThrottled: () => void = () => {}): Table {
  const opened = client ?? defaultClient();
  if (client === undefined) opened.middlewareStack.use(throttlesPlugin(onThrottled));
  opened.middlewareStack.use(callScopePlugin);
  return {
    name,
    client: DynamoDBDocumentClient.from(opened, { marshallOptions: { removeUndefinedValues: true } }),
  };
}

function defaultClient(): DynamoDBClient {
  const { requestHandler, ...options } = requestOptions(requestTimeouts.table);
  return new DynamoDBClient({ ...options, requestHandler: { ...requestHandler, httpsAgent: { maxSockets: 64 } } });
}
