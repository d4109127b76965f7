import { setTimeout } from "node:timers/promises";
import { type Millis, SECOND } from "#base/kernel/time.ts";
import { CliError } from "../cli-error.ts";
import type { DoctorContext } from "./context.ts";
import { blocking, type Verdict, warning } from "./verdict.ts";

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

/** A call to AWS whose permission a message names. @throws CallFailed */
export async function call<T>(permission: string, answer: Promise<T>): Promise<T> {
  return await answer.catch((error: unknown) => {
    throw new CallFailed(permission, error);
  });
}

class CallFailed extends Error {
  readonly permission: string;

  constructor(permission: string, cause: unknown) {
    super(permission, { cause });
    this.permission = permission;
  }
}

/** The names under which AWS reports that something does not exist. */
export function isError(error: unknown, ...names: readonly string[]): boolean {
  const cause = error instanceof CallFailed ? error.cause : error;
  return cause instanceof Error && names.includes(cause.name);
}

const DENIED =
  /^(AccessDenied|AccessDeniedException|AuthorizationError|AuthorizationErrorException|UnauthorizedOperation)$/;
const NOT_ACCEPTED =
  /^(ExpiredToken|ExpiredTokenException|InvalidClientTokenId|OptInRequired|SignatureDoesNotMatch|InvalidSignatureException|UnrecognizedClientException|IncompleteSignature)$/;

/** Its message may quote what was sent, so that it is not printed. */
function describeFailure(error: unknown): Verdict {
  const cause = error instanceof CallFailed ? error.cause : error;
  if (!(cause instanceof Error)) throw error;
  const action = error instanceof CallFailed ? error.permission : "the call";
  if (cause instanceof CliError) return warning(cause.message, "Fix this, then try again.");
  if (DENIED.test(cause.name)) {
    return warning(`Access denied to ${action}.`, `Use credentials that may call ${action}.`);
  }
  if (cause.name === "CredentialsProviderError") {
    return blocking("Missing AWS credentials.", "Set AWS_PROFILE, or sign in with aws sso login.");
  }
  if (NOT_ACCEPTED.test(cause.name)) {
    return blocking(`AWS does not accept your credentials (${cause.name}).`, "Renew them, and check the region.");
  }
  const { code } = cause as NodeJS.ErrnoException;
  const reason = code ?? (cause.cause as NodeJS.ErrnoException | undefined)?.code ?? cause.name;
  return warning(`No answer to ${action} (${reason}).`, "Check the region and your connection, then try again.");
}
