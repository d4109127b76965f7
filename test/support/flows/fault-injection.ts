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

/**
 * `npm test` injects a fault into every other call, the three in turn. `npm run test:full` injects all three into each
 * call. The run of planted faults injects one of the three into each, in turn, and all three where no test failed.
 */
export const FAULT_STEP = inject("fullRun") ? 1 : Number(process.env.TEST_FAULT_STEP ?? 2 * faultPoints.length);

/** The first call that gets this fault. Every `FAULT_STEP`-th call after it gets it, too. */
export function firstFault(faultPoint: FaultPoint): number {
  return (2 * faultPoints.indexOf(faultPoint)) % FAULT_STEP;
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

/** A fault at one call of a process, and the process that meets it. */
interface StruckCall {
  /** The call that gets the fault, from 0. */
  readonly callIndex: number;
  /** Runs the process that meets the fault. */
  during<T>(process: (crashable: (worker: QueueWorker) => QueueWorker) => Promise<T>): Promise<T>;
  /** Whether the process made that call. */
  reached(): boolean;
  isCrashed(): boolean;
}

/**
 * Runs a test with a fault at each call of a process in turn, and at last with none.
 * @returns how many calls the process made without a fault
 */
async function strikeInTurn(
  clients: readonly unknown[],
  faultPoint: FaultPoint,
  run: (struck: StruckCall) => Promise<void>,
): Promise<number> {
  for (let callIndex = firstFault(faultPoint); ; callIndex += FAULT_STEP) {
    let injection: ReturnType<typeof injectFaultAt> | undefined;
    const struck: StruckCall = {
      callIndex,
      during: async (process) => {
        const current = injectFaultAt(clients, faultPoint, callIndex);
        injection = current;
        try {
          return await process(current.crashable);
        } finally {
          current.remove();
        }
      },
      reached: () => injection?.reached() ?? false,
      isCrashed: () => injection?.isCrashed() ?? false,
    };
    await run(struck).catch((error: unknown) => {
      if (error instanceof Error) error.message = `With a fault at call ${callIndex}: ${error.message}`;
      throw error;
    });
    if (!struck.reached()) return callIndex;
  }
}

/** A fault at one call, as a test uses it. */
export interface Strike extends Pick<StruckCall, "reached"> {
  /** Runs the process that meets the fault. */
  during<T>(process: () => Promise<T>): Promise<T>;
  /** Runs a worker that meets the fault on one batch of a queue. */
  invoke(queue: string, worker: QueueWorker, remainingMs?: number): ReturnType<typeof invokeWorker>;
}

/**
 * Runs a test with a fault at each call to AWS of a process in turn, and at last with none.
 * @param run sets up, runs the process once, and checks what it leaves
 * @returns how many calls the process made without a fault
 */
export function strikeEachCall(
  { clients, eventSource }: Pick<TestEnv, "clients" | "eventSource">,
  faultPoint: FaultPoint,
  run: (strike: Strike) => Promise<void>,
): Promise<number> {
  return strikeInTurn(clients, faultPoint, ({ during, reached }) =>
    run({
      during,
      invoke: (queue, worker, remainingMs) =>
        during((crashable) => invokeWorker(eventSource, queue, crashable(worker), remainingMs)),
      reached,
    }),
  );
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
    await strikeInTurn(env.clients, faultPoint, async ({ callIndex, during, reached, isCrashed }) => {
      let interrupted = 0;
      const interrupt: Interrupt = (work) => {
        interrupted++;
        return during(work).catch((error: unknown) => {
          if (!isCrashed()) throw error;
          return null;
        });
      };
      await scenario(interrupt, { faultPoint, callIndex, isReached: reached });
      if (interrupted !== 1) throw new Error(`The scenario interrupted ${interrupted} times.`);
    });
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
