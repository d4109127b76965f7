import type { CallResult, Hold, Problem } from "./calls.ts";
import * as words from "./notices.ts";

// What follows from an answer of the server: rules alone, the page acts on them.

export type Step =
  /** The message waits for its person; `serverTime` is the server's present, where it told it. */
  | { readonly kind: "ask"; readonly hold: Hold; readonly serverTime: number | null }
  /** The message is going out: look again until it has. */
  | { readonly kind: "watch"; readonly hold: Hold | null }
  | { readonly kind: "wait"; readonly seconds: number }
  | { readonly kind: "halt"; readonly notice: words.Notice };

type RefusedResult = Extract<CallResult<never>, { kind: "refused" }>;

const WAIT_SECONDS_DEFAULT = 60;

export function halt(notice: words.Notice): Step {
  return { kind: "halt", notice };
}

/** After a look at the hold. `sending`: the message if this page is sending it, so that its end is told as news. */
export function afterFetch(answer: CallResult<Hold>, sending: Hold | null): Step {
  if (sending !== null && isInconclusive(answer)) return halt(words.outcomeUnknown);
  if (answer.kind === "unreachable") return halt(words.unreachable);
  if (answer.kind === "refused") return afterRefusal(answer, sending);
  const { data: hold, serverTime } = answer;
  return hold.status === "awaiting_verification" ? { kind: "ask", hold, serverTime } : afterEnd(hold.status, hold);
}

/** After the solutions went out. */
export function afterComplete(answer: CallResult<Hold>, hold: Hold): Step {
  if (answer.kind === "ok") return afterEnd(answer.data.status, { ...hold, error: answer.data.error });
  return isInconclusive(answer) ? halt(words.outcomeUnknown) : afterRefusal(answer, null);
}

/** Whether an answer leaves open what became of a message: none came, or a fault, or a proxy's answer in its place. */
function isInconclusive<T>(answer: CallResult<T>): answer is Exclude<CallResult<T>, { kind: "ok" }> {
  if (answer.kind === "ok") return false;
  return answer.kind === "unreachable" || answer.status >= 500 || answer.problem.code === "";
}

/** `hold`: as in `afterLook`. */
export function afterRefusal({ status, problem, retryAfter }: RefusedResult, hold: Hold | null): Step {
  if (status === 429) return { kind: "wait", seconds: retryAfter ?? WAIT_SECONDS_DEFAULT };
  if (status === 404) return halt(words.linkNotValid);
  if (problem.code === "hold_expired") return afterEnd(problem.detail, hold);
  if (status === 409 && words.hasReason(problem)) return halt(failedNotice(hold, problem));
  return halt(status === 400 ? words.checkFailed : words.internalError);
}

function afterEnd(status: string, hold: Hold | null): Step {
  switch (status) {
    case "sent":
      return halt(hold === null ? words.alreadySent : words.sent(hold));
    case "failed":
      return halt(failedNotice(hold, hold?.error ?? null));
    case "sending":
      return { kind: "watch", hold };
    default:
      return halt(words.expired);
  }
}

function failedNotice(hold: Hold | null, problem: Problem | null): words.Notice {
  return words.failed(hold?.platform ?? "", problem);
}
