import type { Millis } from "../../kernel/time.ts";
import { ACCOUNT_BURST, CONVERSATION_BURST, CONVERSATION_DAY, HUMAN_AGENT_DAY } from "../limits.ts";

// How much may be sent: counts in fixed windows that begin at multiples of their length since the epoch, so that a
// count needs no more than its window's start to be found. Test sends have no part in them.

const budgets = {
  conversation_burst: { of: "conversation", ...CONVERSATION_BURST },
  conversation_day: { of: "conversation", ...CONVERSATION_DAY },
  account_burst: { of: "account", ...ACCOUNT_BURST },
  human_agent_day: { of: "conversation", ...HUMAN_AGENT_DAY },
} as const;

export type BudgetName = keyof typeof budgets;
const names = Object.keys(budgets) as BudgetName[];

/** The window of one budget that an instant lies in: from `start` until just before `end`. */
export interface BudgetWindow {
  readonly budget: BudgetName;
  /** Whose count it is. */
  readonly of: "conversation" | "account";
  readonly start: Millis;
  readonly end: Millis;
  /** How many sends it allows. */
  readonly limit: number;
}

/** The windows that a send at `now` counts in, each exactly once. */
export function budgetWindowsAt(now: Millis, humanAgent: boolean): readonly BudgetWindow[] {
  return names
    .filter((name) => humanAgent || name !== "human_agent_day")
    .map((budget) => {
      const { of, window, sends } = budgets[budget];
      const start = Math.floor(now / window) * window;
      return { budget, of, start, end: start + window, limit: sends };
    });
}

/** How much was sent in each window; a budget left out counts as untouched. */
export type BudgetCounts = { readonly [name in BudgetName]?: number };

/** What the platform asked for beside the budgets; null or past when it asks for nothing. */
export interface SlowDown {
  /** Until when the account is to send nothing. */
  readonly account: Millis | null;
  /** Until when this person is to get no human agent's message. */
  readonly humanAgent: Millis | null;
}

export type BudgetVerdict =
  | { readonly allowed: true }
  /** `until`: before this instant no send of the kind will be allowed. `by`: what stands against it, the longest first. */
  | { readonly allowed: false; readonly until: Millis; readonly by: readonly (BudgetName | "slow_down")[] };

/**
 * Whether one more send may be made.
 * @param windows those of `now`, from budgetWindowsAt
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

/** What is known of what was sent, and of what the platform asked for. */
export interface BudgetState {
  /** The last window of each budget that anything was sent in. */
  readonly usage: { readonly [name in BudgetName]?: { readonly start: Millis; readonly count: number } };
  readonly slowDown: SlowDown;
}

/**
 * The windows that a send counts in where so much is known. A window that another's clock has opened already is open
 * for everyone, so that a clock behind it spends nothing twice.
 */
export function budgetWindowsFor(state: BudgetState, now: Millis, humanAgent: boolean): readonly BudgetWindow[] {
  return budgetWindowsAt(now, humanAgent).map((window) => {
    const start = Math.max(window.start, state.usage[window.budget]?.start ?? 0);
    return { ...window, start, end: start + (window.end - window.start) };
  });
}

/** Whether one more send may be made where so much is known. */
export function judgeSend(state: BudgetState, now: Millis, humanAgent: boolean): BudgetVerdict {
  const windows = budgetWindowsFor(state, now, humanAgent);
  const counts = windows.map(({ budget, start }) => {
    const usage = state.usage[budget];
    return [budget, usage?.start === start ? usage.count : 0];
  });
  return judgeBudgets(windows, Object.fromEntries(counts) as BudgetCounts, state.slowDown, now);
}
