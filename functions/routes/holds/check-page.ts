import type { CheckPorts, PageFile } from "../../../shared/flows/ports.ts";
import { refuse } from "../../../shared/kernel/refusals.ts";
import { endpointFor, type RequestFacts } from "../../http/endpoint.ts";

const endpoint = endpointFor<CheckPorts>();

const POLICY = [
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
  "content-security-policy": POLICY,
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
export const checkPageRoutes = files.map(([path, summary, caching]) =>
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
      const file = ports.page.get(path);
      return file ? responseOf(file, caching, request) : refuse("route_not_found");
    },
  }),
);

function responseOf(file: PageFile, caching: string, request: RequestFacts): Response {
  const all = { ...headers, "cache-control": caching, etag: file.etag };
  if (caching !== "no-store" && request.headers.get("if-none-match") === file.etag) {
    return new Response(null, { status: 304, headers: all });
  }
  return new Response(file.body, { headers: { ...all, "content-type": file.type } });
}
