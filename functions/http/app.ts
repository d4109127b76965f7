import { type Context, Hono } from "hono";
import { refuse } from "../../shared/kernel/refusals.ts";
import type { Millis } from "../../shared/kernel/time.ts";
import { withDeadline } from "./deadline.ts";
import { type Edge, encodedPath, resolveCorrelationId } from "./edge.ts";
import type { Endpoint, RequestMetadata } from "./endpoint.ts";
import { failure, withCommonHeaders } from "./envelope.ts";
import { allowedMethods, bySpecificity, routerPath } from "./paths.ts";
import { type Guards, serve } from "./serve.ts";

/** The one line a fault leaves: where and of which class; no message, which may hold what the caller sent. */
export interface FaultLine {
  readonly event: "request_failed";
  /** Method and pattern, never the path as sent. */
  readonly route: string;
  readonly correlation_id: string;
  readonly error: string;
}
export type LogFault = (line: FaultLine) => void;

export interface AppOptions<P> extends Guards {
  readonly endpoints: readonly Endpoint<P>[];
  readonly ports: P;
  readonly now: () => Millis;
  readonly log: LogFault;
}

export type App = Hono<{ Bindings: Edge }>;
type Ctx = Context<{ Bindings: Edge }>;

/**
 * The routes as one Hono app. Every answer carries `x-correlation-id`; a refusal and a fault are the failure envelope,
 * a fault is logged once. What the gateway knows comes in as the app's bindings: `app.fetch(request, edge)`.
 */
export function createApp<P>(options: AppOptions<P>): App {
  const app: App = new Hono({
    getPath: (request, context) => encodedPath(request.url, context?.env as Edge | undefined),
  });
  for (const endpoint of [...options.endpoints].sort(bySpecificity)) {
    app.on(endpoint.method, routerPath(endpoint.path), (c) => handleRequest(endpoint, options, c));
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

async function handleRequest<P>(endpoint: Endpoint<P>, options: AppOptions<P>, c: Ctx): Promise<Response> {
  const now = options.now();
  const correlationId = resolveCorrelationId(c.env, now);
  try {
    const metadata = requestMetadata(c, correlationId);
    const work = serve(endpoint, options, c.req.raw, metadata, c.req.param(), now, options.ports);
    return withCommonHeaders(await withDeadline(c.env?.remaining, work), correlationId);
  } catch (error) {
    const route = `${endpoint.method} ${endpoint.path}`;
    options.log({ event: "request_failed", route, correlation_id: correlationId, error: className(error) });
    return withCommonHeaders(failure(refuse("internal_error")), correlationId);
  }
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

/** The error's class, and "unknown" where it does not look like the name of one. */
export function className(error: unknown): string {
  const name = error instanceof Error ? error.name : typeof error;
  return /^[\w$]{1,60}$/.test(name) ? name : "unknown";
}
