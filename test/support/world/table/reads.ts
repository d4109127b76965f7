import type { BatchGetItemInput, GetItemInput, QueryInput, ScanInput } from "@aws-sdk/client-dynamodb";
import { parseCondition } from "./conditions.ts";
import { keyAttributes, primaryKey, type Source, sources } from "./schema.ts";
import type { Storage } from "./storage.ts";
import { compareText, InvalidRequest, type Item } from "./values.ts";
import { orderIn, type View } from "./view.ts";

interface ReadOptions {
  readonly ConsistentRead?: boolean | undefined;
  readonly ProjectionExpression?: string | undefined;
  readonly ExpressionAttributeNames?: Record<string, string> | undefined;
}

/** Reads are not limited to 1 MB: a page ends only at its `Limit`. */
export function tableReads(storage: Storage) {
  function view(command: string, key: { source: Source; partition: string }, options: ReadOptions): View {
    if (options.ConsistentRead && key.source !== "base")
      throw new InvalidRequest("Consistent reads are not supported on global secondary indexes");
    return options.ConsistentRead ? storage.consistent() : storage.eventual({ command, ...key });
  }

  function get(command: string, key: Item, options: ReadOptions): Item | null {
    const item = view(command, { source: "base", partition: key.PK?.S ?? "" }, options).get(key);
    return item && project(item, options);
  }

  return {
    GetItem(input: GetItemInput) {
      const item = get("GetItem", input.Key ?? {}, input);
      return item ? { Item: item } : {};
    },

    BatchGetItem({ RequestItems = {} }: BatchGetItemInput) {
      const responses = Object.entries(RequestItems).map(([name, { Keys = [], ...options }]) => {
        if (Keys.length === 0 || Keys.length > 100) throw new InvalidRequest("A batch has 1 to 100 keys");
        if (new Set(Keys.map(primaryKey)).size < Keys.length)
          throw new InvalidRequest("Provided list of item keys contains duplicates");
        return [name, Keys.map((key) => get("BatchGetItem", key, options)).filter((item) => item !== null)] as const;
      });
      return { Responses: Object.fromEntries(responses), UnprocessedKeys: {} };
    },

    Query(input: QueryInput) {
      const source = (input.IndexName ?? "base") as Source;
      const names = input.ExpressionAttributeNames ?? {};
      const values = input.ExpressionAttributeValues ?? {};
      const condition = parseCondition(input.KeyConditionExpression ?? "");
      const partition = partitionValue(input, source);
      const items = view("Query", { source, partition }, input)
        .partition(partition)
        .filter((item) => condition({ item, names, values }));
      const order = orderIn(source);
      if (input.ScanIndexForward !== false) return page(items, { source, order }, input);
      return page(items.reverse(), { source, order: (a, b) => order(b, a) }, input);
    },

    Scan(input: ScanInput) {
      const source = (input.IndexName ?? "base") as Source;
      const order = (a: Item, b: Item) => compareText(primaryKey(a), primaryKey(b));
      const { Segment = 0, TotalSegments = 1 } = input;
      const items = view("Scan", { source, partition: "" }, input)
        .all()
        .filter((item) => segmentOf(item, TotalSegments) === Segment);
      // Each key is written once, not at each comparison.
      const sorted = items
        .map((item) => ({ item, key: primaryKey(item) }))
        .sort((a, b) => compareText(a.key, b.key))
        .map(({ item }) => item);
      return page(sorted, { source, order }, input);
    },
  };
}

/** The segment of a parallel scan that an item is in: those of a partition are in one. */
function segmentOf(item: Item, segments: number): number {
  let hash = 0;
  for (const character of item.PK?.S ?? "") hash = (hash * 31 + character.charCodeAt(0)) % 1_000_003;
  return hash % segments;
}

/** The value that the key condition gives the partition key. */
function partitionValue(input: QueryInput, source: Source): string {
  const { partition } = sources[source];
  const placeholder = new RegExp(`(?:^|[\\s(])${partition} = (:\\w+)`).exec(input.KeyConditionExpression ?? "")?.[1];
  const value = input.ExpressionAttributeValues?.[placeholder ?? ""]?.S;
  if (value === undefined) throw new InvalidRequest(`Query condition missed key schema element: ${partition}`);
  return value;
}

interface Listing {
  readonly source: Source;
  readonly order: (a: Item, b: Item) => number;
}

function page(items: readonly Item[], { source, order }: Listing, input: QueryInput | ScanInput) {
  const start = input.ExclusiveStartKey;
  const rest = start ? items.filter((item) => order(start, item) < 0) : items;
  const examined = rest.slice(0, input.Limit);
  const filter = input.FilterExpression ? parseCondition(input.FilterExpression) : () => true;
  const names = input.ExpressionAttributeNames ?? {};
  const values = input.ExpressionAttributeValues ?? {};
  const matching = examined.filter((item) => filter({ item, names, values }));
  const last = examined.at(-1);
  // DynamoDB names the last key whenever it stopped at the limit, also when nothing follows.
  const isCut = last !== undefined && input.Limit !== undefined && examined.length === input.Limit;
  return {
    ...(input.Select === "COUNT" ? {} : { Items: matching.map((item) => project(item, input)) }),
    Count: matching.length,
    ScannedCount: examined.length,
    ...(isCut ? { LastEvaluatedKey: keyAttributes(last, source) } : {}),
  };
}

function project(item: Item, options: ReadOptions): Item {
  if (!options.ProjectionExpression) return item;
  const names = options.ProjectionExpression.split(",").map((text) => text.trim());
  const attributes = names.map((name) => options.ExpressionAttributeNames?.[name] ?? name);
  return Object.fromEntries(attributes.flatMap((name) => (item[name] ? [[name, item[name]]] : [])));
}
