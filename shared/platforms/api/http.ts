import {
  type Agent,
  type ClientRequest,
  request as httpRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  Agent as PlainAgent,
  type RequestOptions,
} from "node:http";
import { request as httpsRequest, Agent as SecureAgent } from "node:https";
import { clockNow, type Millis, SECOND } from "../../kernel/time.ts";
import { parseRetryAfter } from "../../net/retry-after.ts";

const CONNECT_TIMEOUT: Millis = 3 * SECOND;
const TOTAL_TIMEOUT: Millis = 10 * SECOND;
const IDLE_MAX: Millis = 4 * SECOND;
const RESPONSE_BYTES_MAX = 1024 * 1024;

export interface PlatformResponse {
  readonly kind: "answered";
  readonly status: number;
  readonly body: string;
  /** The platform's account of how much was used, a JSON text; null when it sent none. */
  readonly usage: string | null;
  /** What the `Retry-After` header asks to wait, in milliseconds; null when there is none. */
  readonly retryAfter: Millis | null;
}

/** What came of a call. `unsent` is certain: not a byte of the request left. `lost` may have been acted upon. */
export type CallOutcome = PlatformResponse | { readonly kind: "unsent" } | { readonly kind: "lost" };

/** Calls to a platform's API. */
export interface PlatformHttp {
  /** @param deadline from `deadline()`, for calls that share one; by default the call has its own */
  post(url: string, token: string, body: object, deadline?: AbortSignal): Promise<CallOutcome>;
  get(url: string, token: string): Promise<CallOutcome>;
  /** The end of a whole call that begins now. */
  deadline(): AbortSignal;
}

/**
 * The connections of this process to the platforms. Follows no redirect, makes no call twice, never throws.
 * @param timeouts milliseconds to connect (3 s) and for the whole call, to the last byte of the answer (10 s)
 */
export function platformHttp(timeouts: { connect?: Millis; total?: Millis } = {}): PlatformHttp {
  const { connect = CONNECT_TIMEOUT, total = TOTAL_TIMEOUT } = timeouts;
  const plain = { request: httpRequest, agent: new PlainAgent({ keepAlive: true }) };
  const secure = { request: httpsRequest, agent: new SecureAgent({ keepAlive: true }) };
  let usedAt = clockNow();

  // A frozen function wakes to connections that the other side gave up meanwhile, and its timers did not see the time
  // pass. A send on such a connection would have an unknown outcome, so after a pause it starts afresh.
  function dropStale(): void {
    const now = clockNow();
    if (Math.abs(now - usedAt) > IDLE_MAX) for (const { agent } of [plain, secure]) closeIdle(agent);
    usedAt = now;
  }

  const deadline = () => AbortSignal.timeout(total);

  async function call(
    method: "GET" | "POST",
    to: string,
    token: string,
    content: object | null,
    signal: AbortSignal,
  ): Promise<CallOutcome> {
    dropStale();
    const url = URL.parse(to);
    const { request, agent } = url?.protocol === "https:" ? secure : plain;
    if (!url) return { kind: "unsent" };
    const body = content === null ? null : Buffer.from(JSON.stringify(content));
    const options: RequestOptions = {
      method,
      agent,
      signal,
      headers: {
        authorization: `Bearer ${token}`,
        accept: "application/json",
        ...(body ? { "content-type": "application/json", "content-length": body.length } : {}),
      },
    };
    const httpCall = new Call(connect);
    try {
      const { status, headers, text } = await httpCall.send(() => request(url, options), body);
      const usage = headers["x-business-use-case-usage"];
      return {
        kind: "answered",
        status,
        body: text,
        usage: typeof usage === "string" ? usage : null,
        retryAfter: parseRetryAfter(headers["retry-after"], clockNow()),
      };
    } catch {
      return { kind: httpCall.mayBeSent ? "lost" : "unsent" };
    }
  }

  return {
    post: (url, token, body, signal = deadline()) => call("POST", url, token, body, signal),
    get: (url, token) => call("GET", url, token, null, deadline()),
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

/** One request. Node holds its bytes back until it has a connection, handshake included. */
class Call {
  readonly #connectTimeout: Millis;
  #connected = false;

  /** @param connectTimeout milliseconds until the connection must be there */
  constructor(connectTimeout: Millis) {
    this.#connectTimeout = connectTimeout;
  }

  /** False as long as it is certain that no byte of the request left. */
  get mayBeSent(): boolean {
    return this.#connected;
  }

  /**
   * Makes the request and reads the whole answer, of at most a megabyte.
   * @throws whatever was wrong with the request, its connection or the answer
   */
  async send(openRequest: () => ClientRequest, body: Buffer | null): Promise<HttpResponse> {
    const request = openRequest();
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const onTimeout = () => request.destroy(new Error("No connection in time."));
      const timer = setTimeout(onTimeout, this.#connectTimeout);
      const onConnected = () => {
        clearTimeout(timer);
        this.#connected = true;
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
      if (length > RESPONSE_BYTES_MAX) throw new Error("The answer is too long.");
      chunks.push(chunk);
    }
    return { status: response.statusCode ?? 0, headers: response.headers, text: Buffer.concat(chunks).toString() };
  }
}
