import { ParleyError } from "#client";
import { problemLine } from "../common/problems.ts";
import { texts } from "./texts.ts";

/** The words for a refused write. @param words for the codes that mean something on this page */
export function actionProblem(error: unknown, words: Readonly<Record<string, string>> = {}): string {
  const code = error instanceof ParleyError ? error.code : "";
  if (Object.hasOwn(words, code)) return words[code] ?? "";
  return isOutcomeUnknown(error) ? `${problemLine(error)} ${texts.maybeDone}` : problemLine(error);
}

/** Whether a write may have been done although its answer is an error: it was lost, or the service failed on its way. */
export function isOutcomeUnknown(error: unknown): boolean {
  if (!(error instanceof ParleyError)) return true;
  const { status, code } = error;
  return status === null || status >= 500 || (code === "unexpected_response" && status < 400);
}

export function isNotFound(error: unknown): boolean {
  return error instanceof ParleyError && error.status === 404;
}
