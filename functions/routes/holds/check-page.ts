import type { CheckPorts, PageFile } from "../../../shared/flows/holds/ports.ts";
import { refuse } from "../../../shared/kernel/refusals.ts";
import type { RequestMetadata } from "../../http/endpoint.ts";
import { endpointsFor } from "../../http/endpoints-for.ts";

const endpoint = endpointsFor<CheckPorts>();

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

/** The page and its assets. The page is not cached and the assets are revalidated, so that all are of the same build. */
const files = [
  ["getCheckPage", "/verify", "Get the page on which a person checks a held message", "no-store"],
  ["getCheckPageScript", "/verify/check.js", "Get the script of the check page", "no-cache"],
  ["getCheckPageStyle", "/verify/check.css", "Get the style sheet of the check page", "no-cache"],
  ["getCheckPageSolver", "/verify/solver.js", "Get the worker that solves the challenge", "no-cache"],
] as const;

/** The files of the check page. */
export const checkPageRoutes = files.map(([operation, path, summary, cacheControl]) =>
  endpoint.public({
    operation,
    method: "GET",
    path,
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
