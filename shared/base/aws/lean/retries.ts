import type { Millis } from "../../kernel/time.ts";

// The SDK's standard retries, with its waits and its quota.

const throttles: ReadonlySet<string> = new Set([
  "BandwidthLimitExceeded",
  "EC2ThrottledException",
  "LimitExceededException",
  "PriorRequestNotComplete",
  "ProvisionedThroughputExceededException",
  "RequestLimitExceeded",
  "RequestThrottled",
  "RequestThrottledException",
  "SlowDown",
  "ThrottledException",
  "Throttling",
  "ThrottlingException",
  "TooManyRequestsException",
  "TransactionInProgressException",
]);
const passingNames: ReadonlySet<string> = new Set(["TimeoutError", "RequestTimeout", "RequestTimeoutException"]);
const passingCodes: ReadonlySet<unknown> = new Set([
  "ECONNRESET",
  "ECONNREFUSED",
  "EPIPE",
  "ETIMEDOUT",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOTFOUND",
  "EAI_AGAIN",
]);
const passingStatuses: ReadonlySet<number> = new Set([500, 502, 503, 504]);

const QUOTA = 500;
const COST = 14;
const THROTTLE_COST = 5;
const WAIT_BASE: Millis = 50;
const THROTTLE_WAIT_BASE: Millis = 1_000;
const WAIT_MAX: Millis = 20_000;

export interface AttemptError extends Error {
  readonly code?: unknown;
  readonly $retryable?: { readonly throttling?: boolean };
  $metadata?: { readonly httpStatusCode?: number; clockSkewCorrected?: boolean; attempts?: number };
}

function kindOf(error: AttemptError): "throttled" | "passing" | "final" {
  const status = error.$metadata?.httpStatusCode ?? 0;
  if (status === 429 || throttles.has(error.name) || error.$retryable?.throttling) return "throttled";
  if (error.name === "AbortError") return "final";
  const isPassing =
    error.$retryable !== undefined ||
    error.$metadata?.clockSkewCorrected === true ||
    passingNames.has(error.name) ||
    passingCodes.has(error.code) ||
    passingStatuses.has(status) ||
    (error.name === "InvalidSignatureException" && error.message.includes("Signature expired"));
  return isPassing ? "passing" : "final";
}

/** The retries of one client: all its calls share a quota, so that an outage does not triple their number for long. */
export function openRetries(attemptsMax: number, waitBase: Millis = WAIT_BASE) {
  let quota = QUOTA;
  return {
    /** @param attempt makes the attempt of a number, from 1. @throws the last attempt's error */
    async run<T>(attempt: (number: number) => Promise<T>, abortSignal?: AbortSignal): Promise<T> {
      let cost = 0;
      for (let number = 1; ; number++) {
        try {
          const result = await attempt(number);
          quota = Math.min(QUOTA, quota + (cost || 1));
          return result;
        } catch (thrown) {
          const error = thrown as AttemptError;
          const kind = error instanceof Error ? kindOf(error) : "final";
          cost = kind === "throttled" ? THROTTLE_COST : COST;
          if (kind === "final" || number >= attemptsMax || quota < cost) throw withAttempts(error, number);
          quota -= cost;
          const base = kind === "throttled" ? THROTTLE_WAIT_BASE : waitBase;
          await wait(Math.floor(Math.random() * Math.min(base * 2 ** (number - 1), WAIT_MAX)), abortSignal);
        }
      }
    },
  };
}

/** The SDK says so of every error of an attempt. By `$metadata` callers know that a call to AWS has failed. */
function withAttempts(error: AttemptError, attempts: number): AttemptError {
  if (error instanceof Error) error.$metadata = { ...error.$metadata, attempts };
  return error;
}

function wait(time: Millis, abortSignal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      abortSignal?.removeEventListener("abort", onAbort);
      resolve();
    }, time);
    const onAbort = () => {
      clearTimeout(timer);
      reject(Object.assign(new Error("Request aborted"), { name: "AbortError" }));
    };
    abortSignal?.addEventListener("abort", onAbort, { once: true });
  });
}
