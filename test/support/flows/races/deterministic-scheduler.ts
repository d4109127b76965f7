import { setImmediate as nextTurn } from "node:timers/promises";
import type { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import type { S3Client } from "@aws-sdk/client-s3";

const MIDDLEWARE = "scheduled";

/** A sequence of numbers in [0, 1) that follows from a seed. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * Runs tasks concurrently with only one call of these clients in progress at a time. The seed decides which call is next:
 * each seed is another interleaving, and the same seed gives the same one.
 * @returns the result of each task
 */
export async function interleave(
  clients: DynamoDBClient | readonly (DynamoDBClient | S3Client)[],
  seed: number,
  tasks: readonly (() => Promise<unknown>)[],
): Promise<PromiseSettledResult<unknown>[]> {
  const random = seededRandom(seed);
  const pendingCalls: (() => void)[] = [];
  let inFlight = 0;
  const stacks = [clients].flat().map(({ middlewareStack }) => middlewareStack as DynamoDBClient["middlewareStack"]);
  for (const stack of stacks) {
    stack.add(
      (next) => async (args) => {
        await new Promise<void>((resolve) => pendingCalls.push(resolve));
        try {
          return await next(args);
        } finally {
          inFlight--;
        }
      },
      { name: MIDDLEWARE, step: "finalizeRequest", priority: "high" },
    );
  }
  let running = true;
  const results = Promise.allSettled(tasks.map((task) => task())).finally(() => {
    running = false;
  });
  try {
    for (let idleTurns = 0; running; ) {
      await nextTurn();
      // Lets the completed call's task reach its next call before another task is picked.
      if (inFlight > 0 || idleTurns++ < 3) continue;
      const [startCall] = pendingCalls.splice(Math.floor(random() * pendingCalls.length), 1);
      if (!startCall) continue;
      idleTurns = 0;
      inFlight++;
      startCall();
    }
    return await results;
  } finally {
    for (const stack of stacks) stack.remove(MIDDLEWARE);
  }
}
