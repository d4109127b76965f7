import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Millis } from "../support/time.ts";
import { ACCOUNT } from "../template/intrinsics.ts";
import type { RouteMatch } from "./routes.ts";

/** A completely read request. */
export interface GatewayRequest {
  readonly request: IncomingMessage;
  readonly target: RequestTarget;
  readonly body: Buffer;
}

/** The parts of a request target. */
export interface RequestTarget {
  /** The path as sent, still encoded. */
  readonly sentPath: string;
  /** Decoded once, as an HTTP API passes it: `%23` is `#`, `%2523` is `%23`, `%2F` is `/`. */
  readonly path: string;
  readonly query: string;
}

export function parseTarget(url: string): RequestTarget | null {
  const at = url.indexOf("?");
  const sentPath = at === -1 ? url : url.slice(0, at);
  try {
    return { sentPath, path: decodeURIComponent(sentPath), query: at === -1 ? "" : url.slice(at + 1) };
  } catch {
    return null;
  }
}

const TEXT_TYPES = /^(text\/|application\/(json|xml|x-www-form-urlencoded)\s*(;|$))/i;

/** The event of an HTTP API request (payload format 2.0). */
export function toHttpEvent(
  { request, target, body }: GatewayRequest,
  { route, parameters }: RouteMatch,
  now: Millis,
): object {
  const { cookie, ...headers } = joinedHeaders(request);
  const sourceIp = request.socket.remoteAddress ?? "127.0.0.1";
  const host = headers.host ?? "localhost";
  headers["x-forwarded-for"] = [headers["x-forwarded-for"], sourceIp].filter((value) => value !== undefined).join(", ");
  headers["x-forwarded-port"] = String(request.socket.localPort);
  headers["x-forwarded-proto"] = "http";
  const query = joinedQuery(target.query);
  const text = TEXT_TYPES.test(headers["content-type"] ?? "");
  return {
    version: "2.0",
    routeKey: route.key,
    rawPath: target.path,
    rawQueryString: target.query,
    ...(cookie === undefined ? {} : { cookies: cookie.split(/; */) }),
    headers,
    ...(query ? { queryStringParameters: query } : {}),
    requestContext: {
      accountId: ACCOUNT,
      apiId: "local",
      domainName: host,
      domainPrefix: host.split(/[.:]/)[0],
      http: {
        method: request.method,
        path: target.path,
        protocol: `HTTP/${request.httpVersion}`,
        sourceIp,
        userAgent: headers["user-agent"] ?? "",
      },
      requestId: randomUUID(),
      routeKey: route.key,
      stage: "$default",
      time: accessTime(now),
      timeEpoch: now,
    },
    ...(parameters ? { pathParameters: parameters } : {}),
    ...(body.length > 0 ? { body: body.toString(text ? "utf8" : "base64") } : {}),
    isBase64Encoded: body.length > 0 && !text,
  };
}

/** Names are lower case. Repeated headers are joined with commas, cookies with semicolons. */
function joinedHeaders(request: IncomingMessage): Record<string, string> {
  const entries = Object.entries(request.headersDistinct).map(
    ([name, values = []]) => [name, values.join(name === "cookie" ? "; " : ",")] as const,
  );
  return Object.fromEntries(entries);
}

function joinedQuery(query: string): Record<string, string> | undefined {
  const joinedHeaders = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(query)) {
    const previous = joinedHeaders.get(name);
    joinedHeaders.set(name, previous === undefined ? value : `${previous},${value}`);
  }
  return joinedHeaders.size === 0 ? undefined : Object.fromEntries(joinedHeaders);
}

/** `12/Mar/2026:19:03:58 +0000` */
export function accessTime(now: Millis): string {
  const [, day, month, year, time] = /, (\d+) (\w+) (\d+) ([\d:]+)/.exec(new Date(now).toUTCString()) ?? [];
  return `${day}/${month}/${year}:${time} +0000`;
}
