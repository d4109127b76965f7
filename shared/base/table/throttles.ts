interface Answer {
  readonly output: { readonly UnprocessedItems?: unknown; readonly UnprocessedKeys?: unknown };
}

interface MiddlewareStack {
  add(
    middleware: <Args, Result>(next: (args: Args) => Promise<Result>) => (args: Args) => Promise<Result>,
    options: { name: string; step: "finalizeRequest"; priority: "low"; override: true },
  ): void;
}

/** Errors by which DynamoDB refuses a request for the rate of requests, of a table or of one of its indexes. */
const errors: ReadonlySet<string> = new Set([
  "ProvisionedThroughputExceededException",
  "RequestLimitExceeded",
  "ThrottlingException",
]);
/** The same of a part of a transaction. */
const reasons: ReadonlySet<string | undefined> = new Set(["ProvisionedThroughputExceeded", "ThrottlingError"]);

/**
 * A plugin for a client of DynamoDB that reports each attempt that was throttled, also one that the SDK repeats with success.
 * Safe to use twice.
 */
export function throttlesPlugin(onThrottled: () => void) {
  return {
    applyToStack(stack: MiddlewareStack): void {
      stack.add(
        (next) => async (args) => {
          try {
            const answer = await next(args);
            if (hasUnprocessed(answer as Answer)) onThrottled();
            return answer;
          } catch (error) {
            if (isThrottle(error)) onThrottled();
            throw error;
          }
        },
        // Inside the SDK's retries.
        { name: "throttles", step: "finalizeRequest", priority: "low", override: true },
      );
    },
  };
}

/** The table leaves a part of a batch for its rate of requests. */
function hasUnprocessed({ output: { UnprocessedItems, UnprocessedKeys } }: Answer): boolean {
  return [UnprocessedItems, UnprocessedKeys].some((part) => Object.keys(part ?? {}).length > 0);
}

function isThrottle(error: unknown): boolean {
  const { name = "", CancellationReasons = [] } = error as {
    readonly name?: string;
    readonly CancellationReasons?: readonly { readonly Code?: string }[];
  };
  return errors.has(name) || CancellationReasons.some(({ Code }) => reasons.has(Code));
}
