import { FunctionFailed } from "./sandbox.ts";

/** The invocations that run at the same time, of all functions together. */
export interface AccountConcurrency {
  /** Runs an invocation. Throws FunctionFailed with the reason `throttled` if as many as may run already do. */
  run<T>(invoke: () => Promise<T>): Promise<T>;
}

/** @param max what the account permits, from 1 */
export function openAccountConcurrency(max: number): AccountConcurrency {
  let running = 0;
  return {
    async run(invoke) {
      if (running >= max) throw new FunctionFailed("throttled", `Rate Exceeded: ${max} invocations run already.`);
      running += 1;
      try {
        return await invoke();
      } finally {
        running -= 1;
      }
    },
  };
}
