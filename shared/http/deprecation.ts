import { type Millis, SECOND } from "#base/kernel/time.ts";
import type { HttpResponse } from "./http-response.ts";

/** A route that clients should stop calling. */
export interface Deprecation {
  readonly at: Millis;
  /** When the route may end. */
  readonly sunset?: Millis;
  /** The URL of the page that names the alternative. */
  readonly link?: string;
}

/**
 * Says on a response that its route is deprecated: `Deprecation` (RFC 9745), `Sunset` (RFC 8594), and the page in `Link`.
 * The response's headers are changed.
 */
export function withDeprecation(response: HttpResponse, { at, sunset, link }: Deprecation): HttpResponse {
  response.headers.set("deprecation", `@${Math.floor(at / SECOND)}`);
  if (sunset !== undefined) response.headers.set("sunset", new Date(sunset).toUTCString());
  if (link !== undefined) response.headers.append("link", `<${link}>; rel="deprecation"; type="text/html"`);
  return response;
}
