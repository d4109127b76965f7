import { setTimeout } from "node:timers/promises";
import { type Millis, SECOND } from "#base/kernel/time.ts";
import { describeAwsFailure } from "../aws/calls.ts";
import type { DoctorContext } from "./context.ts";
import { blocking, type Verdict, warning } from "./verdict.ts";

export { call, isError } from "../aws/calls.ts";

export interface Check {
  readonly name: string;
  /** @throws an error of AWS or of the network when the check cannot be made */
  run(context: DoctorContext): Promise<Verdict>;
}

export type CheckResult = Verdict & { readonly check: string };

/** A check that has not ended by then ends with a warning. */
const TIME_LIMIT: Millis = 10 * SECOND;

/** Runs the checks in parallel. None ends another one. The results are in their order. */
export async function runChecks(
  checks: readonly Check[],
  context: DoctorContext,
  timeLimit: Millis = TIME_LIMIT,
): Promise<CheckResult[]> {
  return await Promise.all(
    checks.map(async (check) => ({ check: check.name, ...(await runCheck(check, context, timeLimit)) })),
  );
}

async function runCheck(check: Check, context: DoctorContext, timeLimit: Millis): Promise<Verdict> {
  const end = new AbortController();
  const limit = setTimeout(timeLimit, undefined, { signal: end.signal }).then(() =>
    warning(`There was no answer within ${timeLimit / SECOND} seconds.`, "Check your connection, then try again."),
  );
  // Of the race's loser.
  limit.catch(() => {});
  const verdict = check.run(context).catch(describeFailure);
  try {
    return await Promise.race([verdict, limit]);
  } finally {
    end.abort();
  }
}

function describeFailure(error: unknown): Verdict {
  const { blocks, finding, fix } = describeAwsFailure(error);
  return blocks ? blocking(finding, fix) : warning(finding, fix);
}
