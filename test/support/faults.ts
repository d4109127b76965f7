import {
  type DynamoDBClient,
  InternalServerError,
  ProvisionedThroughputExceededException,
} from "@aws-sdk/client-dynamodb";
import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";

/**
 * - `pass`: no fault
 * - `fail`: the service fails before it does anything; the SDK retries
 * - `lost`: the request is done, but the connection breaks before the response; the SDK retries
 * - `throttle`: the request is throttled, nothing is done; the SDK retries
 * - `crash`: nothing is done, and the caller gets a `Crash`, which the SDK does not retry
 * - `twice`: the network delivers the request twice; the caller gets the first response
 */
export type Fault = "pass" | "fail" | "lost" | "throttle" | "crash" | "twice";

export interface FaultyOperation {
  /** AWS's name of the operation: PutItem, Query, TransactWriteItems, … */
  readonly command: string;
  /** The index of the attempt, the SDK's retries included, from 0 since the faults were injected. */
  readonly index: number;
  /** The low-level input, with typed attribute values. */
  readonly input: unknown;
}

/** Stands for the end of the process in the code under test. */
export class Crash extends Error {
  override readonly name = "Crash";
}

const MIDDLEWARE = "injected faults";

/**
 * Injects a fault into each attempt of the client and of every document client made of it, below the SDK's retries.
 * `decide` may return a promise: the attempt waits for it, which delays it or puts it behind another.
 * @returns a function that removes the faults
 * @throws Error when the client already has injected faults
 */
export function injectFaults(
  client: DynamoDBClient | DynamoDBDocumentClient,
  decide: (operation: FaultyOperation) => Fault | Promise<Fault>,
): () => void {
  let attempts = 0;
  (client.middlewareStack as DynamoDBClient["middlewareStack"]).add(
    (next, context) => async (args) => {
      const command = String(context.commandName).replace(/Command$/, "");
      const index = attempts++;
      switch (await decide({ command, index, input: args.input })) {
        case "pass":
          return next(args);
        case "fail":
          throw new InternalServerError({ $metadata: { httpStatusCode: 500 }, message: "injected: failed before" });
        case "throttle":
          throw new ProvisionedThroughputExceededException({
            $metadata: { httpStatusCode: 400 },
            message: "injected: throttled",
          });
        case "crash":
          throw new Crash(`injected: crashed before ${command}, attempt ${index}`);
        case "lost":
          await next(args).catch(() => {}); // The client never sees the response, not even an error.
          throw Object.assign(new Error("injected: answer lost"), { code: "ECONNRESET" });
        case "twice": {
          const [first] = [await settle(next(args)), await settle(next(args))];
          if (first.status === "rejected") throw first.reason;
          return first.value;
        }
      }
    },
    { name: MIDDLEWARE, step: "finalizeRequest", priority: "low" },
  );
  return () => {
    client.middlewareStack.remove(MIDDLEWARE);
  };
}

async function settle<T>(work: Promise<T>): Promise<PromiseSettledResult<T>> {
  const [result] = await Promise.allSettled([work]);
  return result;
}
