import type { DynamoDBClient, ServiceInputTypes } from "@aws-sdk/client-dynamodb";
import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import type { Attempt, HandlerOutput } from "./metering/metered-attempt.ts";
import { type Get, getMeter, type Page, pageMeter } from "./metering/reads.ts";
import { openUnmetered } from "./metering/unmetered-table.ts";
import { type Write, writeMeter } from "./metering/writes.ts";

/** The usage that DynamoDB would bill. */
export interface Units {
  /** Write capacity units, of the table and its indexes together. */
  readonly wcu: number;
  /** Read capacity units. */
  readonly rcu: number;
  /** Requests on the wire, the SDK's retries included. */
  readonly requests: number;
}

export interface Reading extends Units {
  /** By AWS's name of the operation: PutItem, Query, TransactWriteItems, … */
  readonly byOperation: Readonly<Record<string, Units>>;
}

/** Counts the cost of one client's requests to one table, by AWS's rules for on-demand tables. */
export interface Meter {
  /**
   * The cost of the table while `fn` runs. It includes every request of the client in that time: two overlapping calls
   * both count it. Rejects as `fn` does.
   */
  measure(name: string, fn: () => Promise<unknown>): Promise<Reading>;
  /** The cost of each name, over all its `measure` calls. */
  byName(): Readonly<Record<string, Reading>>;
  /** The cost since the meter was attached. */
  total(): Reading;
  /** Detaches the meter. */
  close(): void;
}

type Tally = Map<string, Units>;
type MiddlewareStack = DynamoDBClient["middlewareStack"];

const NOTHING: Units = { wcu: 0, rcu: 0, requests: 0 };
const UNSUPPORTED = ["ExecuteStatement", "BatchExecuteStatement", "ExecuteTransaction"];

/**
 * Attaches a meter to the client, and so to every document client made of it. It sits below the SDK's retries: each
 * attempt that reaches the engine is billed. To know items before and after a write it reads them itself, through its
 * own client, and serializes operations on the same item.
 * @throws Error when the client already has a meter for this table
 */
export function attachMeter(client: DynamoDBClient | DynamoDBDocumentClient, tableName: string): Meter {
  const source = openUnmetered(client as DynamoDBClient, tableName);
  const meters = { write: writeMeter(source), get: getMeter(source), page: pageMeter(source) };
  const tally: Tally = new Map();
  const tallyByName = new Map<string, Tally>();
  const middleware = `meter of ${tableName}`;

  (client.middlewareStack as MiddlewareStack).add(
    (next, context) => (args) => {
      const operation = String(context.commandName).replace(/Command$/, "");
      if (UNSUPPORTED.includes(operation))
        throw new Error(`The meter cannot bill ${operation}: use another operation.`);
      return (
        dispatch(operation, args.input, {
          request: args.request,
          addUnits: ({ wcu = 0, rcu = 0 }) => add(tally, operation, { wcu, rcu, requests: 0 }),
          send: () => {
            add(tally, operation, { wcu: 0, rcu: 0, requests: 1 });
            return next(args);
          },
        }) ?? next(args)
      );
    },
    { name: middleware, step: "deserialize", priority: "high" },
  );

  function dispatch<S extends HandlerOutput>(
    operation: string,
    input: ServiceInputTypes,
    attempt: Attempt<S>,
  ): Promise<S> | null {
    switch (operation) {
      case "PutItem":
      case "UpdateItem":
      case "DeleteItem":
      case "BatchWriteItem":
      case "TransactWriteItems":
        return meters.write({ name: operation, input } as Write, attempt);
      case "GetItem":
      case "BatchGetItem":
      case "TransactGetItems":
        return meters.get({ name: operation, input } as Get, attempt);
      case "Query":
      case "Scan":
        return meters.page({ name: operation, input } as Page, attempt);
      default:
        return null;
    }
  }

  return {
    total: () => toReading(tally),
    byName: () => Object.fromEntries([...tallyByName].map(([name, sums]) => [name, toReading(sums)])),
    measure: async (name, fn) => {
      const start = new Map(tally);
      await fn();
      const cost = difference(start, tally);
      const sums = tallyByName.get(name) ?? new Map();
      for (const [operation, units] of cost) add(sums, operation, units);
      tallyByName.set(name, sums);
      return toReading(cost);
    },
    close: () => {
      client.middlewareStack.remove(middleware);
      source.client.destroy();
    },
  };
}

function add(tally: Tally, operation: string, units: Units): void {
  const { wcu, rcu, requests } = tally.get(operation) ?? NOTHING;
  tally.set(operation, { wcu: wcu + units.wcu, rcu: rcu + units.rcu, requests: requests + units.requests });
}

function difference(start: Tally, end: Tally): Tally {
  const cost: Tally = new Map();
  for (const [operation, later] of end) {
    const earlier = start.get(operation) ?? NOTHING;
    const units = {
      wcu: later.wcu - earlier.wcu,
      rcu: later.rcu - earlier.rcu,
      requests: later.requests - earlier.requests,
    };
    if (units.requests > 0) cost.set(operation, units);
  }
  return cost;
}

function toReading(tally: Tally): Reading {
  const all = [...tally.values()];
  return {
    wcu: all.reduce((sum, { wcu }) => sum + wcu, 0),
    rcu: all.reduce((sum, { rcu }) => sum + rcu, 0),
    requests: all.reduce((sum, { requests }) => sum + requests, 0),
    byOperation: Object.fromEntries(tally),
  };
}
