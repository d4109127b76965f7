import { type Millis, SECOND } from "../kernel/time.ts";

/**
 * How long one attempt of a request to AWS waits for its answer. After that the SDK makes the next one, as after a lost
 * answer: the first attempt may have been applied, or may still be.
 */
export const requestTimeouts = {
  table: 3 * SECOND,
  queues: 3 * SECOND,
  keys: 3 * SECOND,
  secrets: 3 * SECOND,
  files: 5 * SECOND,
  // S3 answers when all 25 MB are copied. Three attempts fit a request to the API.
  copy: 8 * SECOND,
  mail: 5 * SECOND,
  // A frame that comes later is worth little, and a batch pushes to many sockets.
  connections: 2 * SECOND,
  // Three attempts fit the function. If two of its requests lose answers, the platform sends the webhook again.
  intake: 1.2 * SECOND,
  // An operator's command has no end of its own.
  commands: 10 * SECOND,
} as const satisfies Readonly<Record<string, Millis>>;

export const REQUEST_ATTEMPTS_MAX = 3;
/** A frame may be pushed twice, and a queue delivers it again, so its request need not be made three times. */
export const POST_ATTEMPTS_MAX = 2;
const CONNECTION_TIMEOUT: Millis = SECOND;

/** The options that every client of AWS is made with. */
export function requestOptions(requestTimeout: Millis, maxAttempts: number = REQUEST_ATTEMPTS_MAX) {
  return {
    maxAttempts,
    requestHandler: {
      connectionTimeout: CONNECTION_TIMEOUT,
      requestTimeout,
      // Without this the SDK only logs a warning, and an answer that never comes ends with the invocation.
      throwOnRequestTimeout: true,
    },
  };
}
