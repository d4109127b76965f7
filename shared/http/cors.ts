import { HttpResponse } from "./http-response.ts";
import type { RawRequest } from "./raw-request.ts";
/** The origin whose pages may read responses and send credentials. */
export interface CorsPolicy {
  readonly origin: string;
}

const ALLOWED_HEADERS = "content-type, idempotency-key, x-csrf-token";
const EXPOSED_HEADERS =
  "deprecation, idempotent-replayed, link, parley-ignored, ratelimit-limit, ratelimit-remaining, ratelimit-reset, retry-after, sunset, x-correlation-id";
/** Two hours. Chromium stores no preflight for longer. */
const MAX_AGE_SECONDS = 7_200;

/**
 * Lets the pages of the console read a response that depends on cookies. Every response names `Origin` in Vary, because
 * a cache must not give the response of one origin to another.
 */
export function withCors(response: HttpResponse, { headers }: RawRequest, policy: CorsPolicy): HttpResponse {
  response.headers.append("vary", "origin");
  if (headers.get("origin") === policy.origin) {
    response.headers.set("access-control-allow-origin", policy.origin);
    response.headers.set("access-control-allow-credentials", "true");
    response.headers.set("access-control-expose-headers", EXPOSED_HEADERS);
  }
  return response;
}

/** Whether the console's browser asks which requests it may send. */
export function isPreflight({ method, headers }: RawRequest, { origin }: CorsPolicy): boolean {
  return method === "OPTIONS" && headers.get("origin") === origin && headers.has("access-control-request-method");
}

/** The response to a preflight, without a body. @param methods those of the path */
export function preflightResponse(methods: readonly string[]): HttpResponse {
  const headers = {
    "access-control-allow-methods": methods.join(", "),
    "access-control-allow-headers": ALLOWED_HEADERS,
    "access-control-max-age": String(MAX_AGE_SECONDS),
  };
  return new HttpResponse(null, { status: 204, headers });
}
