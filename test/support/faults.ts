import {
  type DynamoDBClient,
  InternalServerError,
  ProvisionedThroughputExceededException,
} from "@aws-sdk/client-dynamodb";
import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";

/**
 * - `pass`: as if nothing were there
 * - `fail`: the service errs before it does anything; the SDK retries
 * - `lost`: it is done, but the connection breaks before the answer; the SDK retries
 * - `throttle`: refused for too much traffic, nothing done; the SDK retries
 * - `crash`: nothing done, and the caller gets a Crash, which nobody retries
 * - `twice`: the network delivers the request twice; the caller gets the first answer
 */
export type Fault = "pass" | "fail" | "lost" | "throttle" | "crash" | "twice";

export interface FaultyOperation {
  /** As AWS names it: PutItem, Query, TransactWriteItems, … */
  readonly command: string;
  /** Counts every attempt of the client, the SDK's retries included, from 0 since the faults were injected. */
  readonly index: number;
  /** The low-level input, with typed attribute values. */
  readonly input: unknown;
}

/** The process ended here, as far as the code under test can tell. */
export class Crash extends Error {
  override readonly name = "Crash";
}

const MIDDLEWARE = "injected faults";

/**
 * Lets `decide` spoil single attempts of the client and of every document client made of it, below the SDK's retries.
 * `decide` may answer with a promise: the attempt waits for it, which delays it or puts it behind another.
 * @returns ends the faults
 * @throws Error when the client has injected faults already
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
          await next(args).catch(() => {}); // even a refusal is lost
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
