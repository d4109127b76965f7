import { type Context, Hono } from "hono";
import { runInvocation } from "#base/kernel/call-scope.ts";
import { withDeadline } from "#base/kernel/deadline.ts";
import { newUlid } from "#base/kernel/ids.ts";
import { refuse } from "#base/kernel/refusals.ts";
import { startRequestTime } from "#base/kernel/request-time.ts";
import type { Millis } from "#base/kernel/time.ts";
import { runWithTrace } from "#base/kernel/trace.ts";
import type { RequestPace } from "#features/access/authenticate.ts";
import { redirectingBrowsers } from "./browser/browser-redirects.ts";
import { type CorsPolicy, isPreflight, preflightResponse, withCors } from "./cors.ts";
import { withDeprecation } from "./deprecation.ts";
import type { Endpoint, RequestMetadata } from "./endpoint.ts";
import { failure, type Guards, type IncomingRequest, serve, withCommonHeaders, withPace } from "./serve.ts";

/** The log line of a fault. It has no message, because a message may contain what the caller sent. */
export interface FaultLine {
  readonly event: "request.failed";
  /** The operationId of the route; "unknown" when the event was unreadable. */
  readonly operation: string;
  readonly correlation_id: string;
  /** The class of the error. */
  readonly error: string;
}
export type LogFault = (line: FaultLine) => void;

/** What the gateway reports about a request. */
export interface Edge {
  /** The path with each segment percent-encoded once. Default: the path of the request's URL. */
  readonly path?: string;
  /** The gateway's request id. It becomes the correlation id. */
  readonly requestId?: string;
  /** The client address that the gateway saw, or the distribution in front of it, not one that a client names. */
  readonly sourceIp?: string;
  /** The time left for the response. */
  readonly remaining?: Millis;
}

export interface AppOptions<P> extends Guards {
  readonly endpoints: readonly Endpoint<NoInfer<P>>[];
  readonly ports: P;
  /** The origin that may call the routes from a browser. Without one, no response has CORS headers. */
  readonly cors?: CorsPolicy;
  readonly now: () => Millis;
  readonly log: LogFault;
}

/** How long before the end a handler must answer by itself, for the way from there to the response. */
const ANSWER_MARGIN: Millis = 500;

export type App = Hono<{ Bindings: Edge }>;
type Ctx = Context<{ Bindings: Edge }>;

/**
 * The routes as one Hono app. Every response carries `x-correlation-id`. A refusal and a fault have the failure
 * envelope; a fault is logged once. The edge data are the app's bindings: `app.fetch(request, edge)`.
 */
export function createApp<P>(options: AppOptions<P>): App {
  const app: App = new Hono({
    getPath: (request, context) => encodedPath(request.url, context?.env as Edge | undefined),
  });
  for (const endpoint of [...options.endpoints].sort(bySpecificity)) {
    const answer = toAnswer(endpoint, options);
    app.on(endpoint.method, routerPath(endpoint), (c) => handleRequest(endpoint, answer, options, c));
  }
  app.notFound((c) => unroutedResponse(options, c));
  return app;
}

/** The response to a path that no route has, to a method that its routes do not have, and to a preflight. */
function unroutedResponse<P>({ endpoints, cors, now }: AppOptions<P>, c: Ctx): Response {
  const correlationId = resolveCorrelationId(c.env, now());
  const matching = matchingRoutes(endpoints, c.req.path);
  const methods = allowedMethods(matching);
  const answer = (response: Response) => {
    const common = withCommonHeaders(response, correlationId);
    return cors && isReadableByConsole(matching) ? withCors(common, c.req.raw, cors) : common;
  };
  if (methods.length === 0) return answer(failure(refuse("route_not_found")));
  if (cors && isReadableByConsole(matching) && isPreflight(c.req.raw, cors)) return answer(preflightResponse(methods));
  const refusal = answer(failure(refuse("method_not_allowed")));
  refusal.headers.set("allow", methods.join(", "));
  return refusal;
}

function isReadableByConsole(endpoints: readonly { readonly cors?: false }[]): boolean {
  return endpoints.every((endpoint) => endpoint.cors !== false);
}

/**
 * Answers the requests of one route, also with a fault.
 * @param remaining the time left for the response; undefined for no limit
 */
type Answer = (
  request: IncomingRequest,
  remaining: Millis | undefined,
  onPace: (pace: RequestPace) => void,
) => Promise<Response>;

function toAnswer<P>(endpoint: Endpoint<P>, options: AppOptions<P>): Answer {
  const answer: Answer = (request, remaining, onPace) =>
    withDeadline(remaining, serve(options, endpoint, request, onPace)).catch((error: unknown) => {
      const { operation } = endpoint;
      const { correlationId } = request.metadata;
      options.log({ event: "request.failed", operation, correlation_id: correlationId, error: className(error) });
      return failure(refuse("internal_error"));
    });
  const { ports } = options;
  const locate = endpoint.browserLocation?.bind(endpoint);
  return locate ? redirectingBrowsers(answer, (outcome, request) => locate(outcome, { request, ports })) : answer;
}

function handleRequest<P>(endpoint: Endpoint<P>, answer: Answer, options: AppOptions<P>, c: Ctx): Promise<Response> {
  const now = options.now();
  const correlationId = resolveCorrelationId(c.env, now);
  const metadata = requestMetadata(c, correlationId);
  const remaining = c.env?.remaining;
  const time = startRequestTime(options.now, remaining && remaining - ANSWER_MARGIN);
  const request = { raw: c.req.raw, metadata, path: c.req.param(), now, time };
  const caller: { pace?: RequestPace } = {};
  const respond = async () => {
    const response = await answer(request, remaining, (pace) => {
      caller.pace = pace;
    });
    const paced = withCommonHeaders(caller.pace ? withPace(response, caller.pace) : response, correlationId);
    const common = endpoint.deprecation ? withDeprecation(paced, endpoint.deprecation) : paced;
    return options.cors && isReadableByConsole([endpoint]) ? withCors(common, request.raw, options.cors) : common;
  };
  return runInvocation(() => runWithTrace(correlationId, respond)).finally(time.end);
}

function requestMetadata(c: Ctx, correlationId: string): RequestMetadata {
  const queryStart = c.req.url.indexOf("?");
  return {
    correlationId,
    sourceIp: c.env?.sourceIp ?? null,
    method: c.req.raw.method,
    headers: c.req.raw.headers,
    query: queryStart === -1 ? "" : c.req.url.slice(queryStart + 1),
  };
}

/** The gateway's request id if it is a valid header value, else a new ULID. */
function resolveCorrelationId(edge: Edge | undefined, now: Millis): string {
  const requestId = edge?.requestId;
  return requestId !== undefined && /^[\w=+/.-]{1,100}$/.test(requestId) ? requestId : newUlid(now);
}

/** The error's class; "unknown" when the name does not look like one. */
export function className(error: unknown): string {
  const name = error instanceof Error ? error.name : typeof error;
  return /^[\w$]{1,60}$/.test(name) ? name : "unknown";
}

/**
 * The percent-encoded path that routes are matched against. Hono decodes the path for matching and each parameter again
 * later; an encoded path makes sure that a parameter is decoded exactly once.
 */
function encodedPath(url: string, edge: Edge | undefined): string {
  if (edge?.path !== undefined) return edge.path;
  const start = url.indexOf("/", url.indexOf("://") + 3);
  const end = url.slice(start).search(/[?#]/);
  return end === -1 ? url.slice(start) : url.slice(start, start + end);
}

interface Route {
  readonly method: string;
  /** `/v1/things/{id}` */
  readonly path: string;
  readonly slashInId?: boolean;
}

/** The path in the router's syntax: `/v1/things/:id`, or `/v1/things/:id{.+}` where the id may contain `/`. */
function routerPath({ path, slashInId }: Route): string {
  const pattern = path.replace(/\{(\w+)\}/g, ":$1");
  return slashInId ? `${pattern}{.+}` : pattern;
}

/** Sorts literal segments before parameters, so that no route shadows another. */
function bySpecificity(a: Route, b: Route): number {
  return specificity(a.path) < specificity(b.path) ? -1 : specificity(a.path) > specificity(b.path) ? 1 : 0;
}

function specificity(path: string): string {
  return path
    .split("/")
    .map((segment) => (segment.startsWith("{") ? "1" : "0"))
    .join("");
}

/** The methods of the routes at one path, sorted, with HEAD beside GET. */
function allowedMethods(endpoints: readonly Route[]): string[] {
  return [...new Set(endpoints.flatMap(({ method }) => (method === "GET" ? ["GET", "HEAD"] : [method])))].sort();
}

function matchingRoutes<R extends Route>(endpoints: readonly R[], path: string): R[] {
  const segments = path.split("/");
  return endpoints.filter((endpoint) => matches(endpoint, segments));
}

function matches({ path, slashInId }: Route, segments: readonly string[]): boolean {
  const pattern = path.split("/");
  return (
    (pattern.length === segments.length || (slashInId === true && pattern.length < segments.length)) &&
    pattern.every((part, i) => (part.startsWith("{") ? segments[i] !== "" : part === segments[i]))
  );
}
