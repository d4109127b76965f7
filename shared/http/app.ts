import { runInvocation } from "#base/kernel/call-scope.ts";
import { withDeadline } from "#base/kernel/deadline.ts";
import { errorClass } from "#base/kernel/error-class.ts";
import { newUlid } from "#base/kernel/ids.ts";
import { type Refusal, refuse } from "#base/kernel/refusals.ts";
import { startRequestTime } from "#base/kernel/request-time.ts";
import type { Millis } from "#base/kernel/time.ts";
import { runWithTrace } from "#base/kernel/trace.ts";
import type { RequestPace } from "#features/access/authenticate.ts";
import { redirectingBrowsers } from "./browser/browser-redirects.ts";
import { type CorsPolicy, isPreflight, preflightResponse, withCors } from "./cors.ts";
import { withDeprecation } from "./deprecation.ts";
import type { Endpoint, RequestMetadata } from "./endpoint.ts";
import type { ReadableHeaders } from "./header-map.ts";
import { nearestRoute } from "./hints/nearest-route.ts";
import { HttpResponse } from "./http-response.ts";
import type { RawRequest } from "./raw-request.ts";
import { allowedMethods, createRouter, type Route } from "./router.ts";
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

/** What a function answers requests with, in any process. */
export interface AppParts<P> extends Pick<Guards, "credentials"> {
  readonly endpoints: readonly Endpoint<NoInfer<P>>[];
  /** Routes of other functions, such as `GET /docs`, which an unknown path may mean. */
  readonly otherRoutes?: readonly string[];
  readonly ports: P;
  /** The origin that may call the routes from a browser. Without one, no response has CORS headers. */
  readonly cors?: CorsPolicy;
}

export interface AppOptions<P> extends AppParts<P>, Guards {
  readonly now: () => Millis;
  readonly log: LogFault;
}

/** How long before the end a handler must answer by itself, for the way from there to the response. */
const ANSWER_MARGIN: Millis = 500;

/** What an app answers. A `Response` of the fetch standard is such. */
export interface AppResponse {
  readonly status: number;
  readonly headers: ReadableHeaders & { getSetCookie(): string[] };
  bytes(): Promise<Uint8Array>;
}

export interface App {
  /** The page of the errors, to which each error links. */
  readonly docsUrl?: string | undefined;
  fetch(request: RawRequest, edge?: Edge): Promise<AppResponse>;
}

/**
 * The routes as one app. Every response carries `x-correlation-id`. A refusal and a fault have the failure envelope; a
 * fault is logged once.
 */
export function createApp<P>(
  options: AppOptions<P>,
): App & { fetch(request: RawRequest, edge?: Edge): Promise<HttpResponse> } {
  const router = createRouter(options.endpoints);
  const answers = new Map<Endpoint<P>, Answer>();
  return {
    docsUrl: options.docsUrl,
    async fetch(request, edge = {}) {
      const path = encodedPath(request.url, edge);
      const match = router.find(request.method, path);
      if (!match) return unroutedResponse(options, router.matching(path), request, { ...edge, path });
      const { route: endpoint, parameters } = match;
      const answer = answers.get(endpoint) ?? toAnswer(endpoint, options);
      answers.set(endpoint, answer);
      const response = await handleRequest(endpoint, answer, options, { raw: request, path: parameters, edge });
      if (request.method !== "HEAD") return response;
      return new HttpResponse(null, { status: response.status, headers: response.headers });
    },
  };
}

/** The response to a path that no route has, to a method that its routes do not have, and to a preflight. */
function unroutedResponse<P>(
  { cors, now, docsUrl, endpoints, otherRoutes = [] }: AppOptions<P>,
  matching: readonly Endpoint<P>[],
  request: RawRequest,
  { path, ...edge }: Edge & { readonly path: string },
): HttpResponse {
  const correlationId = resolveCorrelationId(edge, now());
  const answer = (response: HttpResponse) => {
    const common = withCommonHeaders(response, correlationId);
    return cors && isReadableByConsole(matching) ? withCors(common, request, cors) : common;
  };
  const methods = allowedMethods(matching);
  const routes = [...endpoints, ...otherRoutes.map(toRoute)];
  if (methods.length === 0) return answer(failure(refuseRoute(routes, request.method, path), docsUrl));
  if (cors && isReadableByConsole(matching) && isPreflight(request, cors)) return answer(preflightResponse(methods));
  const refusal = answer(failure(refuseMethod(routes, { method: request.method, path, methods }), docsUrl));
  refusal.headers.set("allow", methods.join(", "));
  return refusal;
}

function refuseRoute(routes: readonly Route[], method: string, path: string): Refusal<"route_not_found"> {
  const nearest = nearestRoute(routes, method, path);
  const refusal = refuse("route_not_found");
  return nearest === null ? refusal : { ...refusal, message: `No route matches this path. Did you mean ${nearest}?` };
}

function refuseMethod(
  routes: readonly Route[],
  { method, path, methods }: { readonly method: string; readonly path: string; readonly methods: readonly string[] },
): Refusal<"method_not_allowed"> {
  const sameMethod = routes.filter((route) => route.method === method);
  const nearest = nearestRoute(sameMethod, method, path);
  const question = nearest === null ? "" : ` Did you mean ${nearest}?`;
  const message = `Method not allowed for this path. It takes ${methods.join(", ")}.${question}`;
  return { ...refuse("method_not_allowed"), message };
}

function toRoute(text: string): Route {
  const [method = "", path = ""] = text.split(" ");
  return { method, path };
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
) => Promise<HttpResponse>;

function toAnswer<P>(endpoint: Endpoint<P>, options: AppOptions<P>): Answer {
  const answer: Answer = (request, remaining, onPace) =>
    withDeadline(remaining, serve(options, endpoint, request, onPace)).catch((error: unknown) => {
      const { operation } = endpoint;
      const { correlationId } = request.metadata;
      options.log({ event: "request.failed", operation, correlation_id: correlationId, error: errorClass(error) });
      return failure(refuse("internal_error"), options.docsUrl);
    });
  const { ports } = options;
  const locate = endpoint.browserLocation?.bind(endpoint);
  return locate ? redirectingBrowsers(answer, (outcome, request) => locate(outcome, { request, ports })) : answer;
}

/** A request to one route. */
interface RoutedRequest {
  readonly raw: RawRequest;
  /** The parameters of the path. */
  readonly path: Record<string, string>;
  readonly edge: Edge;
}

function handleRequest<P>(
  endpoint: Endpoint<P>,
  answer: Answer,
  options: AppOptions<P>,
  { raw, path, edge }: RoutedRequest,
): Promise<HttpResponse> {
  const now = options.now();
  const correlationId = resolveCorrelationId(edge, now);
  const { remaining } = edge;
  const time = startRequestTime(options.now, remaining && remaining - ANSWER_MARGIN);
  const request = { raw, metadata: requestMetadata(raw, edge, correlationId), path, now, time };
  const caller: { pace?: RequestPace } = {};
  const respond = async () => {
    const response = await answer(request, remaining, (pace) => {
      caller.pace = pace;
    });
    const paced = withCommonHeaders(caller.pace ? withPace(response, caller.pace) : response, correlationId);
    const common = endpoint.deprecation ? withDeprecation(paced, endpoint.deprecation) : paced;
    return options.cors && isReadableByConsole([endpoint]) ? withCors(common, raw, options.cors) : common;
  };
  return runInvocation(() => runWithTrace(correlationId, respond)).finally(time.end);
}

function requestMetadata({ method, url, headers }: RawRequest, edge: Edge, correlationId: string): RequestMetadata {
  const queryStart = url.indexOf("?");
  const query = queryStart === -1 ? "" : url.slice(queryStart + 1);
  return { correlationId, sourceIp: edge.sourceIp ?? null, method, headers, query };
}

/** The gateway's request id if it is a valid header value, else a new ULID. */
function resolveCorrelationId({ requestId }: Edge, now: Millis): string {
  return requestId !== undefined && /^[\w=+/.-]{1,100}$/.test(requestId) ? requestId : newUlid(now);
}

/**
 * The percent-encoded path that routes are matched against, so that each parameter is decoded exactly once.
 */
function encodedPath(url: string, edge: Edge): string {
  if (edge.path !== undefined) return edge.path;
  const start = url.indexOf("/", url.indexOf("://") + 3);
  const end = url.slice(start).search(/[?#]/);
  return end === -1 ? url.slice(start) : url.slice(start, start + end);
}
