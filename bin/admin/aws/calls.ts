import { CliError } from "../cli-error.ts";

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

export interface AwsFailure {
  /** False: it is unknown whether anything is wrong. */
  readonly blocks: boolean;
  readonly finding: string;
  readonly fix: string;
}

/** A failed call to AWS in words. Its message may quote what was sent, so that it is not printed. */
export function describeAwsFailure(error: unknown): AwsFailure {
  const blocking = (finding: string, fix: string) => ({ blocks: true, finding, fix });
  const warning = (finding: string, fix: string) => ({ blocks: false, finding, fix });
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
