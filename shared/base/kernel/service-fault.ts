/**
 * Errors that AWS returns for a request that will never succeed. Everything else that a service refuses, also a missing
 * permission or a disabled key, can be corrected while the work waits.
 */
const requestErrors: ReadonlySet<string> = new Set([
  "ConditionalCheckFailedException",
  "IncorrectKeyException",
  "InvalidCiphertextException",
  "ItemCollectionSizeLimitExceededException",
  "SerializationException",
  "ValidationException",
]);

/** Names and codes of errors without a response: the service was not reached, or did not respond in time. */
const connectionErrors =
  /^(ECONNREFUSED|ECONNRESET|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|EPIPE|ETIMEDOUT|TimeoutError|CredentialsProviderError|UnknownOutcome|ServiceUnavailable)$/;

/** Why a part of a transaction was not done although nothing is wrong with it. `None` is a part that another one stopped. */
const passingReasons: ReadonlySet<string> = new Set([
  "None",
  "ProvisionedThroughputExceeded",
  "ThrottlingError",
  "TransactionConflict",
]);

/** A service that answered, and left a part of the work undone. The same work can succeed later. */
export class ServiceUnavailable extends Error {
  override readonly name = "ServiceUnavailable";
}

/** Whether an error says that an AWS service does not work for us now, so that the same work can succeed later. */
export function isServiceFault(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { name, code, $metadata } = error as Error & { readonly code?: unknown; readonly $metadata?: unknown };
  if (connectionErrors.test(name) || connectionErrors.test(String(code))) return true;
  if (name === "TransactionCanceledException") return isPassingCancellation(error);
  return $metadata !== undefined && !requestErrors.has(name);
}

function isPassingCancellation(error: Error): boolean {
  const { CancellationReasons: reasons = [] } = error as {
    readonly CancellationReasons?: readonly { Code?: string }[];
  };
  return reasons.length > 0 && reasons.every(({ Code = "None" }) => passingReasons.has(Code));
}
