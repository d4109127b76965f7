import type { Endpoint, LocationContext, Outcome } from "../endpoint.ts";
import { acceptsHtml } from "./accepts-html.ts";

/**
 * The response of a route to which a person's browser navigates: a redirect instead of the envelope. A program, which
 * does not name HTML in its Accept header, gets the envelope. Cookies stay.
 */
export async function redirectBrowser<P>(
  endpoint: Endpoint<P>,
  response: Response,
  { request, ports }: LocationContext<P>,
): Promise<Response> {
  if (!endpoint.browserLocation || !acceptsHtml(request.headers) || !isEnvelope(response)) return response;
  const outcome = (await response.clone().json()) as Outcome;
  const headers = new Headers(response.headers);
  headers.delete("content-type");
  headers.set("location", await endpoint.browserLocation(outcome, { request, ports }));
  headers.set("referrer-policy", "no-referrer");
  return new Response(null, { status: 302, headers });
}

function isEnvelope({ headers }: Response): boolean {
  return (headers.get("content-type") ?? "").startsWith("application/json");
}
