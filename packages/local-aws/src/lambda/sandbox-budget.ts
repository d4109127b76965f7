import { availableParallelism } from "node:os";

/**
 * The memory of one loaded sandbox with the largest bundle, in bytes: 26 MB measured with Node.js 24, rounded up. A
 * function under load may use up to its memory setting.
 */
const SANDBOX_BYTES = 32 * 2 ** 20;
/** The share of the available memory that sandboxes may use. */
const MEMORY_SHARE = 0.5;
/** A function may always open this many: else the sandboxes of one function could prevent another from running. */
const GUARANTEED_PER_FUNCTION = 4;

export interface SandboxBudgetOptions {
  /** Maximum sandboxes of all functions together, above the guaranteed ones. */
  readonly sandboxesMax: number;
  /** Maximum sandboxes that are being loaded at the same time. */
  readonly loadsMax: number;
  /** The same while the stack starts and no event waits. */
  readonly startLoadsMax: number;
}

/** What all functions of a stack share: memory for sandboxes, and the processors that load them. */
export interface SandboxBudget {
  /** Counts one more sandbox of a function that has `ownCount`. Returns false if there is no room for it. */
  take(ownCount: number): boolean;
  release(): void;
  /** Runs `load` as soon as few enough others run. */
  whileLoading(load: () => Promise<void>): Promise<void>;
  /** Runs `start` with the limit of loads of a stack that starts. */
  whileStarting(start: () => Promise<void>): Promise<void>;
}

/**
 * Half of this machine's available memory, and one processor left for the work while others load sandboxes. A stack that
 * starts has no other work, so it loads on all of them.
 */
export function machineBudget(): SandboxBudgetOptions {
  return {
    startLoadsMax: availableParallelism(),
    sandboxesMax: Math.floor((process.availableMemory() * MEMORY_SHARE) / SANDBOX_BYTES),
    loadsMax: Math.max(1, availableParallelism() - 1),
  };
}

export function openSandboxBudget({ sandboxesMax, loadsMax, startLoadsMax }: SandboxBudgetOptions): SandboxBudget {
  let limit = loadsMax;
  let sandboxes = 0;
  let loads = 0;
  const waiting: (() => void)[] = [];
  return {
    take(ownCount) {
      if (ownCount >= GUARANTEED_PER_FUNCTION && sandboxes >= sandboxesMax) return false;
      sandboxes += 1;
      return true;
    },
    release() {
      sandboxes -= 1;
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
