import { setImmediate as nextTurn } from "node:timers/promises";
import type { DynamoDBClient } from "@aws-sdk/client-dynamodb";

const MIDDLEWARE = "scheduled";

/** A row of numbers in [0, 1) that follows from a seed. */
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
 * Runs tasks side by side so that only one of their calls to the table is under way at a time, and which one comes next
 * follows from the seed: every seed is another interleaving, and the same one gives the same.
 * @returns how each task ended
 */
export async function interleave(
  client: DynamoDBClient,
  seed: number,
  tasks: readonly (() => Promise<unknown>)[],
): Promise<PromiseSettledResult<unknown>[]> {
  const random = seededRandom(seed);
  const pendingCalls: (() => void)[] = [];
  let inFlight = 0;
  client.middlewareStack.add(
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
  let running = true;
  const results = Promise.allSettled(tasks.map((task) => task())).finally(() => {
    running = false;
  });
  try {
    for (let idleTurns = 0; running; ) {
      await nextTurn();
      // What was answered goes on to its next call before anyone is picked.
      if (inFlight > 0 || idleTurns++ < 3) continue;
      const [startCall] = pendingCalls.splice(Math.floor(random() * pendingCalls.length), 1);
      if (!startCall) continue;
      idleTurns = 0;
      inFlight++;
      startCall();
    }
    return await results;
  } finally {
    client.middlewareStack.remove(MIDDLEWARE);
  }
}
