import { ACCOUNT_BURST, CONVERSATION_BURST, CONVERSATION_DAY, HUMAN_AGENT_DAY } from "#base/kernel/limits.ts";
import type { Millis } from "#base/kernel/time.ts";

// Send budgets: counts in fixed windows that start at multiples of their length since the epoch, so that the start of a
// window identifies its count. Test sends are counted apart from live sends.

const budgets = {
  conversation_burst: { of: "conversation", ...CONVERSATION_BURST },
  conversation_day: { of: "conversation", ...CONVERSATION_DAY },
  account_burst: { of: "account", ...ACCOUNT_BURST },
  human_agent_day: { of: "conversation", ...HUMAN_AGENT_DAY },
} as const;

export type BudgetName = keyof typeof budgets;
const names = Object.keys(budgets) as BudgetName[];

/** One window of a budget: from `start` (inclusive) to `end` (exclusive). */
export interface BudgetWindow {
  readonly budget: BudgetName;
  /** What the sends are counted for. */
  readonly of: "conversation" | "account";
  readonly start: Millis;
  readonly end: Millis;
  /** The number of sends that the window allows. */
  readonly limit: number;
}

/** The windows in which a send at `now` counts, one per budget. */
export function budgetWindowsAt(now: Millis, humanAgent: boolean): readonly BudgetWindow[] {
  return names
    .filter((name) => humanAgent || name !== "human_agent_day")
    .map((budget) => {
      const { of, window, sends } = budgets[budget];
      const start = Math.floor(now / window) * window;
      return { budget, of, start, end: start + window, limit: sends };
    });
}

/** The number of sends in each window. A missing budget counts as 0. */
export type BudgetCounts = { readonly [name in BudgetName]?: number };

/** Pauses that the platform asked for. A null or past time is no pause. */
export interface SlowDown {
  /** The end of the pause of all sends from the account. */
  readonly account: Millis | null;
  /** The end of the pause of human agent sends to this person. */
  readonly humanAgent: Millis | null;
}

export type BudgetVerdict =
  | { readonly allowed: true }
  /** No send of this kind is allowed before `until`. `by`: the reasons, the longest block first. */
  | { readonly allowed: false; readonly until: Millis; readonly by: readonly (BudgetName | "slow_down")[] };

/**
 * Judges whether one more send is allowed.
 * @param windows the windows of `now`, from `budgetWindowsAt`
 */
export function judgeBudgets(
  windows: readonly BudgetWindow[],
  counts: BudgetCounts,
  slowDown: SlowDown,
  now: Millis,
): BudgetVerdict {
  const exhausted = windows
    .filter(({ budget, limit }) => (counts[budget] ?? 0) >= limit)
    .map(({ budget, end }) => ({ by: budget, until: end }));
  const humanAgent = windows.some(({ budget }) => budget === "human_agent_day");
  const platformPauses = [slowDown.account, humanAgent ? slowDown.humanAgent : null]
    .filter((until) => until !== null)
    .filter((until) => until > now)
    .map((until) => ({ by: "slow_down" as const, until }));
  const blockers = [...exhausted, ...platformPauses].sort((a, b) => b.until - a.until);
  const [longest] = blockers;
  if (!longest) return { allowed: true };
  return { allowed: false, until: longest.until, by: [...new Set(blockers.map(({ by }) => by))] };
}

/** The budgets as stored: counts and pauses. */
export interface BudgetState {
  /** The latest window of each budget with a send in it. */
  readonly usage: { readonly [name in BudgetName]?: { readonly start: Millis; readonly count: number } };
  readonly slowDown: SlowDown;
}

/**
 * The windows in which a send counts, given the stored state. If a process with a faster clock has opened a window, a
 * process with a slower clock counts in it too. Otherwise it would spend the earlier window twice.
 */
export function budgetWindowsFor(state: BudgetState, now: Millis, humanAgent: boolean): readonly BudgetWindow[] {
  return budgetWindowsAt(now, humanAgent).map((window) => {
    const start = Math.max(window.start, state.usage[window.budget]?.start ?? 0);
    return { ...window, start, end: start + (window.end - window.start) };
  });
}

/** Judges whether one more send is allowed, given the stored state. */
export function judgeSend(state: BudgetState, now: Millis, humanAgent: boolean): BudgetVerdict {
  const windows = budgetWindowsFor(state, now, humanAgent);
  const counts = windows.map(({ budget, start }) => {
    const usage = state.usage[budget];
    return [budget, usage?.start === start ? usage.count : 0];
  });
  return judgeBudgets(windows, Object.fromEntries(counts) as BudgetCounts, state.slowDown, now);
}
