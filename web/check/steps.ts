import type { CallResult, Hold, Problem } from "./calls.ts";
import * as notices from "./notices.ts";

// Which step follows a response of the server. Pure rules: `check.ts` acts on them.

export type Step =
  /** The message waits for a press of the button. `serverTime`: from the `Date` header, if there was one. */
  | { readonly kind: "confirm"; readonly hold: Hold; readonly serverTime: number | null }
  /** The message is being sent: poll until the send has an outcome. */
  | { readonly kind: "poll"; readonly hold: Hold | null }
  | { readonly kind: "wait"; readonly seconds: number }
  | { readonly kind: "halt"; readonly notice: notices.Notice };

type RefusedResult = Extract<CallResult<never>, { kind: "refused" }>;

const WAIT_SECONDS_DEFAULT = 60;

export function halt(notice: notices.Notice): Step {
  return { kind: "halt", notice };
}

/** After getting the hold. @param sending the message when this page is sending it: then the outcome is news */
export function afterFetch(result: CallResult<Hold>, sending: Hold | null): Step {
  if (sending !== null && isInconclusive(result)) return halt(notices.outcomeUnknown);
  if (result.kind === "unreachable") return halt(notices.unreachable);
  if (result.kind === "refused") return afterRefusal(result, sending);
  const { data: hold, serverTime } = result;
  return hold.status === "awaiting_verification" ? { kind: "confirm", hold, serverTime } : afterEnd(hold.status, hold);
}

/** After submitting the solutions. */
export function afterComplete(result: CallResult<Hold>, hold: Hold): Step {
  if (result.kind === "ok") return afterEnd(result.data.status, { ...hold, error: result.data.error });
  return isInconclusive(result) ? halt(notices.outcomeUnknown) : afterRefusal(result, null);
}

/** Whether a response leaves the outcome open: there is none, it is a server error, or it comes from a proxy. */
function isInconclusive<T>(result: CallResult<T>): result is Exclude<CallResult<T>, { kind: "ok" }> {
  if (result.kind === "ok") return false;
  return result.kind === "unreachable" || result.status >= 500 || result.problem.code === "";
}

/** @param hold the message when this page is sending it */
export function afterRefusal({ status, problem, retryAfter }: RefusedResult, hold: Hold | null): Step {
  if (status === 429) return { kind: "wait", seconds: retryAfter ?? WAIT_SECONDS_DEFAULT };
  if (status === 404) return halt(notices.linkNotValid);
  if (problem.code === "hold_expired") return afterEnd(problem.detail, hold);
  if (status === 409 && notices.hasReason(problem)) return halt(failedNotice(hold, problem));
  return halt(status === 400 ? notices.checkFailed : notices.internalError);
}

function afterEnd(status: string, hold: Hold | null): Step {
  switch (status) {
    case "sent":
      return halt(hold === null ? notices.alreadySent : notices.sent(hold));
    case "failed":
      return halt(failedNotice(hold, hold?.error ?? null));
    case "sending":
      return { kind: "poll", hold };
    default:
      return halt(notices.expired);
  }
}

function failedNotice(hold: Hold | null, problem: Problem | null): notices.Notice {
  return notices.failed(hold?.platform ?? "", problem);
}
