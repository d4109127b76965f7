import type { IncomingHttpHeaders } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { Agent as HttpAgent, request as httpRequest } from "../../kernel/node/http.ts";
import type { Millis } from "../../kernel/time.ts";

export interface HttpRequest {
  readonly method: string;
  readonly protocol?: string;
  readonly hostname: string;
  readonly port?: number | undefined;
  /** With the query, if there is one. */
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body?: string | Uint8Array;
}

export interface HttpResponse {
  readonly statusCode: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export interface Timeouts {
  /** From the start of a connection until it is established. */
  readonly connectionTimeout?: Millis;
  /** From the start of the request to the last byte of the response. */
  readonly requestTimeout?: Millis;
}

/** One pool for all clients of a process. A pool has its connections by host, so no service waits for another. */
const options = { keepAlive: true, maxSockets: 64 };
const agents = { "http:": new HttpAgent(options), "https:": new HttpsAgent(options) };

/** Codes that the SDK names `TimeoutError`. */
const lost: ReadonlySet<unknown> = new Set(["ECONNRESET", "EPIPE", "ETIMEDOUT"]);

/**
 * Makes one HTTP request over a connection that stays open.
 * @throws TimeoutError after a time-out or a lost connection, AbortError, or the error of the connection
 */
export function exchange(
  { protocol, hostname, port, method, path, headers, body }: HttpRequest,
  { connectionTimeout = 0, requestTimeout = 0 }: Timeouts,
  abortSignal?: AbortSignal,
): Promise<HttpResponse> {
  return new Promise((resolve, reject) => {
    if (abortSignal?.aborted) return reject(abortError());
    const isPlain = protocol === "http:";
    const request = (isPlain ? httpRequest : httpsRequest)({
      agent: agents[isPlain ? "http:" : "https:"],
      host: hostname.startsWith("[") ? hostname.slice(1, -1) : hostname,
      ...(port === undefined ? {} : { port }),
      method,
      path,
      headers,
    });
    const timers: NodeJS.Timeout[] = [];
    const end = (settle: () => void) => {
      for (const timer of timers) clearTimeout(timer);
      abortSignal?.removeEventListener("abort", onAbort);
      settle();
    };
    const fail = (error: Error) => end(() => reject(error));
    const timeOut = (what: string, after: Millis) =>
      setTimeout(() => {
        const error = new Error(`The ${what} of ${method} at ${hostname} took longer than ${after} ms.`);
        fail(Object.assign(error, { name: "TimeoutError", code: "ETIMEDOUT" }));
        request.destroy();
      }, after);
    const onAbort = () => {
      fail(abortError());
      request.destroy();
    };
    const onError = (error: Error & { code?: string }) =>
      fail(lost.has(error.code) ? Object.assign(error, { name: "TimeoutError" }) : error);

    abortSignal?.addEventListener("abort", onAbort, { once: true });
    if (requestTimeout > 0) timers.push(timeOut("answer", requestTimeout));
    request.on("error", onError);
    request.on("socket", (socket) => {
      if (connectionTimeout <= 0 || !socket.connecting) return;
      const timer = timeOut("connection", connectionTimeout);
      timers.push(timer);
      socket.once("connect", () => clearTimeout(timer));
    });
    request.on("response", (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", onError);
      response.on("end", () => {
        const [first] = chunks;
        const whole = first !== undefined && chunks.length === 1 ? first : Buffer.concat(chunks);
        end(() => resolve({ statusCode: response.statusCode ?? 0, headers: response.headers, body: whole }));
      });
    });
    request.end(body);
  });
}

function abortError(): Error {
  return Object.assign(new Error("Request aborted"), { name: "AbortError" });
}
