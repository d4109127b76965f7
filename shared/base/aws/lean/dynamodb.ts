import { randomUUID } from "node:crypto";
import { decodeBytes, readItem, writeItem } from "./attribute-values.ts";
import { type ClientOptions, commandClass, LeanClient } from "./client.ts";
import { exceptionClass } from "./exceptions.ts";
import { encodeFields, jsonRpc } from "./json-rpc.ts";

type Fields = Record<string, unknown>;

const protocol = jsonRpc({
  service: "dynamodb",
  clientName: "DynamoDBClient",
  version: "1.0",
  target: "DynamoDB_20120810",
  waitBase: 25,
  encodeBody({ operation, input, isDocument }) {
    const isTransaction = operation === "TransactWriteItems";
    // A transaction that is repeated after a lost answer is recognized by its token.
    const token = isTransaction ? ((input as Fields).ClientRequestToken ?? randomUUID()) : undefined;
    const whole = token === undefined ? input : { ...input, ClientRequestToken: token };
    return isDocument ? writeInput(whole) : encodeFields({ input: whole });
  },
  decodeBody: (fields, { isDocument }) => (isDocument ? readOutput(fields) : (decodeBytes(fields) as object)),
  decodeErrorBody: (fields) => decodeBytes(fields) as Fields,
});

const itemFields: ReadonlySet<string> = new Set(["Item", "Key", "ExclusiveStartKey", "ExpressionAttributeValues"]);

/** The JSON of a request whose attribute values are plain. */
function writeInput(value: unknown): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(writeInput).join(",")}]`;
  let text = "";
  for (const name in value) {
    const content = (value as Fields)[name];
    if (content !== undefined) text += `${text === "" ? "" : ","}${JSON.stringify(name)}:${writeField(name, content)}`;
  }
  return `{${text}}`;
}

function writeField(name: string, content: unknown): string {
  if (itemFields.has(name)) return writeItem(content as object);
  if (name === "Keys") return `[${(content as object[]).map(writeItem).join(",")}]`;
  if (name !== "RequestItems") return writeInput(content);
  // A table may have any name.
  const tables = Object.entries(content as Fields);
  return `{${tables.map(([table, requests]) => `${JSON.stringify(table)}:${writeInput(requests)}`).join(",")}}`;
}

/** Replaces the attribute values of an answer by plain ones. */
function readOutput(output: Fields): Fields {
  for (const name of ["Item", "Attributes", "LastEvaluatedKey"]) if (output[name]) readItem(output[name]);
  for (const item of (output.Items ?? []) as object[]) readItem(item);
  if (Array.isArray(output.Responses)) {
    for (const { Item } of output.Responses) if (Item) readItem(Item);
  } else {
    for (const items of Object.values((output.Responses ?? {}) as Record<string, object[]>)) items.forEach(readItem);
  }
  for (const { Keys } of Object.values((output.UnprocessedKeys ?? {}) as Record<string, { Keys: object[] }>)) {
    Keys.forEach(readItem);
  }
  type Request = { readonly PutRequest?: { Item: object }; readonly DeleteRequest?: { Key: object } };
  for (const requests of Object.values((output.UnprocessedItems ?? {}) as Record<string, Request[]>)) {
    for (const { PutRequest, DeleteRequest } of requests) readItem(PutRequest?.Item ?? DeleteRequest?.Key ?? {});
  }
  return output;
}

/** Instead of `DynamoDBClient` of @aws-sdk/client-dynamodb. */
export class DynamoDBClient extends LeanClient {
  constructor(options?: ClientOptions) {
    super(protocol, options);
  }
}

/** Instead of that of @aws-sdk/lib-dynamodb: commands say whether their values are plain, so the client is the same. */
export const DynamoDBDocumentClient = { from: (client: DynamoDBClient): DynamoDBClient => client };

export class GetCommand extends commandClass("GetItem", true) {}
export class PutCommand extends commandClass("PutItem", true) {}
export class UpdateCommand extends commandClass("UpdateItem", true) {}
export class DeleteCommand extends commandClass("DeleteItem", true) {}
export class QueryCommand extends commandClass("Query", true) {}
export class ScanCommand extends commandClass("Scan", true) {}
export class BatchGetCommand extends commandClass("BatchGetItem", true) {}
export class BatchWriteCommand extends commandClass("BatchWriteItem", true) {}
export class TransactWriteCommand extends commandClass("TransactWriteItems", true) {}
export class TransactGetCommand extends commandClass("TransactGetItems", true) {}

export const ConditionalCheckFailedException = exceptionClass("ConditionalCheckFailedException");
export const TransactionCanceledException = exceptionClass("TransactionCanceledException");
export const TransactionConflictException = exceptionClass("TransactionConflictException");

/** Instead of that of @aws-sdk/util-dynamodb. Changes the item itself. */
export const unmarshall = readItem;
