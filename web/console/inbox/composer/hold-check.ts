import { type CallResult, completeHold, fetchChallenge, type Hold } from "../../../check-page/calls.ts";
import { solveChallenge } from "../../../check-page/solving.ts";

/** How a check ended. `unknown`: the message may have been sent. */
export type CheckEnd =
  | { readonly kind: "done"; readonly status: string; readonly code: string; readonly detail: string }
  | { readonly kind: "wait"; readonly seconds: number }
  | { readonly kind: "failed" }
  | { readonly kind: "unknown" };

/**
 * Passes the check of a held message, after a person's press: solves the challenge and completes the hold.
 * @param isHeld false when the person took the message back during the check: then it is not sent
 * @param onProgress from 0 to 1
 */
export async function passCheck(
  link: { readonly holdId: string; readonly secret: string },
  isHeld: () => boolean,
  onProgress: (progress: number) => void,
): Promise<CheckEnd> {
  const challenge = await fetchChallenge(link);
  if (challenge.kind !== "ok") {
    const end: CheckEnd = challenge.kind === "refused" ? ended(challenge) : { kind: "failed" };
    // Without a solution nothing was sent.
    return end.kind === "unknown" ? { kind: "failed" } : end;
  }
  const { count, token } = challenge.data;
  let solutions: number[];
  try {
    solutions = await solveChallenge(challenge.data, (solved) => onProgress(solved / count));
  } catch {
    return { kind: "failed" };
  }
  if (!isHeld()) return { kind: "failed" };
  const result = await completeHold(link, token, solutions);
  if (result.kind === "unreachable") return { kind: "unknown" };
  return ended(result);
}

function ended(
  result: Exclude<CallResult<Hold>, { kind: "unreachable" }> | Extract<CallResult<unknown>, { kind: "refused" }>,
): CheckEnd {
  if (result.kind === "ok") {
    const { status, error } = result.data as Hold;
    return { kind: "done", status, code: error?.code ?? "", detail: error?.detail ?? "" };
  }
  const { status, problem, retryAfter, hold } = result;
  if (status === 429) return { kind: "wait", seconds: retryAfter ?? 60 };
  if (hold)
    return {
      kind: "done",
      status: hold.status,
      code: hold.error?.code ?? problem.code,
      detail: hold.error?.detail ?? "",
    };
  if (problem.code === "hold_expired") return { kind: "done", status: "expired", code: problem.code, detail: "" };
  if (status === 404 && problem.code !== "") return { kind: "done", status: "expired", code: problem.code, detail: "" };
  if (status >= 500) return { kind: "unknown" };
  if (status === 409) return { kind: "done", status: "failed", code: problem.code, detail: problem.detail };
  return { kind: "failed" };
}
