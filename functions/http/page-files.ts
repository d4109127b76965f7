import type { PageFile } from "../../shared/flows/holds/ports.ts";
import type { RequestMetadata } from "./endpoint.ts";

const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "worker-src 'self'",
  "connect-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** The headers of every page and its assets. */
export const pageHeaders = {
  "content-security-policy": CONTENT_SECURITY_POLICY,
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "cross-origin-opener-policy": "same-origin",
} as const;

/** The response with a file of a page: 304 for one that the browser revalidates and has. */
export function toFileResponse(file: PageFile, cacheControl: string, request: RequestMetadata): Response {
  const headers = { ...pageHeaders, "cache-control": cacheControl, etag: file.etag };
  if (cacheControl !== "no-store" && request.headers.get("if-none-match") === file.etag) {
    return new Response(null, { status: 304, headers });
  }
  return new Response(file.body, { headers: { ...headers, "content-type": file.type } });
}
