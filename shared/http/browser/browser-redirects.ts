import type { Outcome, RequestMetadata } from "../endpoint.ts";
import { HeaderMap } from "../header-map.ts";
import { HttpResponse } from "../http-response.ts";
import type { IncomingRequest } from "../serve.ts";
import { acceptsHtml } from "./accepts-html.ts";

/** Answers the requests of one route. */
type Answer<Rest extends readonly unknown[]> = (request: IncomingRequest, ...rest: Rest) => Promise<HttpResponse>;

/**
 * The answer of a route to which a person's browser navigates: a redirect instead of the envelope. A program, which does
 * not name HTML in its Accept header, gets the envelope. Cookies stay.
 * @param locate where a browser is redirected with an outcome
 */
export function redirectingBrowsers<Rest extends readonly unknown[]>(
  answer: Answer<Rest>,
  locate: (outcome: Outcome, request: RequestMetadata) => Promise<string>,
): Answer<Rest> {
  return async (request, ...rest) => {
    const response = await answer(request, ...rest);
    if (!acceptsHtml(request.metadata.headers) || !isEnvelope(response)) return response;
    const outcome = (await response.json()) as Outcome;
    const headers = new HeaderMap(response.headers);
    headers.delete("content-type");
    headers.set("location", await locate(outcome, request.metadata));
    headers.set("referrer-policy", "no-referrer");
    return new HttpResponse(null, { status: 302, headers });
  };
}

function isEnvelope({ headers }: HttpResponse): boolean {
  return (headers.get("content-type") ?? "").startsWith("application/json");
}
