import { Agent, request } from "undici";
import { clockNow, type Millis, SECOND } from "../kernel/time.ts";
import { parseRetryAfter } from "../net/retry-after.ts";

const CONNECT_TIMEOUT: Millis = 3 * SECOND;
const TOTAL_TIMEOUT: Millis = 10 * SECOND;
const ANSWER_BYTES_MAX = 1024 * 1024;
const IDLE_MAX: Millis = 4 * SECOND;

export interface Answered {
  readonly kind: "answered";
  readonly status: number;
  readonly body: string;
  /** The platform's account of how much was used, a JSON text; null when it sent none. */
  readonly usage: string | null;
  /** What the `Retry-After` header asks to wait, in milliseconds; null when there is none. */
  readonly retryAfter: Millis | null;
}

/** What came of a call. `unsent` is certain: not a byte of the request left. `lost` may have been acted upon. */
export type PlatformAnswer = Answered | { readonly kind: "unsent" } | { readonly kind: "lost" };

/** Calls to a platform's API. */
export interface PlatformHttp {
  /** @param deadline from `deadline()`, for calls that share one; by default the call has its own */
  post(url: string, token: string, body: object, deadline?: AbortSignal): Promise<PlatformAnswer>;
  get(url: string, token: string): Promise<PlatformAnswer>;
  /** The end of a whole call that begins now. */
  deadline(): AbortSignal;
}

/**
 * The connections of this process to the platforms. Follows no redirect, makes no call twice, never throws.
 * @param timeouts milliseconds to connect (3 s) and for the whole call, to the last byte of the answer (10 s)
 */
export function platformHttp(timeouts: { connect?: Millis; total?: Millis } = {}): PlatformHttp {
  const { connect = CONNECT_TIMEOUT, total = TOTAL_TIMEOUT } = timeouts;
  const newAgent = () => new Agent({ connect: { timeout: connect }, maxResponseSize: ANSWER_BYTES_MAX });
  let agent = newAgent();
  let usedAt = clockNow();

  // A frozen function wakes to connections that the other side gave up meanwhile, and its timers did not see the time
  // pass. A send on such a connection would have an unknown outcome, so after a pause it starts afresh.
  function freshAgent(): Agent {
    const now = clockNow();
    if (Math.abs(now - usedAt) > IDLE_MAX) {
      agent.close().catch(() => {});
      agent = newAgent();
    }
    usedAt = now;
    return agent;
  }

  const deadline = () => AbortSignal.timeout(total);

  async function call(
    method: "GET" | "POST",
    url: string,
    token: string,
    body: object | null,
    signal: AbortSignal,
  ): Promise<PlatformAnswer> {
    try {
      const answer = await request(url, {
        method,
        dispatcher: freshAgent(),
        signal,
        headers: {
          authorization: `Bearer ${token}`,
          accept: "application/json",
          ...(body ? { "content-type": "application/json" } : {}),
        },
        ...(body ? { body: JSON.stringify(body) } : {}),
      });
      const usage = answer.headers["x-business-use-case-usage"];
      return {
        kind: "answered",
        status: answer.statusCode,
        body: await answer.body.text(),
        usage: typeof usage === "string" ? usage : null,
        retryAfter: parseRetryAfter(answer.headers["retry-after"], clockNow()),
      };
    } catch (error) {
      return { kind: wasNeverSent(error) ? "unsent" : "lost" };
    }
  }

  return {
    post: (url, token, body, signal = deadline()) => call("POST", url, token, body, signal),
    get: (url, token) => call("GET", url, token, null, deadline()),
    deadline,
  };
}

const beforeSending: ReadonlySet<unknown> = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "UND_ERR_CONNECT_TIMEOUT",
  "UND_ERR_INVALID_ARG",
]);

// Only errors that cannot happen on an open connection count: a reset, for one, may come after the request.
function wasNeverSent(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, syscall } = error as NodeJS.ErrnoException;
  return beforeSending.has(code) || syscall === "connect";
}
