import type { Table } from "#base/table/client.ts";

type Batch = "BatchGetItem" | "BatchWriteItem";

const MIDDLEWARE = "unprocessed parts";

/**
 * Leaves the requests of a kind unprocessed, as under heavy traffic: the first `times` wholly, the others not at all.
 * @returns a function that ends it and returns the number of requests
 */
export function leaveUnprocessed({ client }: Table, kind: Batch, times: number): () => number {
  let requests = 0;
  client.middlewareStack.add(
    (next, context) => async (args) => {
      if (context.commandName !== `${kind}Command` || requests++ >= times) return next(args);
      // Here requests have typed attribute values, and responses have plain ones.
      const text = JSON.stringify((args.input as { RequestItems: object }).RequestItems);
      const request = JSON.parse(text.replace(/\{"S":("[^"]*")\}/g, "$1"));
      const output = { $metadata: {}, UnprocessedItems: request, UnprocessedKeys: request };
      return { output, response: {} } as never;
    },
    { name: MIDDLEWARE, step: "finalizeRequest" },
  );
  return () => {
    client.middlewareStack.remove(MIDDLEWARE);
    return requests;
  };
}
