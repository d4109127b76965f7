import { ParleyError } from "#client";
import { actionProblem } from "../admin/problems.ts";
import { texts } from "./texts.ts";

const words: Readonly<Record<string, string>> = {
  endpoint_limit: texts.limit,
  replay_conflict: texts.conflict,
  replay_expired: texts.expired,
};

/** The words for a refused call about endpoints and deliveries. */
export function webhookProblem(error: unknown): string {
  const isOfUrl = error instanceof ParleyError && error.errors.some(({ field }) => field === "url");
  return isOfUrl ? texts.urlProblem : actionProblem(error, words);
}
