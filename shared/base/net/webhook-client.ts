import type { Dispatcher } from "undici";
import { API_VERSION } from "../events/events.ts";
import type { AttemptOutcome } from "../kernel/attempt-outcome.ts";
import { captureCallScope, requireOpenCallScope } from "../kernel/call-scope.ts";
import { createLoopClock, type LoopClock, OutOfTime } from "../kernel/deadline.ts";
import { ATTEMPT_TIMEOUT, CONNECT_TIMEOUT, RESPONSE_BYTES_MAX, RESPONSE_TEXT_BYTES_MAX } from "../kernel/limits.ts";
import { clockNow, type Millis, parseRetryAfter } from "../kernel/time.ts";
import { AttemptFailure, classifyFailure } from "./attempt-failure.ts";
import { createConnectionPools, whenWritten } from "./connection-pools.ts";
import type { Gate } from "./egress-gate.ts";
import { createPinnedConnector } from "./pinned-connector.ts";
import { responseText } from "./responses.ts";

/** A receiver's response. */
interface ResponseHead {
  readonly status: number;
  /** The header value, unparsed. */
  readonly retryAfter: string | string[] | undefined;
  /** The first 256 bytes of its body. */
  readonly beginning: Uint8Array;
}

/**
 * One request and its response, whose body is counted and dropped after its first bytes. It uses undici's callbacks, because `request` would
 * build a stream for a body that is not read. A 2xx counts when its whole body has arrived; any other status counts
 * regardless of its body.
 */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly #mayCall = captureCallScope();
  readonly #onSent: () => void;
  #status: number | null = null;
  #retryAfter: ResponseHead["retryAfter"];
  #bytes = 0;
  #beginning = Buffer.alloc(0);
  #settled = false;
  #controller: Dispatcher.DispatchController | null = null;
  #resolve: (answer: ResponseHead) => void = () => {};
  #reject: (error: Error) => void = () => {};

  /** @param onSent called when the last byte of the request is sent, unless it has ended before */
  constructor(onSent: () => void = () => {}) {
    this.#onSent = onSent;
  }

  /** @throws AttemptFailure, OutOfTime when the call may no longer begin, or undici's error when there was no response */
  send(dispatcher: Dispatcher, request: Dispatcher.DispatchOptions): Promise<ResponseHead> {
    return new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
      dispatcher.dispatch(request, this);
    });
  }

  /** Settles at once and closes the connection. A request that still waits for a connection is never sent. */
  abort(failure: AttemptFailure): void {
    this.#fail(failure);
    this.#controller?.abort(failure);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // The wait for a connection took too long.
    if (this.#settled) controller.abort(new AttemptFailure({ error: "timeout" }));
    // Nothing was written yet.
    else if (!this.#mayCall())
      controller.abort(new OutOfTime("The invocation has answered, so the call does not begin."));
  }

  onRequestSent(): void {
    whenWritten(() => {
      if (!this.#settled) this.#onSent();
    });
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Readonly<Record<string, string | string[] | undefined>>,
  ): void {
    // An interim response: the final one follows.
    if (status < 200) return;
    this.#status = status;
    this.#retryAfter = headers["retry-after"];
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    const missing = RESPONSE_TEXT_BYTES_MAX - this.#bytes;
    // A copy: a part of a chunk would hold the whole chunk in memory.
    if (missing > 0) this.#beginning = Buffer.concat([this.#beginning, chunk.subarray(0, missing)]);
    this.#bytes += chunk.byteLength;
    if (this.#bytes > RESPONSE_BYTES_MAX) this.abort(new AttemptFailure({ error: "too_large" }));
  }

  onResponseEnd(): void {
    if (this.#status !== null) this.#complete(this.#status);
  }

  onResponseError(_controller: Dispatcher.DispatchController | null, error: Error): void {
    const isLimit = error instanceof AttemptFailure;
    this.#fail(this.#status === null || isLimit ? error : new AttemptFailure({ error: "connect" }));
  }

  #fail(error: Error): void {
    if (this.#status !== null && !isSuccess(this.#status)) {
      this.#complete(this.#status);
      return;
    }
    this.#settled = true;
    this.#reject(error);
  }

  #complete(status: number): void {
    this.#settled = true;
    this.#resolve({ status, retryAfter: this.#retryAfter, beginning: this.#beginning });
  }
}

const isSuccess = (status: number) => status >= 200 && status <= 299;

interface WebhookRequest {
  readonly url: string;
  /** The connection pool to use. Attempts of one pool never wait for those of another, even with the same URL. */
  readonly poolKey: string;
  /** Lowercase names. None comes from a tenant. Content type and user agent are set here. */
  readonly headers: Record<string, string>;
  /** JSON, sent unchanged. */
  readonly body: string;
  /**
   * Time limit of the answer, from the last byte of the request to the last byte read. The request must be sent within
   * the connect limit then. Both are of the loop's clock. Default: only the limit of the whole attempt.
   */
  readonly answerTimeout?: Millis;
}

export interface WebhookClient {
  /**
   * Makes one attempt and returns its outcome, with the beginning of the response body. Redirects are not followed. A 2xx counts when
   * its whole body, at most 64 KiB, has arrived; any other status counts regardless of its body.
   * @throws only for a request that can never be sent (a line break in a header, a closed client)
   * @throws OutOfTime when its invocation has answered before the request was written. The receiver saw nothing of it
   */
  send(request: WebhookRequest): Promise<AttemptOutcome>;
  /** Waits for the running attempts, then closes every connection. */
  close(): Promise<void>;
}

export interface WebhookClientOptions {
  readonly gate: Gate;
  /** The version in the `Parley/<version>` user agent. Default: the API's version. */
  readonly version?: string;
  readonly now?: () => Millis;
  /** Time limit of the whole attempt, from DNS lookup to the last byte. Default: 15 s. */
  readonly attemptTimeout?: Millis;
  /** Time limit from the first packet to the end of the TLS handshake, by the loop's clock. Default: 5 s. */
  readonly connectTimeout?: Millis;
  /** Measures how long receivers take. Default: a clock that stands still while the event loop is blocked. */
  readonly loopClock?: LoopClock;
  /** Connections of one pool to one origin. An attempt beyond them waits within its time limit. Default: 10. */
  readonly connectionsPerPool?: number;
  /**
   * Open pools. Default: 500. Beyond it the least recently used pool closes after its running attempts, and its
   * next attempt opens a new connection.
   */
  readonly poolsMax?: number;
  /** Open connections of all pools before idle ones are closed. Default: 500. */
  readonly connectionsMax?: number;
}

/** The size of a worker's batch, so that no attempt of a batch waits for a connection. */
const CONNECTIONS_PER_POOL = 10;
const POOLS_MAX = 500;
/** More than the 200 attempts of a batch, and well below the 1,024 open files that Lambda allows a process. */
const CONNECTIONS_MAX = 500;

export function createWebhookClient(options: WebhookClientOptions): WebhookClient {
  const { gate, version = API_VERSION, now = clockNow } = options;
  const attemptTimeout = options.attemptTimeout ?? ATTEMPT_TIMEOUT;
  const connectTimeout = options.connectTimeout ?? CONNECT_TIMEOUT;
  const loopClock = options.loopClock ?? createLoopClock();
  const connect = createPinnedConnector({ gate, lookupTimeout: attemptTimeout, connectTimeout, loopClock });
  const pools = createConnectionPools({
    connect,
    now,
    connectionsPerPool: options.connectionsPerPool ?? CONNECTIONS_PER_POOL,
    poolsMax: options.poolsMax ?? POOLS_MAX,
    connectionsMax: options.connectionsMax ?? CONNECTIONS_MAX,
  });
  const fixedHeaders = {
    "content-type": "application/json",
    "user-agent": `Parley/${version}`,
    accept: "*/*",
    // The body is counted and dropped after its beginning, never decompressed, so a compression bomb does no harm.
    "accept-encoding": "identity",
  };
  const inFlight = new Set<Promise<AttemptOutcome>>();
  let closed = false;

  async function attempt(webhook: WebhookRequest): Promise<AttemptOutcome> {
    const { poolKey, headers, body } = webhook;
    const { answerTimeout = attemptTimeout } = webhook;
    const check = gate.checkUrl(webhook.url);
    if (!check.ok) return { kind: "refused_by_gate", reason: check.reason };
    const { url } = check;
    // The start of the attempt, until its request is sent.
    let waitingSince = loopClock.now();
    const elapsed = () => Math.max(0, Math.round(loopClock.now() - waitingSince));
    const exchange = new Exchange(() => {
      cancelLimit();
      waitingSince = loopClock.now();
      cancelLimit = loopClock.after(answerTimeout, expire);
    });
    const expire = () => exchange.abort(new AttemptFailure({ error: "timeout" }));
    let cancelLimit = loopClock.after(answerTimeout < attemptTimeout ? connectTimeout : attemptTimeout, expire);
    const deadline = setTimeout(expire, attemptTimeout);
    try {
      const request = {
        method: "POST",
        path: url.pathname + url.search,
        headers: { ...headers, ...fixedHeaders },
        body,
      };
      const { status, retryAfter, beginning } = await pools.use(poolKey, url.origin, (pool) =>
        exchange.send(pool, request),
      );
      const durationMs = elapsed();
      const response = responseText(beginning);
      return {
        kind: "answered",
        status,
        retryAfter: parseRetryAfter(retryAfter, now()),
        durationMs,
        ...(response === null ? {} : { response }),
      };
    } catch (error) {
      const failure = classifyFailure(error);
      if ("refused" in failure) return { kind: "refused_by_gate", reason: failure.refused };
      return { kind: "no_answer", error: failure.error, durationMs: elapsed() };
    } finally {
      cancelLimit();
      clearTimeout(deadline);
    }
  }

  return {
    async send(request) {
      if (closed) throw new Error("The webhook client is closed. Create another one to send more.");
      requireOpenCallScope();
      const pending = attempt(request);
      inFlight.add(pending);
      try {
        return await pending;
      } finally {
        inFlight.delete(pending);
      }
    },

    async close() {
      closed = true;
      await Promise.allSettled(inFlight);
      await pools.destroy();
    },
  };
}
