import type { Endpoint, RequestMetadata } from "../endpoint.ts";
import { acceptsHtml } from "./accepts-html.ts";

// A browser opens any URL that a page, a mail or another program gives it, with the cookies of its person. So a GET that
// changes something needs to know that the person meant it: by a press on a page of the API, or by a proof of its own.

/** Browsers send one of these where no one has opened the link yet. */
const PREFETCH_HEADERS = ["sec-purpose", "purpose", "x-purpose", "x-moz"] as const;
/** A browser sends each of them with a navigation to HTTPS and to the loopback interface. */
const FETCH_HEADERS = ["sec-fetch-site", "sec-fetch-mode", "sec-fetch-dest", "sec-fetch-user"] as const;

/** A request that only looks: a HEAD, or a page that a browser or another program fetched ahead. */
export function isLook({ method, headers }: RequestMetadata): boolean {
  return method === "HEAD" || PREFETCH_HEADERS.some((name) => headers.has(name));
}

/**
 * Whether a page of the API's own origin caused the request, as the browser says it, or no browser did. A browser that does
 * not say it counts as caused by another page.
 */
export function isMeant({ headers }: Pick<RequestMetadata, "headers">): boolean {
  const isBrowser = acceptsHtml(headers) || FETCH_HEADERS.some((name) => headers.has(name));
  return !isBrowser || headers.get("sec-fetch-site") === "same-origin";
}

/**
 * Whether a form on a page of the API was sent, as the browser says it. A program that sends neither header has pressed
 * nothing.
 */
export function isOwnForm({ headers }: Pick<RequestMetadata, "headers">, baseUrl: string): boolean {
  const site = headers.get("sec-fetch-site");
  if (site !== null) return site === "same-origin";
  return headers.get("origin") === new URL(baseUrl).origin;
}

/**
 * Checks what a route says of itself. Throws while the module loads, so that no route changes something without a word
 * about the person's will.
 */
export function requireConsent({
  method,
  path,
  changes,
  confirm,
  proof,
}: Pick<Endpoint<unknown>, "method" | "path" | "changes" | "confirm" | "proof">): void {
  const isComplete = changes
    ? method === "GET" && (confirm === undefined) !== (proof === undefined)
    : !confirm && !proof;
  if (!isComplete)
    throw new Error(`${method} ${path}: a GET that changes something declares \`confirm\` or \`proof\`.`);
}
