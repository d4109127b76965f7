import * as z from "zod/mini";
import { refuse } from "../../../shared/kernel/refusals.ts";
import { iso } from "../../../shared/kernel/time.ts";
import { endpoint } from "../api-endpoint.ts";

/** The service's own version; the interface's is in its paths. */
const VERSION = "0.1.0";

export const ping = endpoint({
  method: "GET",
  path: "/v1/ping",
  auth: "none",
  tenant: "none",
  tag: "Service",
  summary: "Say that the service answers",
  data: z.object({ name: z.string(), version: z.string(), time: z.string() }),
  handle: async ({ now }) => ({ name: "parley", version: VERSION, time: iso(now) }),
});

export const health = endpoint({
  method: "GET",
  path: "/health",
  auth: "none",
  tenant: "none",
  tag: "Service",
  summary: "Say that the service is up",
  envelope: false,
  handle: async () => Response.json({ ok: true }),
});

export const root = endpoint({
  method: "GET",
  path: "/",
  auth: "none",
  tenant: "none",
  tag: "Service",
  summary: "Lead to the site",
  envelope: false,
  status: 301,
  refusals: ["route_not_found"],
  handle: async ({ ports, request }) => siteRedirect(ports.siteUrl, "/", request.query),
});

export const securityTxt = endpoint({
  method: "GET",
  path: "/.well-known/security.txt",
  auth: "none",
  tenant: "none",
  tag: "Service",
  summary: "Lead to the site's security.txt",
  envelope: false,
  status: 301,
  refusals: ["route_not_found"],
  handle: async ({ ports, request }) => siteRedirect(ports.siteUrl, "/.well-known/security.txt", request.query),
});

function siteRedirect(siteUrl: string | null, path: string, query: string) {
  if (!siteUrl) return refuse("route_not_found");
  const location = `${siteUrl.replace(/\/+$/, "")}${path}${query ? `?${query}` : ""}`;
  return new Response(null, { status: 301, headers: { location } });
}
