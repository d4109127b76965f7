import { FunctionFailed, type Sandbox } from "./sandbox.ts";
import type { SandboxBudget } from "./sandbox-budget.ts";

/** The sandboxes of one function, one per concurrent event up to a maximum. Further events wait in a queue. */
export interface Pool {
  /** Opens the first sandbox and resolves when it is loaded. Throws FunctionFailed if it cannot be loaded. */
  load(): Promise<void>;
  invoke(event: unknown): Promise<unknown>;
  close(): Promise<void>;
}

export interface PoolOptions {
  readonly sandboxesMax: number;
  readonly budget: SandboxBudget;
  /** An idle sandbox is closed after this time, in milliseconds, unless it is the last one. */
  readonly idleMax: number;
}

/** An ordinary event is done within this time, in milliseconds of a machine with two processors. */
const SPARE_DELAY_MS = 100;

interface Waiter {
  resolve(sandbox: Sandbox): void;
  reject(error: FunctionFailed): void;
}

interface IdleSandbox {
  readonly sandbox: Sandbox;
  readonly since: number;
}

/**
 * An event takes the sandbox that was used last. If none is idle, another one opens, and the event takes the first that
 * is free: a short event need not wait until the other one is loaded. Once two are busy, one more is loaded
 * ahead, after the time that an ordinary event takes.
 */
export function openPool({ sandboxesMax, budget, idleMax }: PoolOptions, open: () => Sandbox): Pool {
  const all = new Set<Sandbox>();
  const idle: IdleSandbox[] = [];
  const waiters: Waiter[] = [];
  let loading = 0;
  let closed = false;
  let idleTimer: NodeJS.Timeout | undefined;
  let spareTimer: NodeJS.Timeout | undefined;

  const acquire = async (): Promise<Sandbox> => {
    if (closed) throw stopping();
    for (let candidate = idle.pop(); candidate; candidate = idle.pop()) {
      if (!candidate.sandbox.failure()) {
        growLater();
        return candidate.sandbox;
      }
      remove(candidate.sandbox);
    }
    const { promise, resolve, reject } = Promise.withResolvers<Sandbox>();
    waiters.push({ resolve, reject });
    grow();
    return await promise;
  };

  const release = (sandbox: Sandbox): void => {
    if (sandbox.failure()) remove(sandbox);
    else {
      const next = waiters.shift();
      if (next) next.resolve(sandbox);
      else {
        idle.push({ sandbox, since: performance.now() });
        closeIdle();
      }
    }
    if (waiters.length > 0) grow();
  };

  /** The event that took the last idle sandbox is often done first, and has the processors for itself. */
  const growLater = (): void => {
    if (!isSpareMissing()) return;
    clearTimeout(spareTimer);
    spareTimer = setTimeout(grow, SPARE_DELAY_MS).unref();
  };

  const isSpareMissing = (): boolean => all.size >= 2 && idle.length === 0 && loading === 0;

  /** Opens a sandbox if an event still waits for one, or none is idle, when it is its turn. */
  const grow = (): void => {
    void budget.whileLoading(async () => {
      const hasUse = waiters.length > loading || isSpareMissing();
      if (closed || !hasUse || all.size >= sandboxesMax || !budget.take(all.size)) return;
      const sandbox = open();
      all.add(sandbox);
      loading += 1;
      const failure = await sandbox.loaded();
      loading -= 1;
      if (failure) waiters.shift()?.reject(failure);
      release(sandbox);
    });
  };

  const remove = (sandbox: Sandbox): void => {
    if (all.delete(sandbox)) budget.release();
  };

  const closeIdle = (): void => {
    clearTimeout(idleTimer);
    for (let [oldest] = idle; oldest && idle.length > 1; [oldest] = idle) {
      const remaining = oldest.since + idleMax - performance.now();
      if (remaining > 0) {
        idleTimer = setTimeout(closeIdle, remaining).unref();
        return;
      }
      idle.shift();
      remove(oldest.sandbox);
      void oldest.sandbox.close();
    }
  };

  return {
    async load() {
      release(await acquire());
    },
    async invoke(event) {
      const sandbox = await acquire();
      try {
        return await sandbox.invoke(event);
      } finally {
        release(sandbox);
      }
    },
    async close() {
      closed = true;
      clearTimeout(spareTimer);
      clearTimeout(idleTimer);
      for (const waiter of waiters.splice(0)) waiter.reject(stopping());
      await Promise.all([...all].map((sandbox) => sandbox.close()));
    },
  };
}

function stopping(): FunctionFailed {
  return new FunctionFailed("died", "The stack is stopping.");
}
