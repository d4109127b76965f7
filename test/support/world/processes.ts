import { AsyncLocalStorage } from "node:async_hooks";
import type { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import type { Millis } from "#base/kernel/time.ts";

/** A process of the service in a test: all work that starts within `run`. */
export interface WorldProcess {
  readonly name: string;
  /** How much its clock is ahead of the world's; negative when behind. */
  clockOffset: Millis;
  /** Runs work in the process. Work of a killed process never settles. */
  run<T>(work: () => Promise<T>): Promise<T>;
  /**
   * Lambda freezes a process that has answered. From its next call to AWS, or the response of one in progress, nothing
   * of it continues until `thaw`.
   */
  freeze(): void;
  thaw(): void;
  /** Ends the process: nothing of it continues, and no call of it starts. */
  kill(): void;
  readonly state: "running" | "frozen" | "killed";
}

const MIDDLEWARE = "processes";
const current = new AsyncLocalStorage<Process>();

/** The process that runs the caller; null outside of every process. */
export function currentProcess(): WorldProcess | null {
  return current.getStore() ?? null;
}

/** The clock of the process that runs the caller: for `setRuntimeOverrides`. */
export function processClock(now: () => Millis): () => Millis {
  return () => now() + (current.getStore()?.clockOffset ?? 0);
}

/** Starts a process. Its clients need `suspendable`. */
export function startProcess(name: string, clockOffset: Millis = 0): WorldProcess {
  return new Process(name, clockOffset);
}

/** Waits while the process of the caller is frozen, for ever when it is killed: before and after each call to outside. */
export async function untilRunning(): Promise<void> {
  await current.getStore()?.untilRunning();
}

/**
 * Lets the calls of these clients wait while the process that makes them is frozen.
 * @param clients any clients of the SDK: they share this middleware
 * @returns a function that ends it
 */
export function suspendable(clients: readonly unknown[]): () => void {
  const stacks = clients.map((client) => (client as DynamoDBClient).middlewareStack);
  for (const stack of stacks) {
    stack.add(
      (next) => async (args) => {
        await untilRunning();
        try {
          return await next(args);
        } finally {
          await untilRunning();
        }
      },
      // Around each attempt, above injected faults.
      { name: MIDDLEWARE, step: "finalizeRequest", priority: "normal" },
    );
  }
  return () => {
    for (const stack of stacks) stack.remove(MIDDLEWARE);
  };
}

class Process implements WorldProcess {
  readonly name: string;
  clockOffset: Millis;
  state: WorldProcess["state"] = "running";
  #waiting: (() => void)[] = [];

  constructor(name: string, clockOffset: Millis) {
    this.name = name;
    this.clockOffset = clockOffset;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    const result = await current.run(this, () => Promise.allSettled([work()]));
    await this.untilRunning();
    const [settled] = result;
    if (settled.status === "rejected") throw settled.reason;
    return settled.value;
  }

  freeze(): void {
    if (this.state === "running") this.state = "frozen";
  }

  thaw(): void {
    if (this.state !== "frozen") return;
    this.state = "running";
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const wake of waiting) wake();
  }

  kill(): void {
    this.state = "killed";
    this.#waiting = [];
  }

  async untilRunning(): Promise<void> {
    while (this.state !== "running") await new Promise<void>((wake) => this.#waiting.push(wake));
  }
}
