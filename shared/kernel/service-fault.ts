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
  "TransactionCanceledException",
  "ValidationException",
]);

/** Names and codes of errors without a response: the service was not reached, or did not respond in time. */
const connectionErrors =
  /^(ECONNREFUSED|ECONNRESET|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|EPIPE|ETIMEDOUT|TimeoutError|CredentialsProviderError|UnknownOutcome)$/;

/** Whether an error says that an AWS service does not work for us now, so that the same work can succeed later. */
export function isServiceFault(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { name, code, $metadata } = error as Error & { readonly code?: unknown; readonly $metadata?: unknown };
  if (connectionErrors.test(name) || connectionErrors.test(String(code))) return true;
  return $metadata !== undefined && !requestErrors.has(name);
}
