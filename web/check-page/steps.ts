import type { CallResult, Hold, HoldState, Refused } from "./calls.ts";
import { hasReason, type Notice, type Notices } from "./notices.ts";

// Which step follows a response of the server. Pure rules: `check.ts` acts on them.

export type Step =
  /** The message waits for a press of the button. `serverTime`: from the `Date` header, if there was one. */
  | { readonly kind: "confirm"; readonly hold: Hold; readonly serverTime: number | null }
  /** The message is being sent: poll until the send has an outcome. */
  | { readonly kind: "poll"; readonly hold: Hold | null }
  | { readonly kind: "wait"; readonly seconds: number }
  /** The person decides how it goes on. */
  | { readonly kind: "halt"; readonly notice: Notice }
  /** Nothing follows: the link's secret is of no use any more. */
  | { readonly kind: "end"; readonly hold: HoldState; readonly notice: Notice };

const WAIT_SECONDS_DEFAULT = 60;

/** The state of a hold that the service does not know or does not show any more. */
const GONE: HoldState = { status: "gone", platform: "", test: false, error: null };

export function halt(notice: Notice): Step {
  return { kind: "halt", notice };
}

/** Whether a response leaves the outcome open: there is none, it is a server error, or it comes from a proxy. */
function isInconclusive<T>(result: CallResult<T>): result is Exclude<CallResult<T>, { kind: "ok" }> {
  if (result.kind === "ok") return false;
  return result.kind === "unreachable" || result.status >= 500 || result.problem.code === "";
}

/** The rules, with the notices of the page's language. */
export function stepsWith(notices: Notices) {
  /** After getting the hold. @param sending the message when this page is sending it: then the outcome is news */
  function afterFetch(result: CallResult<Hold>, sending: Hold | null): Step {
    if (sending !== null && isInconclusive(result)) return halt(notices.outcomeUnknown);
    if (result.kind === "unreachable") return halt(notices.unreachable);
    if (result.kind === "refused") return afterRefusal(result, sending);
    const { data: hold, serverTime } = result;
    return hold.status === "awaiting_verification" ? { kind: "confirm", hold, serverTime } : afterEnd(hold, hold);
  }

  /** After submitting the solutions. */
  function afterComplete(result: CallResult<Hold>, hold: Hold): Step {
    if (result.kind === "ok") return afterEnd(result.data, hold);
    return isInconclusive(result) ? halt(notices.outcomeUnknown) : afterRefusal(result, null);
  }

  /** @param sending the message when this page is sending it */
  function afterRefusal({ status, problem, retryAfter, hold }: Refused, sending: Hold | null): Step {
    if (status === 429) return { kind: "wait", seconds: retryAfter ?? WAIT_SECONDS_DEFAULT };
    if (status === 404 && problem.code !== "") return afterEnd(GONE, null);
    if (problem.code === "hold_expired") return afterEnd(hold ?? { ...GONE, status: problem.detail }, sending);
    if (status === 409 && hasReason(problem)) {
      return afterEnd({ ...GONE, status: "failed", platform: sending?.platform ?? "", error: problem }, sending);
    }
    return halt(status === 400 ? notices.checkFailed : notices.internalError);
  }

  /** @param sending the message when this page sent it */
  function afterEnd(hold: HoldState, sending: Hold | null): Step {
    switch (hold.status) {
      case "sending":
        return { kind: "poll", hold: sending };
      case "sent":
        return { kind: "end", hold, notice: sending === null ? notices.alreadySent(hold) : notices.sent(sending) };
      case "failed":
        return { kind: "end", hold, notice: notices.failed(hold) };
      case "gone":
        return { kind: "end", hold, notice: notices.linkNotValid };
      case "expired":
        return { kind: "end", hold, notice: notices.expired };
      default:
        return halt(notices.internalError);
    }
  }

  return { afterFetch, afterComplete, afterRefusal, afterEnd };
}
