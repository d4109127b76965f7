import { abortedError, type Clock, sleep, systemClock } from "./clock.ts";
import { ParleyError } from "./errors.ts";
import { keyRefusal, missingKey } from "./key-rule.ts";
import { type Data, type Operation, type Parts, takesCredential, takesTenant, toPath } from "./operations.ts";
import { type ReceivedResponse, readEnvelope } from "./responses.ts";
import { mayRetry, retryDelay } from "./retries.ts";

/** Limits of one call. */
export interface CallOptions {
  /** Ends the call. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds for the whole call: all attempts and the waits between them. */
  readonly timeoutMs?: number | undefined;
  /** Milliseconds for one attempt, from the connection to the end of the body. */
  readonly attemptTimeoutMs?: number | undefined;
  /** Retries of a call that may be retried. */
  readonly maxRetries?: number | undefined;
  /** Milliseconds for all waits between the attempts. A call that would wait longer ends with the error of its last attempt. */
  readonly retryWaitMs?: number | undefined;
}

/** A response, also one that is retried. */
export interface ResponseInfo {
  /** Such as `GET /v1/conversations`. */
  readonly operation: string;
  /** 0 for the first attempt. */
  readonly attempt: number;
  readonly status: number;
  readonly headers: Headers;
}

export interface ClientOptions {
  /** Where Parley is, such as `https://parley.example.com`. In a browser, default: the origin of the page. */
  readonly baseUrl?: string | undefined;
  /**
   * An API key. Without one, the client uses the session cookies of the browser. Throws a ParleyError in a web page, for a
   * `baseUrl` with http that is not on this machine, and in a program for a value that is undefined or empty, such as a
   * variable that is not set. A program that needs no key, such as one for `ping`, omits it.
   */
  readonly apiKey?: string | undefined;
  /** The tenant of each request that takes one. For an operator key and a member of several tenants. */
  readonly tenant?: string | undefined;
  /** The CSRF token of the session, or a function that returns it, which the limits of the call bind. Default: the cookie `console_csrf`. */
  readonly csrfToken?: string | (() => string | Promise<string>) | undefined;
  /** Default: 120,000. */
  readonly timeoutMs?: number | undefined;
  /** Default: 31,000. The server itself answers within 30 seconds. */
  readonly attemptTimeoutMs?: number | undefined;
  /** Default: 4. */
  readonly maxRetries?: number | undefined;
  /** Default: no limit but `timeoutMs`. */
  readonly retryWaitMs?: number | undefined;
  /** Is called with each response, for example to log its `x-correlation-id`. */
  readonly onResponse?: ((response: ResponseInfo) => void) | undefined;
  readonly fetch?: typeof globalThis.fetch | undefined;
  readonly clock?: Clock | undefined;
  /** A number from 0 to 1, for the random part of the waits. */
  readonly random?: (() => number) | undefined;
}

const TIMEOUT_MS = 120_000;
const ATTEMPT_TIMEOUT_MS = 31_000;
const MAX_RETRIES = 4;

/** What ends a call. */
interface CallLimits {
  readonly signal: AbortSignal | undefined;
  readonly attemptTimeoutMs: number;
  /** When the whole call ends. */
  readonly deadline: number;
}

/** One call, with everything that its attempts have in common. */
interface Call extends CallLimits {
  readonly operation: string;
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

/** Calls the operations of the API: credentials, time-outs, retries, the envelope and its errors. */
export class HttpClient {
  readonly #options: ClientOptions;
  readonly #baseUrl: string;
  /** @internal */
  readonly clock: Clock;
  /** @internal */
  readonly random: () => number;

  constructor(options: ClientOptions = {}) {
    this.#options = options;
    this.#baseUrl = withoutEndSlashes(options.baseUrl ?? scope.location?.origin ?? "");
    if (!/^https?:\/\//.test(this.#baseUrl)) {
      throw invalidArgument("Missing baseUrl. Pass the URL of the deployment, such as https://parley.example.com.");
    }
    const refusal = options.apiKey === undefined ? missingKey(options) : keyRefusal(options.apiKey, this.#baseUrl);
    if (refusal !== null) throw invalidArgument(refusal);
    this.clock = options.clock ?? systemClock;
    this.random = options.random ?? Math.random;
  }

  /** Whether requests are made with the session of the browser. */
  get hasSession(): boolean {
    return this.#options.apiKey === undefined;
  }

  /** `fetch` of the options, without credentials of Parley. @internal */
  fetch(url: string, init: RequestInit): Promise<Response> {
    return (this.#options.fetch ?? globalThis.fetch)(url, init);
  }

  /**
   * Calls an operation of the API. @returns `data` of its response
   * @param operation method and path as in the document: `GET /v1/conversations/{id}`. Its path parameters are `path`.
   */
  async request<Name extends Operation>(operation: Name, ...args: RequestArguments<Name>): Promise<Data<Name>> {
    const parts: CallOptions = args[0] ?? {};
    const call = await this.#toCall(operation, parts);
    const maxRetries = parts.maxRetries ?? this.#options.maxRetries ?? MAX_RETRIES;
    let waitMs = parts.retryWaitMs ?? this.#options.retryWaitMs ?? Number.POSITIVE_INFINITY;
    for (let attempt = 0; ; attempt++) {
      try {
        return readEnvelope(await this.#attempt(call, attempt), this.clock.now()) as Data<Name>;
      } catch (error) {
        if (!(error instanceof ParleyError) || attempt >= maxRetries || !mayRetry(operation, error)) throw error;
        const delayMs = retryDelay(attempt, error.retryAfter, this.random());
        waitMs -= delayMs;
        if (waitMs < 0 || this.clock.now() + delayMs >= call.deadline) throw error;
        await sleep(this.clock, delayMs, call.signal);
      }
    }
  }

  async #toCall(operation: string, parts: object): Promise<Call> {
    const { path, query, headers, body, signal, timeoutMs, attemptTimeoutMs } = parts as RequestParts;
    const options = this.#options;
    const deadline = this.clock.now() + (timeoutMs ?? options.timeoutMs ?? TIMEOUT_MS);
    const [method = "", template = ""] = operation.split(" ");
    const tenant = options.tenant !== undefined && takesTenant(operation) ? { tenant: options.tenant } : {};
    const target = toPath(template, path, { ...tenant, ...withoutUndefined(query) });
    if (target === null) throw invalidArgument(`Invalid id for ${operation}. An id is not empty, "." or "..".`);
    const limits = {
      signal,
      attemptTimeoutMs: attemptTimeoutMs ?? options.attemptTimeoutMs ?? ATTEMPT_TIMEOUT_MS,
      deadline,
    };
    const json = body === undefined ? undefined : toJson(body);
    // A function for the CSRF token needs a session, so it is not called where there may be none.
    const credentials = takesCredential(operation) ? await this.#credentials(method, limits) : {};
    return {
      ...limits,
      operation,
      method,
      url: `${this.#baseUrl}${target}`,
      headers: { accept: "application/json", ...credentials, ...jsonType(body), ...headers },
      body: json,
    };
  }

  async #credentials(method: string, limits: CallLimits): Promise<Record<string, string>> {
    const { apiKey, csrfToken } = this.#options;
    if (apiKey !== undefined) return { authorization: `Bearer ${apiKey}` };
    if (method === "GET") return {};
    const token =
      (typeof csrfToken === "function" ? await this.#callInTime(csrfToken, limits) : csrfToken) ?? csrfCookie();
    return token === undefined ? {} : { "x-csrf-token": token };
  }

  /** Calls a function of the caller, within the limits of an attempt. Its own error stays as it is. */
  async #callInTime<T>(callback: () => T | Promise<T>, { signal, attemptTimeoutMs, deadline }: CallLimits): Promise<T> {
    const timeoutMs = Math.min(attemptTimeoutMs, deadline - this.clock.now());
    const result = await this.withTimeout({ timeoutMs, signal }, async () => {
      try {
        return { value: await callback() };
      } catch (error) {
        return { error };
      }
    });
    if ("error" in result) throw result.error;
    return result.value;
  }

  /** One request and its whole response. Throws a ParleyError when there is none in time. */
  async #attempt(call: Call, attempt: number): Promise<ReceivedResponse> {
    const { operation, method, url, headers, body, signal } = call;
    const timeoutMs = Math.min(call.attemptTimeoutMs, call.deadline - this.clock.now());
    const received = await this.withTimeout({ timeoutMs, signal }, async (attemptSignal) => {
      const response = await this.fetch(url, {
        method,
        headers,
        ...(body === undefined ? {} : { body }),
        cache: "no-store",
        credentials: this.hasSession ? "include" : "omit",
        // The API redirects only browsers. Another server must not get a credential or a message.
        redirect: "manual",
        signal: attemptSignal,
      });
      return { status: response.status, headers: response.headers, text: await response.text() };
    });
    this.#options.onResponse?.({ operation, attempt, status: received.status, headers: received.headers });
    return received;
  }

  /**
   * Runs work with a signal that is aborted after a time or by the caller. Ends also if the work ignores the signal.
   * Throws a ParleyError: `timeout`, `aborted`, or `connection_failed` for an error of the work. @internal
   */
  async withTimeout<T>(limits: TimeLimits, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const { timeoutMs, signal } = limits;
    if (signal?.aborted) throw abortedError(signal);
    const controller = new AbortController();
    const ended = new Promise<never>((_, reject) => {
      controller.signal.addEventListener("abort", () => reject(controller.signal.reason));
    });
    const onAbort = () => controller.abort(abortedError(signal));
    const onTimeout = () =>
      controller.abort(new ParleyError({ code: "timeout", message: "The time for the response is over." }));
    const cancelTimeout = this.clock.schedule(onTimeout, Math.max(0, timeoutMs));
    signal?.addEventListener("abort", onAbort, { once: true });
    try {
      return await Promise.race([work(controller.signal), ended]);
    } catch (cause) {
      if (cause instanceof ParleyError) throw cause;
      throw new ParleyError({ code: "connection_failed", message: "The connection failed.", cause });
    } finally {
      cancelTimeout();
      signal?.removeEventListener("abort", onAbort);
    }
  }
}

export interface TimeLimits {
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
}

/** The second argument may be left out where nothing in it is required. */
type RequestArguments<Name extends Operation> =
  object extends Parts<Name> ? [parts?: Parts<Name> & CallOptions] : [parts: Parts<Name> & CallOptions];

interface RequestParts extends CallOptions {
  readonly path?: object;
  readonly query?: object;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** What only a browser has. */
const scope = globalThis as unknown as {
  readonly location?: { readonly origin: string };
  readonly document?: { readonly cookie: string };
};

function csrfCookie(): string | undefined {
  return /(?:^|; )console_csrf=([^;]+)/.exec(scope.document?.cookie ?? "")?.[1];
}

function withoutUndefined(query: object = {}): object {
  return Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined));
}

function toJson(body: unknown): string {
  try {
    return JSON.stringify(body);
  } catch {
    throw invalidArgument("The body is not JSON.");
  }
}

function jsonType(body: unknown): Record<string, string> {
  return body === undefined ? {} : { "content-type": "application/json" };
}

function invalidArgument(message: string): ParleyError {
  return new ParleyError({ code: "invalid_argument", message });
}

function withoutEndSlashes(url: string): string {
  let end = url.length;
  while (url[end - 1] === "/") end -= 1;
  return url.slice(0, end);
}
