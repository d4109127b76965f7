import type { Endpoint } from "#http/endpoint.ts";

const PAGE_TYPES = ["text/html", "text/css", "text/javascript"];
/** A page as text. Other routes respond with text to a platform. */
const TEXT_TYPES = ["text/markdown", "text/plain"];

/**
 * Whether a route serves a page, its text, or a file that a page loads. Programs do not call it, so the document leaves it
 * out. A route of a sign-in or a login that may answer with a page, but redirects or has data, is none of these.
 */
export function isPage<P>({ method, data, tag, answers = {} }: Endpoint<P>): boolean {
  if (method !== "GET" || data !== undefined) return false;
  const { types = [] } = answers[200] ?? {};
  const redirects = [302, 303].some((status) => answers[status]?.headers?.["set-cookie"] !== undefined);
  const pageTypes = tag === "Documentation" ? [...PAGE_TYPES, ...TEXT_TYPES] : PAGE_TYPES;
  return !redirects && types.some((type) => pageTypes.includes(type));
}
