import { type Context, Hono } from "hono";
import type { RequestPace } from "../../shared/flows/access/authenticate.ts";
import { runInvocation } from "../../shared/kernel/call-scope.ts";
import { withDeadline } from "../../shared/kernel/deadline.ts";
import { newUlid } from "../../shared/kernel/ids.ts";
import { refuse } from "../../shared/kernel/refusals.ts";
import { startRequestTime } from "../../shared/kernel/request-time.ts";
import type { Millis } from "../../shared/kernel/time.ts";
import { runWithTrace } from "../../shared/kernel/trace.ts";
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
  /** The client address that the gateway saw, not one from a header. */
  readonly sourceIp?: string;
  /** The time left for the response. */
  readonly remaining?: Millis;
}

export interface AppOptions<P> extends Guards {
  readonly endpoints: readonly Endpoint<P>[];
  readonly ports: P;
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
    app.on(endpoint.method, routerPath(endpoint), (c) => handleRequest(endpoint, options, c));
  }
  app.notFound((c) => {
    const correlationId = resolveCorrelationId(c.env, options.now());
    const methods = allowedMethods(options.endpoints, c.req.path);
    if (methods.length === 0) return withCommonHeaders(failure(refuse("route_not_found")), correlationId);
    const refusal = withCommonHeaders(failure(refuse("method_not_allowed")), correlationId);
    refusal.headers.set("allow", methods.join(", "));
    return refusal;
  });
  return app;
}

function handleRequest<P>(endpoint: Endpoint<P>, options: AppOptions<P>, c: Ctx): Promise<Response> {
  const now = options.now();
  const correlationId = resolveCorrelationId(c.env, now);
  const metadata = requestMetadata(c, correlationId);
  const remaining = c.env?.remaining;
  const time = startRequestTime(options.now, remaining && remaining - ANSWER_MARGIN);
  const request = { raw: c.req.raw, metadata, path: c.req.param(), now, time };
  return runInvocation(() => runWithTrace(correlationId, () => respond(options, endpoint, request, remaining))).finally(
    time.end,
  );
}

/** @param remaining the time left for the response; undefined for no limit */
async function respond<P>(
  options: AppOptions<P>,
  endpoint: Endpoint<P>,
  request: IncomingRequest,
  remaining: Millis | undefined,
): Promise<Response> {
  const { correlationId } = request.metadata;
  const counted: { pace?: RequestPace } = {};
  const onPace = (pace: RequestPace) => {
    counted.pace = pace;
  };
  const response = await withDeadline(remaining, serve(options, endpoint, request, onPace)).catch((error: unknown) => {
    const { operation } = endpoint;
    options.log({ event: "request.failed", operation, correlation_id: correlationId, error: className(error) });
    return failure(refuse("internal_error"));
  });
  return withCommonHeaders(counted.pace ? withPace(response, counted.pace) : response, correlationId);
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

/** The methods of the routes at this path, sorted, with HEAD beside GET. Empty when no route matches. */
function allowedMethods(endpoints: readonly Route[], path: string): string[] {
  const segments = path.split("/");
  const methods = new Set<string>();
  for (const endpoint of endpoints) {
    if (!matches(endpoint, segments)) continue;
    methods.add(endpoint.method);
    if (endpoint.method === "GET") methods.add("HEAD");
  }
  return [...methods].sort();
}

function matches({ path, slashInId }: Route, segments: readonly string[]): boolean {
  const pattern = path.split("/");
  return (
    (pattern.length === segments.length || (slashInId === true && pattern.length < segments.length)) &&
    pattern.every((part, i) => (part.startsWith("{") ? segments[i] !== "" : part === segments[i]))
  );
}
