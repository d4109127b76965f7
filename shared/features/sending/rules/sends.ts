import { shortHash } from "#base/kernel/bytes.ts";
import { ulidTime } from "#base/kernel/ids.ts";
import {
  ACCOUNT_BURST,
  CONVERSATION_BURST,
  CONVERSATION_DAY,
  HUMAN_AGENT_DAY,
  PLATFORM_TIMEOUT,
} from "#base/kernel/limits.ts";
import { MINUTE, type Millis, SECOND } from "#base/kernel/time.ts";
import type { Scope } from "#features/access/rules/scope.ts";
import type { Attachment, SentVia } from "#features/inbox/rules/messages.ts";

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

// The record of a send, and how an echo is matched to it.

/** `unknown`: the platform was called but its response was lost. An echo may still settle the send. */
export type SendState = "sending" | "sent" | "failed" | "unknown";

/** A send before its platform call, with what its message shows of it. */
export interface NewSend {
  /** A ULID. Messenger returns it in the echo. */
  readonly id: string;
  /** The hash of the content, by `contentHash`. */
  readonly content: string;
  readonly via: SentVia;
  readonly actorId: string | null;
  /** The hold that this send releases. */
  readonly holdId: string | null;
  readonly replyTo: string | null;
  readonly scope: Scope;
}

/** The effects of a refusal beyond its own send. They are stored so that the sweep can apply them. */
export interface SendConsequences {
  readonly accountStatus: "needs_reauth" | "restricted" | null;
  /** How long the account pauses all sends after the refusal, in milliseconds. */
  readonly coolDownMs: Millis | null;
  /** How long human agent sends to this person pause after the refusal, in milliseconds. */
  readonly humanAgentPauseMs: Millis | null;
  readonly humanAgentRefused: boolean;
}

/** The platform's refusal of a send. */
export interface SendFailure extends SendConsequences {
  /** The platform's error text. */
  readonly detail: string;
  readonly at: Millis;
}

export interface SendRecord extends NewSend {
  readonly startedAt: Millis;
  readonly state: SendState;
  /** The platform's id of the message; null until the platform or an echo names it. */
  readonly messageId: string | null;
  /** What named the message id: the platform's response, which is certain, or a matching echo. */
  readonly messageIdSource: "answer" | "echo" | null;
  /** The platform's time of the echo that named the message before the response did. */
  readonly echoAt?: Millis;
  /** Only in state `failed`. */
  readonly failure?: SendFailure;
}

/** A send without a response or an echo after this long is published as failed. An echo may still arrive. */
export const SEND_SETTLE_DEADLINE: Millis = MINUTE;

/**
 * A send leaves within this time after its id was made, or never: echoes find sends by the time of their id. Half of
 * `SEND_SETTLE_DEADLINE`, of the time for which a hold may be sending, and of the time for which an idempotency key is in
 * flight: no process that was frozen sends what another process has settled or taken over.
 */
const SEND_LEAVES_WITHIN: Millis = 30 * SECOND;

/** Details of a failed send that are not the platform's text. */
const ownDetails = ["not_sent_in_time", "outcome_unknown"] as const;

/** The reason of a failed send, by its detail: that of Parley, or the platform's error text. */
export function sendFailureReason(detail: string): "send_failed" | (typeof ownDetails)[number] {
  return ownDetails.find((ownDetail) => ownDetail === detail) ?? "send_failed";
}

/** Reserved after the platform's response for storing and publishing the outcome. */
export const SEND_SETTLE_RESERVE: Millis = 4 * SECOND;
/**
 * The same after a call that takes longer than others, because the platform fetches a file. It suffices unless calls to
 * AWS are repeated; then the outcome is unknown to the caller, and the sweep settles it.
 */
export const SEND_SETTLE_RESERVE_MIN: Millis = 2 * SECOND;

/**
 * The last instant at which a send may leave: in time after its id was made, inside the messaging window, and early
 * enough for its request to wait for the platform.
 * @param requestEndsAt when the request must have answered
 */
export function sendLeavesBy(
  { id, windowEndsAt }: { readonly id: string; readonly windowEndsAt: Millis },
  requestEndsAt: Millis,
): Millis {
  return Math.min(
    ulidTime(id) + SEND_LEAVES_WITHIN,
    windowEndsAt - 1,
    requestEndsAt - PLATFORM_TIMEOUT - SEND_SETTLE_RESERVE,
  );
}

/** When the call of a send must have ended. */
export function sendEndsBy(requestEndsAt: Millis): Millis {
  return requestEndsAt - SEND_SETTLE_RESERVE_MIN;
}

/** How long before its echo a send may have started. */
const ECHO_AFTER_SEND_MAX: Millis = 15 * MINUTE;
/** How far the platform's clock may lag behind ours. */
const CLOCK_LAG_MAX: Millis = MINUTE;

/** When a send may have started to match an echo of `at`. Depends on `at` alone, so a repetition searches the same. */
export function echoSendWindow(at: Millis): { readonly from: Millis; readonly until: Millis } {
  return { from: at - ECHO_AFTER_SEND_MAX, until: at + CLOCK_LAG_MAX };
}

/**
 * A hash of a message's content that survives what platforms change: they trim texts, may compose characters
 * differently and rewrite attachment URLs. Texts are trimmed and normalized to NFC, and attachments count by type.
 */
export function contentHash(text: string, attachments: readonly Pick<Attachment, "type">[]): string {
  const types = attachments.map(({ type }) => type).sort();
  return shortHash(JSON.stringify([text.normalize("NFC").trim(), types]));
}

/**
 * The sends that an echo without metadata may belong to, most likely first: the send that already has its message id,
 * then the unsettled sends with the same content, oldest first. A send that an echo matched is unsettled again when the
 * platform's response names the same message for another send. Test sends have no echoes.
 * @param records the sends of the conversation, oldest first
 */
export function echoCandidates(
  records: readonly SendRecord[],
  echo: { readonly messageId: string; readonly content: string },
): readonly SendRecord[] {
  const live = records.filter(({ scope }) => scope === "live");
  const confirmedIds = new Set(
    live.filter(({ messageIdSource }) => messageIdSource === "answer").map(({ messageId }) => messageId),
  );
  const exactMatches = live.filter(({ messageId }) => messageId === echo.messageId);
  const unsettledMatches = live.filter(
    ({ content, state, messageId, messageIdSource }) =>
      content === echo.content &&
      (messageId === null
        ? state === "sending" || state === "unknown"
        : messageIdSource === "echo" && messageId !== echo.messageId && confirmedIds.has(messageId)),
  );
  return [...exactMatches.sort((one) => (one.messageIdSource === "answer" ? -1 : 1)), ...unsettledMatches];
}

const PAGE_INBOX_APP = "26390203743090";

/** The page inbox counts as the native app. So does an echo without an app id: Instagram's echoes have none. */
export function echoSentVia(appId: string | null): SentVia {
  return appId === null || isPageInbox(appId) ? "native_app" : "other_app";
}

export function isPageInbox(appId: string | null): boolean {
  return appId === PAGE_INBOX_APP;
}
