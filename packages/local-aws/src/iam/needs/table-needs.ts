import { buildArn } from "../../provision/provision-context.ts";
import type { Resolver } from "../../template/intrinsics.ts";
import { type Assembly, listResources } from "../../template/template.ts";
import { type AccessNeed, toContext } from "./need.ts";

/** A table of the template. */
export interface TableSchema {
  readonly arn: string;
  readonly partitionKey: string;
  /** The partition keys of the indexes, by their names. */
  readonly indexes: Readonly<Record<string, string>>;
}

type KeySchema = readonly { readonly AttributeName: string; readonly KeyType: string }[];

/** The tables of the template by their names. They must exist. */
export function readTableSchemas(assembly: Assembly, resolver: Resolver): Record<string, TableSchema> {
  const tables = listResources(assembly).filter(({ resource }) =>
    /^AWS::DynamoDB::(Global)?Table$/.test(resource.Type),
  );
  const entries = tables.map(({ stack, id, resource }) => {
    const { KeySchema, GlobalSecondaryIndexes = [] } = (resource.Properties ?? {}) as {
      KeySchema: KeySchema;
      GlobalSecondaryIndexes?: readonly { readonly IndexName: string; readonly KeySchema: KeySchema }[];
    };
    const schema: TableSchema = {
      arn: resolver.text(stack, { "Fn::GetAtt": [id, "Arn"] }),
      partitionKey: partitionKey(KeySchema),
      indexes: Object.fromEntries(
        GlobalSecondaryIndexes.map((index) => [index.IndexName, partitionKey(index.KeySchema)]),
      ),
    };
    return [resolver.text(stack, { Ref: id }), schema] as const;
  });
  return Object.fromEntries(entries);
}

function partitionKey(schema: KeySchema): string {
  return schema.find(({ KeyType }) => KeyType === "HASH")?.AttributeName ?? "";
}

/** `{ "S": "text" }` */
type AttributeValue = Readonly<Record<string, unknown>>;
type Item = Readonly<Record<string, AttributeValue>>;

interface TableInput {
  readonly TableName?: string;
  readonly IndexName?: string;
  readonly Key?: Item;
  readonly Item?: Item;
  readonly Select?: string;
  readonly ReturnValues?: string;
  readonly KeyConditionExpression?: string;
  readonly ExpressionAttributeNames?: Readonly<Record<string, string>>;
  readonly ExpressionAttributeValues?: Item;
  readonly TransactItems?: readonly Readonly<Record<string, TableInput>>[];
  readonly RequestItems?: Readonly<Record<string, { readonly Keys?: readonly Item[] } | readonly WriteRequest[]>>;
}

type WriteRequest = Readonly<Record<string, { readonly Key?: Item; readonly Item?: Item }>>;

const TRANSACTION_ACTIONS: Readonly<Record<string, string>> = {
  ConditionCheck: "ConditionCheckItem",
  Delete: "DeleteItem",
  Get: "GetItem",
  Put: "PutItem",
  Update: "UpdateItem",
};

/**
 * What an operation of DynamoDB needs. A transaction needs the actions of its parts, and a batch the one of its own for
 * each table.
 */
export function tableNeeds(
  tables: Readonly<Record<string, TableSchema>>,
  operation: string,
  body: unknown,
): AccessNeed[] {
  const input = (body ?? {}) as TableInput;
  const need = (action: string, part: TableInput, more: Readonly<Record<string, string>> = {}): AccessNeed => {
    const { TableName = "", IndexName, Select, ReturnValues } = part;
    const schema = findTable(tables, TableName);
    const arn = schema?.arn ?? buildArn("dynamodb", `table/${TableName}`);
    const keys = schema ? leadingKeys(action, part, schema) : [];
    return {
      action: `dynamodb:${action}`,
      resource: IndexName === undefined ? arn : `${arn}/index/${IndexName}`,
      context: toContext({
        ...more,
        "dynamodb:leadingkeys": keys ?? [],
        "dynamodb:returnvalues": ReturnValues,
        "dynamodb:select": Select,
      }),
      ...(keys === null ? { unknown: "the partition key of the request cannot be read" } : {}),
    };
  };
  if (input.TransactItems !== undefined) {
    const enclosing = { "dynamodb:enclosingoperation": operation };
    return input.TransactItems.flatMap((item) =>
      Object.entries(item).map(([kind, part]) => need(TRANSACTION_ACTIONS[kind] ?? kind, part, enclosing)),
    );
  }
  if (input.RequestItems !== undefined) {
    return Object.entries(input.RequestItems).map(([TableName, requests]) => {
      const items = Array.isArray(requests)
        ? (requests as readonly WriteRequest[])
            .flatMap((each) => Object.values(each))
            .map(({ Key, Item }) => Key ?? Item)
        : ((requests as { readonly Keys?: readonly Item[] }).Keys ?? []);
      return batchNeed(operation, findTable(tables, TableName), TableName, items);
    });
  }
  if (input.TableName === undefined) return [{ action: `dynamodb:${operation}`, resource: "*", context: {} }];
  return [need(operation, input)];
}

function batchNeed(
  operation: string,
  schema: TableSchema | undefined,
  tableName: string,
  items: readonly (Item | undefined)[],
): AccessNeed {
  const keys = items.map((item) => toText(item?.[schema?.partitionKey ?? ""]));
  return {
    action: `dynamodb:${operation}`,
    resource: schema?.arn ?? buildArn("dynamodb", `table/${tableName}`),
    context: toContext({ "dynamodb:leadingkeys": [...new Set(keys.filter((key) => key !== null))] }),
    ...(keys.includes(null) ? { unknown: "the partition key of an item cannot be read" } : {}),
  };
}

/** By its name or its ARN. */
function findTable(tables: Readonly<Record<string, TableSchema>>, name: string): TableSchema | undefined {
  return Object.hasOwn(tables, name) ? tables[name] : Object.values(tables).find(({ arn }) => arn === name);
}

/** The values of the partition key of the table or the index. None for a request without one. Null: it cannot be read. */
function leadingKeys(action: string, input: TableInput, schema: TableSchema): string[] | null {
  const { Key, Item, IndexName } = input;
  const item = Key ?? Item;
  if (item !== undefined) return toList(toText(item[schema.partitionKey]));
  if (action !== "Query") return [];
  const name = IndexName === undefined ? schema.partitionKey : schema.indexes[IndexName];
  return toList(queriedKey(input, name));
}

/** The value of `name = :value` in the expression of a query. */
function queriedKey(input: TableInput, partitionKeyName: string | undefined): string | null {
  const { KeyConditionExpression = "", ExpressionAttributeNames = {}, ExpressionAttributeValues = {} } = input;
  // Super-linear: an expression has at most 4 KB.
  for (const [, name = "", value = ""] of KeyConditionExpression.matchAll(/([#\w.-]+)\s*=\s*(:\w+)/g)) {
    if ((ExpressionAttributeNames[name] ?? name) === partitionKeyName) return toText(ExpressionAttributeValues[value]);
  }
  return null;
}

function toText(value: AttributeValue | undefined): string | null {
  const text = value?.S ?? value?.N ?? value?.B;
  return typeof text === "string" ? text : null;
}

function toList(text: string | null): string[] | null {
  return text === null ? null : [text];
}
