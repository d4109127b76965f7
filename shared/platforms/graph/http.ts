import type { Agent, ClientRequest, IncomingHttpHeaders, IncomingMessage, RequestOptions } from "node:http";
import { request as httpsRequest, Agent as SecureAgent } from "node:https";
import { captureCallScope } from "#base/kernel/call-scope.ts";
import { PLATFORM_FETCH_TIMEOUT, PLATFORM_TIMEOUT, PLATFORM_VIDEO_TIMEOUT } from "#base/kernel/limits.ts";
import { request as httpRequest, Agent as PlainAgent } from "#base/kernel/node/http.ts";
import { clockNow, type Millis, parseRetryAfter, SECOND } from "#base/kernel/time.ts";

const CONNECT_TIMEOUT: Millis = 3 * SECOND;
const IDLE_MAX: Millis = 4 * SECOND;
const RESPONSE_BYTES_MAX = 1024 * 1024;

export interface PlatformResponse {
  readonly kind: "answered";
  readonly status: number;
  readonly body: string;
  /** The usage header, a JSON text; null when it is absent. */
  readonly usage: string | null;
  /** The `Retry-After` header in milliseconds; null when it is absent. */
  readonly retryAfter: Millis | null;
}

/**
 * - `unsent`: no byte of the request was sent
 * - `late`: the same, because it was too late to send it, or its invocation had answered
 * - `lost`: the platform may have processed the request
 */
export type CallOutcome =
  | PlatformResponse
  | { readonly kind: "unsent" }
  | { readonly kind: "late" }
  | { readonly kind: "lost" };

/** One call to a platform's API. */
interface PlatformCall {
  readonly url: string;
  /** Sent as the bearer token; null for a call that carries none. */
  readonly token: string | null;
  /** From `deadline()`, for calls that share one. Default: a new one. */
  readonly deadline?: AbortSignal;
  /** The last instant at which the request may leave. Default: no limit. */
  readonly leavesBy?: Millis;
}

/** The body of a request. */
interface Content {
  readonly type: string;
  readonly text: string;
}

/** Calls to a platform's API. */
export interface PlatformHttp {
  post(call: PlatformCall & { readonly body: object }): Promise<CallOutcome>;
  postForm(call: PlatformCall & { readonly form: Readonly<Record<string, string>> }): Promise<CallOutcome>;
  get(call: PlatformCall): Promise<CallOutcome>;
  delete(call: PlatformCall): Promise<CallOutcome>;
  /**
   * The deadline of a call that starts now.
   * @param kind `fetch`: the platform fetches the files of a send before it answers. `video`: it fetches a video that is
   *   uploaded. Default: any other call
   * @param endsBy when the call must have ended. Default: no limit
   */
  deadline(kind?: "call" | "fetch" | "video", endsBy?: Millis): AbortSignal;
}

/**
 * A client with pooled connections. Follows no redirects, never repeats a call and never throws.
 * @param options.connect milliseconds to connect; default 3,000
 * @param options.total milliseconds until the last byte of the response; default 10,000
 * @param options.fetchTotal the same where the platform fetches the files of a send first; default 25,000
 * @param options.videoTotal the same where the platform fetches a video that is uploaded; default 75,000
 * @param options.clock the current time, by the clock that sets `leavesBy`; default: that of the process
 */
export function platformHttp(
  options: { connect?: Millis; total?: Millis; fetchTotal?: Millis; videoTotal?: Millis; clock?: () => Millis } = {},
): PlatformHttp {
  const { connect = CONNECT_TIMEOUT, total = PLATFORM_TIMEOUT, clock = clockNow } = options;
  const { fetchTotal = PLATFORM_FETCH_TIMEOUT, videoTotal = PLATFORM_VIDEO_TIMEOUT } = options;
  const timeouts = { call: total, fetch: fetchTotal, video: videoTotal } as const;
  const plain = { request: httpRequest, agent: new PlainAgent({ keepAlive: true }) };
  const secure = { request: httpsRequest, agent: new SecureAgent({ keepAlive: true }) };
  let usedAt = clock();

  // While a function is frozen, the platform may close its idle connections, and its own timers do not run. A send on
  // such a connection would have an unknown outcome, so idle connections are closed after a pause.
  function dropStale(): void {
    const now = clock();
    if (Math.abs(now - usedAt) > IDLE_MAX) for (const { agent } of [plain, secure]) closeIdle(agent);
    usedAt = now;
  }

  const deadline: PlatformHttp["deadline"] = (kind = "call", endsBy = Number.POSITIVE_INFINITY) =>
    AbortSignal.timeout(Math.max(0, Math.min(timeouts[kind], endsBy - clock())));

  async function call(
    method: "GET" | "POST" | "DELETE",
    { url: to, token, deadline: signal = deadline(), leavesBy = Number.POSITIVE_INFINITY }: PlatformCall,
    content: Content | null = null,
  ): Promise<CallOutcome> {
    dropStale();
    const url = URL.parse(to);
    const { request, agent } = url?.protocol === "https:" ? secure : plain;
    if (!url) return { kind: "unsent" };
    const body = content === null ? null : Buffer.from(content.text);
    const options: RequestOptions = {
      method,
      agent,
      signal,
      headers: {
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        accept: "application/json",
        ...(body ? { "content-type": content?.type, "content-length": body.length } : {}),
      },
    };
    const mayCall = captureCallScope();
    const httpCall = new Call(connect, () => clock() > leavesBy || !mayCall());
    try {
      const { status, headers, text } = await httpCall.send(() => request(url, options), body);
      const usage = headers["x-business-use-case-usage"];
      return {
        kind: "answered",
        status,
        body: text,
        usage: typeof usage === "string" ? usage : null,
        retryAfter: parseRetryAfter(headers["retry-after"], clock()),
      };
    } catch {
      return { kind: httpCall.failure };
    }
  }

  return {
    post: ({ body, ...post }) => call("POST", post, { type: "application/json", text: JSON.stringify(body) }),
    postForm: ({ form, ...post }) =>
      call("POST", post, { type: "application/x-www-form-urlencoded", text: new URLSearchParams(form).toString() }),
    get: (get) => call("GET", get),
    delete: (remove) => call("DELETE", remove),
    deadline,
  };
}

function closeIdle({ freeSockets }: Agent): void {
  for (const socket of Object.values(freeSockets).flat()) socket?.destroy();
}

interface HttpResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** One request. Node sends no byte of it until the connection and its TLS handshake are complete. */
class Call {
  readonly #connectTimeout: Millis;
  readonly #isLate: () => boolean;
  #failure: "unsent" | "late" | "lost" = "unsent";

  /**
   * @param connectTimeout milliseconds, including the TLS handshake
   * @param isLate whether it is too late for the request to leave
   */
  constructor(connectTimeout: Millis, isLate: () => boolean) {
    this.#connectTimeout = connectTimeout;
    this.#isLate = isLate;
  }

  /** What a failure of the call means now. */
  get failure(): "unsent" | "late" | "lost" {
    return this.#failure;
  }

  /**
   * Sends the request and reads the whole response, at most 1 MiB.
   * @throws on any error of the request, the connection or the response
   */
  async send(openRequest: () => ClientRequest, body: Buffer | null): Promise<HttpResponse> {
    const request = openRequest();
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const onTimeout = () => request.destroy(new Error("The connection timed out."));
      const timer = setTimeout(onTimeout, this.#connectTimeout);
      const onConnected = () => {
        clearTimeout(timer);
        // The process may have been frozen while it connected. Nothing was written yet.
        const isLate = this.#isLate();
        this.#failure = isLate ? "late" : "lost";
        if (isLate) request.destroy(new Error("It is too late to send the request."));
      };
      request.on("socket", (socket) => {
        if (request.reusedSocket) onConnected();
        else socket.once("encrypted" in socket ? "secureConnect" : "connect", onConnected);
      });
      request.on("response", resolve);
      request.on("error", reject);
      request.on("close", () => clearTimeout(timer));
      request.end(body);
    });
    const chunks: Buffer[] = [];
    let length = 0;
    for await (const chunk of response as AsyncIterable<Buffer>) {
      length += chunk.length;
      if (length > RESPONSE_BYTES_MAX) throw new Error("The response is too large.");
      chunks.push(chunk);
    }
    return { status: response.statusCode ?? 0, headers: response.headers, text: Buffer.concat(chunks).toString() };
  }
}
