import { openGrowth } from "./pool-growth.ts";
import { FunctionFailed, type Sandbox } from "./sandbox.ts";
import type { SandboxBudget } from "./sandbox-budget.ts";

/** The sandboxes of one function, at most one per concurrent event and up to a maximum. Further events wait in a queue. */
export interface Pool {
  /** Opens the first sandbox and resolves when it is loaded. Throws FunctionFailed if it cannot be loaded. */
  load(): Promise<void>;
  /** @param source what the event comes from: a queue; default: requests and schedules */
  invoke(event: unknown, source?: string): Promise<unknown>;
  /**
   * Resolves when a source shall read its next event: a sandbox is idle, or the function may need another one. What the
   * source does not read in the meantime becomes a larger batch.
   */
  ready(source: string): Promise<void>;
  close(): Promise<void>;
}

export interface PoolOptions {
  readonly sandboxesMax: number;
  readonly budget: SandboxBudget;
  /** An idle sandbox is closed after this time, in milliseconds, unless it is the last one. */
  readonly idleMax: number;
  /** The last one is closed when it is idle for so long, in milliseconds. The next event opens another. */
  readonly lastIdleMax: number;
  /** The sources of the function's events: each finds a sandbox while another one occupies many. Default: one. */
  readonly sources?: number;
  /**
   * Before another sandbox opens beside `n` others that do not hang, `n` times this passes, in milliseconds. The second one
   * opens at once.
   */
  readonly growthPause: number;
}

/** An ordinary event is done within this time, in milliseconds of a machine with two processors. */
const SPARE_DELAY_MS = 100;
/** A source reads its next event after this time, in milliseconds, also while every sandbox is busy. */
const READ_AHEAD_MS = 100;
/** Where there is no room for another sandbox, it is looked for again after this time, in milliseconds. */
const ROOM_CHECK_MS = 500;
/** The most sandboxes that are loaded ahead while events hang. */
const SPARES_MAX = 8;
const REQUESTS = "";

interface Waiter {
  readonly source: string;
  readonly since: number;
  resolve(sandbox: Sandbox): void;
  reject(error: FunctionFailed): void;
}

interface IdleSandbox {
  readonly sandbox: Sandbox;
  readonly since: number;
}

/**
 * An event takes the sandbox that was used last. If none is idle, another one opens when it is of use, and the event takes
 * the first that is free: a short event need not wait until the other one is loaded. A source that runs an event leaves an
 * idle sandbox to the other sources, unless no further one may open. Once two are busy, one more is loaded ahead, after the
 * time that an ordinary event takes, and several while events hang.
 */
export function openPool(
  { sandboxesMax, budget, idleMax, lastIdleMax, sources = 1, growthPause }: PoolOptions,
  open: () => Sandbox,
): Pool {
  const all = new Set<Sandbox>();
  const idle: IdleSandbox[] = [];
  const waiters: Waiter[] = [];
  const running = new Map<string, number>();
  const growth = openGrowth({
    pause: growthPause,
    count: () => Math.max(Math.min(1, all.size), all.size - hanging()),
    isSaturated: () => budget.isSaturated([...all].filter(isOccupied).length),
  });
  let changed = Promise.withResolvers<void>();
  let loading = 0;
  let isFull = false;
  let closed = false;
  let idleTimer: NodeJS.Timeout | undefined;
  let spareTimer: NodeJS.Timeout | undefined;
  let roomTimer: NodeJS.Timeout | undefined;

  const hanging = (): number => [...all].filter((each) => each.hangs()).length;

  /** It runs an event that does not hang, or loads. */
  function isOccupied(sandbox: Sandbox): boolean {
    return !sandbox.hangs() && !idle.some((each) => each.sandbox === sandbox);
  }

  const runs = (source: string): number => running.get(source) ?? 0;
  const countRun = (source: string, by: 1 | -1): void => void running.set(source, runs(source) + by);

  /** @param spare idle sandboxes besides the one that it takes */
  const mayTake = (source: string, spare: number): boolean =>
    spare > 0 || sources === 1 || runs(source) === 0 || isFull || all.size >= sandboxesMax;

  const acquire = async (source: string): Promise<Sandbox> => {
    if (closed) throw stopping();
    while (mayTake(source, idle.length - 1)) {
      const candidate = idle.pop();
      if (!candidate) break;
      if (!candidate.sandbox.failure()) {
        countRun(source, 1);
        growLater();
        return candidate.sandbox;
      }
      remove(candidate.sandbox);
    }
    const { promise, resolve, reject } = Promise.withResolvers<Sandbox>();
    waiters.push({ source, since: performance.now(), resolve, reject });
    grow();
    return await promise;
  };

  const release = (sandbox: Sandbox): void => {
    if (sandbox.failure()) remove(sandbox);
    else {
      const at = waiters.findIndex(({ source }) => mayTake(source, idle.length));
      const [next] = at < 0 ? [] : waiters.splice(at, 1);
      if (next) {
        countRun(next.source, 1);
        next.resolve(sandbox);
      } else {
        idle.push({ sandbox, since: performance.now() });
        closeIdle();
      }
    }
    notify();
    if (waiters.length > 0) grow();
  };

  const notify = (): void => {
    changed.resolve();
    changed = Promise.withResolvers();
  };

  /** The event that took the last idle sandbox is often done first, and has the processors for itself. */
  const growLater = (): void => {
    if (!isSpareMissing()) return;
    clearTimeout(spareTimer);
    spareTimer = setTimeout(grow, SPARE_DELAY_MS).unref();
  };

  /** One, and while events hang one for each of them, up to a maximum: they come faster than sandboxes load. */
  const spares = (): number => Math.max(1, Math.min(SPARES_MAX, hanging()));

  const isSpareMissing = (): boolean => all.size >= 2 && idle.length + loading < spares();

  const hasUse = (): boolean => waiters.length > loading || isSpareMissing();

  /** Opens a sandbox if an event still waits for one, or none is idle, when it is its turn. */
  const grow = (): void => {
    if (closed || !hasUse() || growth.isPostponed(waiters[0]?.since ?? performance.now(), grow)) return;
    void budget.whileLoading(async () => {
      if (closed || !hasUse() || all.size >= sandboxesMax) return;
      isFull = !budget.take(all.size);
      if (isFull) {
        // No further one may open, so none is left to the other sources.
        giveIdle();
        return growWithRoom();
      }
      const sandbox = open();
      all.add(sandbox);
      budget.opened(sandbox);
      growth.opened();
      loading += 1;
      if (waiters.length > loading) grow();
      const failure = await sandbox.loaded();
      loading -= 1;
      if (failure) waiters.shift()?.reject(failure);
      release(sandbox);
      growLater();
    });
  };

  const giveIdle = (): void => {
    for (;;) {
      const at = waiters.findIndex(({ source }) => mayTake(source, idle.length - 1));
      const candidate = at < 0 ? undefined : idle.pop();
      if (!candidate) return;
      if (candidate.sandbox.failure()) {
        remove(candidate.sandbox);
        continue;
      }
      const [next] = waiters.splice(at, 1);
      countRun(next?.source ?? REQUESTS, 1);
      next?.resolve(candidate.sandbox);
    }
  };

  /** An idle sandbox of another function is closed later. */
  const growWithRoom = (): void => {
    roomTimer ??= setTimeout(() => {
      roomTimer = undefined;
      grow();
    }, ROOM_CHECK_MS).unref();
  };

  const remove = (sandbox: Sandbox): void => {
    if (!all.delete(sandbox)) return;
    isFull = false;
    budget.release(sandbox);
  };

  const closeOldest = (idleMin: number): boolean => {
    const [oldest] = idle;
    if (!oldest || performance.now() - oldest.since < idleMin) return false;
    idle.shift();
    remove(oldest.sandbox);
    void oldest.sandbox.close();
    return true;
  };
  budget.onFull((idleMin) => all.size > 1 && closeOldest(idleMin));

  const closeIdle = (): void => {
    clearTimeout(idleTimer);
    for (let [oldest] = idle; oldest; [oldest] = idle) {
      const remaining = oldest.since + (idle.length > 1 ? idleMax : lastIdleMax) - performance.now();
      if (remaining > 0) {
        idleTimer = setTimeout(closeIdle, remaining).unref();
        return;
      }
      closeOldest(0);
    }
  };

  return {
    async load() {
      const sandbox = await acquire(REQUESTS);
      countRun(REQUESTS, -1);
      release(sandbox);
    },
    async invoke(event, source = REQUESTS) {
      const sandbox = await acquire(source);
      try {
        return await sandbox.invoke(event);
      } finally {
        countRun(source, -1);
        release(sandbox);
      }
    },
    async ready(source) {
      const readAheadAt = performance.now() + READ_AHEAD_MS;
      while (!closed) {
        // One event of a source waits for a sandbox, and no more.
        const waits = waiters.some((waiter) => waiter.source === source);
        if (!waits && idle.length > 0 && mayTake(source, idle.length - 1)) return;
        const remaining = readAheadAt - performance.now();
        if (!waits && remaining <= 0) return;
        await (waits ? changed.promise : Promise.race([changed.promise, sleep(remaining)]));
      }
    },
    async close() {
      closed = true;
      growth.close();
      for (const timer of [spareTimer, roomTimer, idleTimer]) clearTimeout(timer);
      for (const waiter of waiters.splice(0)) waiter.reject(stopping());
      notify();
      await Promise.all([...all].map((sandbox) => sandbox.close()));
    },
  };
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}

function stopping(): FunctionFailed {
  return new FunctionFailed("died", "The stack is stopping.");
}
