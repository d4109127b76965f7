import {
  type DynamoDBClient,
  InternalServerError,
  ProvisionedThroughputExceededException,
  TransactionCanceledException,
  TransactionConflictException,
} from "@aws-sdk/client-dynamodb";
import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { type Handler, type HandlerArguments, hasParts, sendFirstHalf } from "./world/partial-batches.ts";

/**
 * - `pass`: no fault
 * - `fail`: the service fails before it does anything; the SDK retries
 * - `lost`: the request is done, but the connection breaks before the response; the SDK retries
 * - `throttle`: the request is throttled, nothing is done; the SDK retries
 * - `crash`: nothing is done, and the caller gets a `Crash`, which the SDK does not retry
 * - `twice`: the network delivers the request twice; the caller gets the first response
 * - `conflict`: a transaction on the same item is in progress, so that nothing is done; the SDK does not retry. Only for
 *   writes: a read never meets one
 * - `partial`: the service serves only the first half of a batch, and names the rest in its response
 */
export type Fault = "pass" | "fail" | "lost" | "throttle" | "crash" | "twice" | "conflict" | "partial";

export interface FaultyOperation {
  /** The client of the SDK: DynamoDBClient, SQSClient, … */
  readonly client: string;
  /** AWS's name of the operation: PutItem, Query, TransactWriteItems, … */
  readonly command: string;
  /** The index of the attempt, the SDK's retries included, from 0 since the faults were injected. */
  readonly index: number;
  /** The low-level input, with typed attribute values. */
  readonly input: unknown;
}

type FaultyClient = DynamoDBClient | DynamoDBDocumentClient;

/** Stands for the end of the process in the code under test. */
export class Crash extends Error {
  override readonly name = "Crash";
}

const MIDDLEWARE = "injected faults";

/**
 * Does work with faults of the client, which are removed when it ends.
 * @param decide as for `injectFaults`, or the fault of the first attempt
 */
export async function withFaults<T>(
  client: FaultyClient,
  decide: Fault | ((operation: FaultyOperation) => Fault | Promise<Fault>),
  work: () => Promise<T>,
): Promise<T> {
  const end = injectFaults(
    client,
    typeof decide === "function" ? decide : ({ index }) => (index === 0 ? decide : "pass"),
  );
  try {
    return await work();
  } finally {
    end();
  }
}

/**
 * Injects a fault into each attempt of the client and of every document client made of it, below the SDK's retries.
 * `decide` may return a promise: the attempt waits for it, which delays it or puts it behind another.
 * @returns a function that removes the faults
 * @throws Error when the client already has injected faults
 */
export function injectFaults(
  client: FaultyClient,
  decide: (operation: FaultyOperation) => Fault | Promise<Fault>,
): () => void {
  let attempts = 0;
  (client.middlewareStack as DynamoDBClient["middlewareStack"]).add(
    (next, context) => async (args) => {
      const command = String(context.commandName).replace(/Command$/, "");
      const index = attempts++;
      switch (await decide({ client: String(context.clientName), command, index, input: args.input })) {
        case "pass":
          return next(args);
        case "fail":
          throw new InternalServerError({ $metadata: { httpStatusCode: 500 }, message: "injected: failed before" });
        case "throttle":
          throw new ProvisionedThroughputExceededException({
            $metadata: { httpStatusCode: 400 },
            message: "injected: throttled",
          });
        case "conflict":
          throw conflict(command, args.input);
        case "partial":
          return await sendFirstHalf(
            { command, isDocument: isDocumentCommand(context) },
            args as HandlerArguments,
            next as Handler,
          );
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

/** Document clients mark the context of their commands. */
function isDocumentCommand(context: object): boolean {
  const { __aws_sdk_context: sdk } = context as { __aws_sdk_context?: { features?: { DDB_MAPPER?: string } } };
  return sdk?.features?.DDB_MAPPER !== undefined;
}

/** The operations that DynamoDB refuses while a transaction on the same item is in progress. */
const conflicting: ReadonlySet<string> = new Set(["PutItem", "UpdateItem", "DeleteItem", "TransactWriteItems"]);

/** Whether AWS may answer an operation with this fault. */
export function isPossibleFault(fault: Fault, command: string): boolean {
  if (fault === "conflict") return conflicting.has(command);
  return fault !== "partial" || hasParts(command);
}

function conflict(command: string, input: unknown): Error {
  if (!conflicting.has(command)) return new Error(`${command} meets no conflict: inject another fault.`);
  const message = "injected: a transaction is in progress";
  const $metadata = { httpStatusCode: 400 };
  if (command !== "TransactWriteItems") return new TransactionConflictException({ $metadata, message });
  const { TransactItems = [] } = input as { TransactItems?: readonly unknown[] };
  const CancellationReasons = TransactItems.map((_, i) => ({ Code: i === 0 ? "TransactionConflict" : "None" }));
  return new TransactionCanceledException({ $metadata, message, CancellationReasons });
}

async function settle<T>(work: Promise<T>): Promise<PromiseSettledResult<T>> {
  const [result] = await Promise.allSettled([work]);
  return result;
}
