import type { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { type Fault, injectFaults } from "../../../support/faults.ts";
import type { Worker } from "./queue-work.ts";

/**
 * - `before`: the process dies before the call
 * - `after`: the call is done, then the process dies
 * - `lost`: the call is done and its answer lost; the process lives and the SDK asks again
 */
export const strikes = ["before", "after", "lost"] as const;
export type Strike = (typeof strikes)[number];

/**
 * Strikes at the k-th call to AWS of a process, counted over all its clients from 0. Once it is dead, none of its
 * calls gets through, on whatever branch.
 */
export function strikeAt(clients: readonly unknown[], strike: Strike, k: number) {
  let calls = 0;
  let dead = false;
  let reached = false;
  const decide = (): Fault => {
    const mine = calls++;
    if (dead) return "crash";
    if (mine !== k) return "pass";
    reached = true;
    dead = strike !== "lost";
    // After it lost an answer a dead process asks again, and is stopped there.
    return strike === "before" ? "crash" : "lost";
  };
  // The faults sit in what all clients of the SDK share.
  const ends = clients.map((client) => injectFaults(client as DynamoDBClient, decide));
  return {
    reached: () => reached,
    /** A worker that reports nothing once its process is dead: then all of its batch comes again. */
    mortal:
      (worker: Worker): Worker =>
      async (event, invocation) => {
        const answer = await worker(event, invocation);
        return dead
          ? { batchItemFailures: event.Records.map(({ messageId }) => ({ itemIdentifier: messageId })) }
          : answer;
      },
    end: () => {
      for (const end of ends) end();
    },
  };
}
