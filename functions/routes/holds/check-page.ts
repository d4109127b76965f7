import type { CheckPorts, PageFile } from "../../../shared/flows/holds/ports.ts";
import { refuse } from "../../../shared/kernel/refusals.ts";
import { endpointFor, type RequestMetadata } from "../../http/endpoint.ts";

const endpoint = endpointFor<CheckPorts>();

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

const headers = {
  "content-security-policy": CONTENT_SECURITY_POLICY,
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "cross-origin-opener-policy": "same-origin",
} as const;

/** The page and what it loads. The page is never stored; the rest is asked about at each use, so that all are of one build. */
const files = [
  ["/verify", "The page on which a person checks a held message", "no-store"],
  ["/verify/check.js", "The page's script", "no-cache"],
  ["/verify/check.css", "The page's style", "no-cache"],
  ["/verify/solver.js", "The worker that solves the challenge", "no-cache"],
] as const;

/** The files of the check page. */
export const checkPageRoutes = files.map(([path, summary, cacheControl]) =>
  endpoint({
    method: "GET",
    path,
    auth: "none",
    tenant: "none",
    tag: "Check page",
    summary,
    envelope: false,
    refusals: ["route_not_found"],
    handle: async ({ request, ports }) => {
      const file = ports.pageFiles.get(path);
      return file ? toFileResponse(file, cacheControl, request) : refuse("route_not_found");
    },
  }),
);

function toFileResponse(file: PageFile, cacheControl: string, request: RequestMetadata): Response {
  const responseHeaders = { ...headers, "cache-control": cacheControl, etag: file.etag };
  if (cacheControl !== "no-store" && request.headers.get("if-none-match") === file.etag) {
    return new Response(null, { status: 304, headers: responseHeaders });
  }
  return new Response(file.body, { headers: { ...responseHeaders, "content-type": file.type } });
}
