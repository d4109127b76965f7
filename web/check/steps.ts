import type { Answer, Hold, Problem } from "./calls.ts";
import * as words from "./words.ts";

// What follows from an answer of the server: rules alone, the page acts on them.

export type Step =
  /** The message waits for its person; `serverTime` is the server's present, where it told it. */
  | { readonly kind: "ask"; readonly hold: Hold; readonly serverTime: number | null }
  /** The message is going out: look again until it has. */
  | { readonly kind: "watch"; readonly hold: Hold | null }
  | { readonly kind: "wait"; readonly seconds: number }
  | { readonly kind: "halt"; readonly notice: words.Notice };

type Refused = Extract<Answer<never>, { kind: "refused" }>;

const WAIT_UNKNOWN = 60;

export function halt(notice: words.Notice): Step {
  return { kind: "halt", notice };
}

/** After a look at the hold. `sending`: the message if this page is sending it, so that its end is told as news. */
export function afterLook(answer: Answer<Hold>, sending: Hold | null): Step {
  if (sending !== null && saysNothing(answer)) return halt(words.unreachableAfter);
  if (answer.kind === "unreachable") return halt(words.unreachable);
  if (answer.kind === "refused") return afterRefusal(answer, sending);
  const { data: hold, serverTime } = answer;
  return hold.status === "awaiting_verification" ? { kind: "ask", hold, serverTime } : afterEnd(hold.status, hold);
}

/** After the solutions went out. */
export function afterComplete(answer: Answer<Hold>, hold: Hold): Step {
  if (answer.kind === "ok") return afterEnd(answer.data.status, { ...hold, error: answer.data.error });
  return saysNothing(answer) ? halt(words.unreachableAfter) : afterRefusal(answer, null);
}

/** Whether an answer leaves open what became of a message: none came, or a fault, or a proxy's answer in its place. */
function saysNothing<T>(answer: Answer<T>): answer is Exclude<Answer<T>, { kind: "ok" }> {
  if (answer.kind === "ok") return false;
  return answer.kind === "unreachable" || answer.status >= 500 || answer.problem.code === "";
}

/** `hold`: as in `afterLook`. */
export function afterRefusal({ status, problem, retryAfter }: Refused, hold: Hold | null): Step {
  if (status === 429) return { kind: "wait", seconds: retryAfter ?? WAIT_UNKNOWN };
  if (status === 404) return halt(words.linkNotValid);
  if (problem.code === "hold_expired") return afterEnd(problem.detail, hold);
  if (status === 409 && words.knows(problem)) return halt(failedWith(hold, problem));
  return halt(status === 400 ? words.checkFailed : words.ourFault);
}

function afterEnd(status: string, hold: Hold | null): Step {
  switch (status) {
    case "sent":
      return halt(hold === null ? words.alreadySent : words.sent(hold));
    case "failed":
      return halt(failedWith(hold, hold?.error ?? null));
    case "sending":
      return { kind: "watch", hold };
    default:
      return halt(words.expired);
  }
}

function failedWith(hold: Hold | null, problem: Problem | null): words.Notice {
  return words.failed(hold?.platform ?? "", problem);
}
