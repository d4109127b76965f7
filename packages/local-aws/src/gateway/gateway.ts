import type { IncomingMessage, ServerResponse } from "node:http";
import {
  type LoopbackServer,
  type LoopbackServerOptions,
  openLoopbackServer,
} from "../../../loopback/src/loopback-server.ts";
import type { Functions } from "../lambda/functions.ts";
import { FunctionFailed } from "../lambda/sandbox.ts";
import { LocalRefusal } from "../support/local-refusal.ts";
import type { Millis } from "../support/time.ts";
import { readBody } from "./body.ts";
import { type GatewayRequest, parseTarget, toHttpEvent } from "./event.ts";
import { INVOCATION_MAX_BYTES, sendMessage, sendResult } from "./response.ts";
import { matchRoute, type Route, type RouteMatch } from "./routes.ts";
import { answerUnroutedRequests } from "./unrouted-requests.ts";

/** What the gateway serves when the stack is ready. */
export interface GatewayOptions {
  readonly routes: readonly Route[];
  readonly functions: Pick<Functions, "invoke">;
  readonly now: () => Millis;
  readonly report: (line: string) => void;
  /** Handles `/_local/…`, which is not part of the template. */
  handleLocal(request: GatewayRequest, response: ServerResponse): Promise<void>;
  /** True rejects this request at the edge, before a function runs. */
  shouldRefuseAtEdge(): boolean;
}

export interface Gateway {
  readonly url: string;
  readonly port: number;
  /** Before this call every request gets 503. */
  serve(options: GatewayOptions): void;
  close(): Promise<void>;
}

/** The limit of an HTTP API. */
const BODY_MAX_BYTES = 10 * 2 ** 20;
/** Request line and headers together. */
const HEAD_MAX_BYTES = 10_240;

/** What the gateway answers to a method that no route can have, where the app does not say. */
const METHOD_NOT_ALLOWED = JSON.stringify({ message: "Method Not Allowed" });

/**
 * Listens on loopback. Throws a LocalRefusal if the port is in use.
 * @param origins the origins of other pages that may call the API
 * @param methodBody the JSON of the answer to a method that no route can have
 */
export async function openGateway(
  port: number,
  origins: readonly string[] = [],
  methodBody: string = METHOD_NOT_ALLOWED,
): Promise<Gateway> {
  let options: GatewayOptions | undefined;
  const { server, origin, ...opened } = await listen({
    port,
    origins,
    maxHeaderSize: HEAD_MAX_BYTES,
    keepAliveTimeout: 60_000,
    onRequest(request, response) {
      if (!options) return sendMessage(response, 503, "The local stack is starting.");
      const { report, now } = options;
      // A page that reads the server's time from it would mix two clocks after an advance.
      response.setHeader("date", new Date(now()).toUTCString());
      handleRequest(request, response, options).catch((error: Error) => {
        report(`gateway: ${error.message}`);
        if (!response.headersSent) sendMessage(response, 500, "Internal Server Error");
      });
    },
  });
  answerUnroutedRequests(server, methodBody);
  return {
    url: origin,
    port: opened.port,
    serve(next) {
      options = next;
    },
    close: opened.close,
  };
}

async function listen(options: LoopbackServerOptions): Promise<LoopbackServer> {
  try {
    return await openLoopbackServer(options);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EADDRINUSE") throw error;
    const { port } = options;
    throw new LocalRefusal(`Port ${port} is in use. Stop the process that uses it, or choose another --port.`);
  }
}

async function handleRequest(
  request: IncomingMessage,
  response: ServerResponse,
  options: GatewayOptions,
): Promise<void> {
  // The stack's clock, which may be ahead of real time. Clients compute with this header.
  response.setHeader("date", new Date(options.now()).toUTCString());
  const target = parseTarget(request.url ?? "/");
  if (!target) return sendMessage(response, 400, "Bad Request");
  const isLocal = target.path.startsWith("/_local/");
  if (!isLocal && options.shouldRefuseAtEdge()) return sendMessage(response, 429, "Too Many Requests");
  const body = await readBody(request, BODY_MAX_BYTES);
  if (body === null) return sendMessage(response, 413, "Request Entity Too Large");
  const gatewayRequest = { request, target, body };
  if (isLocal) return await options.handleLocal(gatewayRequest, response);
  const match = matchRoute(options.routes, request.method ?? "GET", target.sentPath);
  if (!match) return sendMessage(response, 404, "Not Found");
  await invoke(gatewayRequest, response, match, options);
}

async function invoke(
  request: GatewayRequest,
  response: ServerResponse,
  match: RouteMatch,
  { functions, now, report }: GatewayOptions,
): Promise<void> {
  const event = toHttpEvent(request, match, now());
  if (isTooLarge(event, request.body)) return sendMessage(response, 413, "Request Entity Too Large");
  const { route } = match;
  const timer = setTimeout(() => sendMessage(response, 503, "Service Unavailable"), route.timeoutMs);
  try {
    const result = await functions.invoke(route.functionId, event);
    if (!response.headersSent) sendResult(response, result, request.request.headers.origin);
  } catch (error) {
    report(`${route.functionId}: ${(error as Error).message}`);
    const isThrottled = error instanceof FunctionFailed && error.reason === "throttled";
    // An HTTP API answers so where Lambda refuses an invocation with 429.
    if (isThrottled && !response.headersSent) sendMessage(response, 503, "Service Unavailable");
    if (!response.headersSent) sendMessage(response, 500, "Internal Server Error");
  } finally {
    clearTimeout(timer);
  }
}

/** Base64 or escaped quotes make the event larger than the body. Only a large body needs the exact count. */
function isTooLarge(event: object, body: Buffer): boolean {
  return body.length > INVOCATION_MAX_BYTES / 3 && Buffer.byteLength(JSON.stringify(event)) > INVOCATION_MAX_BYTES;
}
