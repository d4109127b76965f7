import type { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { inject, it } from "vitest";
import { type Fault, injectFaults } from "../faults.ts";
import { invokeWorker, type QueueWorker } from "./queue-worker.ts";
import type { TestEnv } from "./test-env.ts";

/**
 * - `before`: the process dies before the call
 * - `after`: the call is done, then the process dies
 * - `lost`: the call is done and its response is lost; the process lives and the SDK retries
 */
export const faultPoints = ["before", "after", "lost"] as const;
export type FaultPoint = (typeof faultPoints)[number];

/** `npm test` injects one of the three faults into each call, in turn. `npm run test:full` injects all three. */
export const FAULT_STEP = inject("fullRun") ? 1 : faultPoints.length;

/** The first call that gets this fault. Every `FAULT_STEP`-th call after it gets it, too. */
export function firstFault(faultPoint: FaultPoint): number {
  return faultPoints.indexOf(faultPoint) % FAULT_STEP;
}

/**
 * Injects a fault into the k-th call to AWS of a process, counted over all its clients from 0. After a crash every
 * further call fails, in every concurrent branch.
 */
export function injectFaultAt(clients: readonly unknown[], faultPoint: FaultPoint, callIndex: number) {
  let calls = 0;
  let crashed = false;
  let isReached = false;
  const decide = (): Fault => {
    const index = calls++;
    if (crashed) return "crash";
    if (index !== callIndex) return "pass";
    isReached = true;
    crashed = faultPoint !== "lost";
    // After a lost response the SDK of a crashed process retries, and that retry fails.
    return faultPoint === "before" ? "crash" : "lost";
  };
  // The faults sit in the middleware that all clients of the SDK share.
  const removals = clients.map((client) => injectFaults(client as DynamoDBClient, decide));
  return {
    reached: () => isReached,
    isCrashed: () => crashed,
    /** A worker whose whole batch is delivered again if its process crashed. */
    crashable:
      (worker: QueueWorker): QueueWorker =>
      async (event, invocation) => {
        const answer = await worker(event, invocation);
        return crashed
          ? { batchItemFailures: event.Records.map(({ messageId }) => ({ itemIdentifier: messageId })) }
          : answer;
      },
    remove: () => {
      for (const removeFault of removals) removeFault();
    },
  };
}

/** A fault at one call of a process. */
export interface Strike {
  /** Runs the process that meets the fault. */
  during<T>(process: () => Promise<T>): Promise<T>;
  /** Runs a worker that meets the fault on one batch of a queue. */
  invoke(queue: string, worker: QueueWorker, remainingMs?: number): ReturnType<typeof invokeWorker>;
  /** Whether the process made that call. */
  reached(): boolean;
}

/**
 * Runs a test with a fault at each call to AWS of a process in turn, and at last with none.
 * @param run sets up, runs the process once, and checks what it leaves
 * @returns how many calls the process made without a fault
 */
export async function strikeEachCall(
  { clients, eventSource }: Pick<TestEnv, "clients" | "eventSource">,
  faultPoint: FaultPoint,
  run: (strike: Strike) => Promise<void>,
): Promise<number> {
  for (let k = firstFault(faultPoint); ; k += FAULT_STEP) {
    let injection: ReturnType<typeof injectFaultAt> | undefined;
    const during = async <T>(process: (crashable: (worker: QueueWorker) => QueueWorker) => Promise<T>): Promise<T> => {
      const current = injectFaultAt(clients, faultPoint, k);
      injection = current;
      try {
        return await process(current.crashable);
      } finally {
        current.remove();
      }
    };
    const strike: Strike = {
      during,
      invoke: (queue, worker, remainingMs) =>
        during((crashable) => invokeWorker(eventSource, queue, crashable(worker), remainingMs)),
      reached: () => injection?.reached() ?? false,
    };
    await run(strike).catch((error: unknown) => {
      if (error instanceof Error) error.message = `With a fault at call ${k}: ${error.message}`;
      throw error;
    });
    if (!injection?.reached()) return k;
  }
}

/** Does work as a process that a fault interrupts. @returns null when the process crashed and the work throws */
type Interrupt = <T>(work: () => Promise<T>) => Promise<T | null>;

interface FaultRun {
  readonly faultPoint: FaultPoint;
  /** The call that gets the fault, from 0. */
  readonly callIndex: number;
  /** After the interruption: whether the work made that call. */
  isReached(): boolean;
}

/**
 * Declares a test for each of `faultPoints`. It repeats its scenario, with a fault in a later call to AWS each time, until
 * the work that is interrupted makes no such call any more.
 *
 * @param name with a `%s` for the fault
 * @param env its `clients` are read when the test runs
 * @param scenario makes what it needs, and interrupts once
 */
export function eachFault(
  name: string,
  env: { readonly clients: readonly unknown[] },
  scenario: (interrupt: Interrupt, run: FaultRun) => Promise<unknown>,
  timeout?: number,
): void {
  const test = async (faultPoint: FaultPoint) => {
    for (let k = firstFault(faultPoint), isReached = true; isReached; k += FAULT_STEP) {
      let interrupted = 0;
      const interrupt: Interrupt = async (work) => {
        interrupted++;
        const injection = injectFaultAt(env.clients, faultPoint, k);
        try {
          return await work();
        } catch (error) {
          if (!injection.isCrashed()) throw error;
          return null;
        } finally {
          injection.remove();
          isReached = injection.reached();
        }
      };
      await scenario(interrupt, { faultPoint, callIndex: k, isReached: () => isReached });
      if (interrupted !== 1) throw new Error(`The scenario interrupted ${interrupted} times.`);
    }
  };
  it.each(faultPoints)(name, test, timeout);
}

/**
 * Injects a fault into the k-th call to AWS of several processes, one after the other, counted from 0. A crash ends the
 * process that makes the call and no other. Calls outside of a process, such as those of the test, pass and do not count.
 */
export function injectIntoProcesses(clients: readonly unknown[], faultPoint: FaultPoint, callIndex: number) {
  let calls = 0;
  let isRunning = false;
  let crashed = false;
  let isReached = false;
  const decide = (): Fault => {
    if (!isRunning) return "pass";
    if (crashed) return "crash";
    if (calls++ !== callIndex) return "pass";
    isReached = true;
    crashed = faultPoint !== "lost";
    return faultPoint === "before" ? "crash" : "lost";
  };
  const removals = clients.map((client) => injectFaults(client as DynamoDBClient, decide));
  /** @returns null for a process that crashed */
  async function run<T>(work: () => Promise<T>): Promise<T | null> {
    isRunning = true;
    crashed = false;
    const [result] = await Promise.allSettled([work()]);
    isRunning = false;
    if (crashed) return null;
    if (result.status === "rejected") throw result.reason;
    return result.value;
  }
  return {
    reached: () => isReached,
    run,
    /** A worker in a process. Its whole batch is delivered again if it crashed. */
    worker:
      (worker: QueueWorker): QueueWorker =>
      async (event, invocation) =>
        (await run(() => worker(event, invocation))) ?? {
          batchItemFailures: event.Records.map(({ messageId }) => ({ itemIdentifier: messageId })),
        },
    remove: () => {
      for (const removeFault of removals) removeFault();
    },
  };
}
