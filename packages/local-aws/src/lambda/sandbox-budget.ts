import { availableParallelism } from "node:os";
import { monitorEventLoopDelay, performance } from "node:perf_hooks";
import { observeDemand } from "./processor-demand.ts";
import type { Sandbox } from "./sandbox.ts";

/**
 * The memory of one loaded sandbox, in bytes: at most 20 MB on average measured with Node.js 24 over the functions of a
 * stack under load, 26 with the largest bundle. A function under load may use up to its memory setting.
 */
const SANDBOX_BYTES = 24 * 2 ** 20;
/** The share of the available memory that sandboxes may use. */
const MEMORY_SHARE = 0.5;
/** What the sandboxes of all functions may use together, in bytes, on a machine with much memory. */
const MEMORY_MAX = 2 ** 30;
/** A function may always open this many: else the sandboxes of one function could prevent another from running. */
const GUARANTEED_PER_FUNCTION = 2;

export interface SandboxBudgetOptions {
  /** Maximum sandboxes of all functions together, above the guaranteed ones. */
  readonly sandboxesMax: number;
  /** Maximum sandboxes that are being loaded at the same time. */
  readonly loadsMax: number;
  /** The same while the stack starts and no event waits. */
  readonly startLoadsMax: number;
  /** Default: this machine's. */
  readonly processors?: number;
  /** How many threads of this process compute or wait for a processor. Default: observed. */
  readonly demand?: () => number;
}

type Computing = Pick<Sandbox, "computing">;

/** A thread that computes for this share of its time waits for little beside it. */
const COMPUTING = 0.5;
/** Of a stack that has no time left, the engine of the table and its callers use a part of the processors. */
const DEMAND_SHARE = 0.75;
/** An idle sandbox is left to its function for this time, in milliseconds: otherwise two busy functions close each other's. */
const RECENTLY_USED_MS = 5_000;
/** How long the thread of the services is observed, how often, and how late it may be on average, in milliseconds. */
const OBSERVED_MS = 200;
const RESOLUTION_MS = 10;
const LATE_MS = 10;

/** What all functions of a stack share: memory for sandboxes, and the processors that load them. */
export interface SandboxBudget {
  /**
   * Counts one more sandbox of a function that has `ownCount`. Where there is no room for it, an idle one of another
   * function is closed, unless that was used a moment ago. Returns false if there is none.
   */
  take(ownCount: number): boolean;
  /**
   * @param closeIdle closes a sandbox that is idle for at least `idleMin` milliseconds, of a function that has others, and
   * releases it. False if there is none
   */
  onFull(closeIdle: (idleMin: number) => boolean): void;
  /** What was counted is this sandbox. */
  opened(sandbox: Computing): void;
  release(sandbox: Computing): void;
  /**
   * True while as many threads compute, or wait for a processor, as there are processors: one more would take theirs.
   * @param ownCount the sandboxes of the function that run or load, without those that hang: with fewer than there are
   *   processors, one more is of use
   */
  isSaturated(ownCount: number): boolean;
  /** Runs `load` as soon as few enough others run. */
  whileLoading(load: () => Promise<void>): Promise<void>;
  /** Runs `start` with the limit of loads of a stack that starts. */
  whileStarting(start: () => Promise<void>): Promise<void>;
}

/**
 * At most half of this machine's available memory, and one processor left for the work while others load sandboxes. A stack that
 * starts has no other work, so it loads on all of them.
 */
export function machineBudget(): SandboxBudgetOptions {
  return {
    startLoadsMax: availableParallelism(),
    sandboxesMax: Math.floor(Math.min(MEMORY_MAX, process.availableMemory() * MEMORY_SHARE) / SANDBOX_BYTES),
    loadsMax: Math.max(1, availableParallelism() - 1),
  };
}

export function openSandboxBudget({
  sandboxesMax,
  loadsMax,
  startLoadsMax,
  processors = availableParallelism(),
  demand = observeDemand(),
}: SandboxBudgetOptions): SandboxBudget {
  let limit = loadsMax;
  let sandboxes = 0;
  let loads = 0;
  const waiting: (() => void)[] = [];
  const idleClosers: ((idleMin: number) => boolean)[] = [];
  const opened = new Set<Computing>();
  const servicesAreLate = observeServices();
  return {
    take(ownCount) {
      const isGuaranteed = ownCount < GUARANTEED_PER_FUNCTION;
      const idleMin = isGuaranteed ? 0 : RECENTLY_USED_MS;
      const hasRoom = sandboxes < sandboxesMax || idleClosers.some((closeIdle) => closeIdle(idleMin));
      if (!isGuaranteed && !hasRoom) return false;
      sandboxes += 1;
      return true;
    },
    onFull(closeIdle) {
      idleClosers.push(closeIdle);
    },
    opened(sandbox) {
      opened.add(sandbox);
    },
    release(sandbox) {
      opened.delete(sandbox);
      sandboxes -= 1;
    },
    isSaturated(ownCount) {
      if (ownCount < processors) return false;
      const computing = [...opened].filter((sandbox) => sandbox.computing() > COMPUTING).length;
      return computing >= processors || demand() >= processors * DEMAND_SHARE || servicesAreLate();
    },
    async whileLoading(load) {
      if (loads >= limit) await new Promise<void>((resolve) => waiting.push(resolve));
      else loads += 1;
      try {
        await load();
      } finally {
        // A waiting load starts instead, unless more run than the limit.
        const next = loads > limit ? undefined : waiting.shift();
        if (next) next();
        else loads -= 1;
      }
    },
    async whileStarting(start) {
      limit = startLoadsMax;
      await start().finally(() => {
        limit = loadsMax;
      });
    },
  };
}

/**
 * Whether this thread, which runs the services that the functions call, was often late in the last moments: it computes, or
 * other programs use the processors.
 */
function observeServices(): () => boolean {
  let observedAt = Number.NEGATIVE_INFINITY;
  let isLate = false;
  return () => {
    loopDelays ??= startLoopDelays();
    if (performance.now() - observedAt >= OBSERVED_MS) {
      isLate = loopDelays.count > 0 && loopDelays.mean / 1e6 > RESOLUTION_MS + LATE_MS;
      loopDelays.reset();
      observedAt = performance.now();
    }
    return isLate;
  };
}

/** Of this thread; each is the time between two ticks, in nanoseconds. */
let loopDelays: ReturnType<typeof monitorEventLoopDelay> | undefined;

function startLoopDelays(): ReturnType<typeof monitorEventLoopDelay> {
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  histogram.enable();
  return histogram;
}
