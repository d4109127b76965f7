import * as z from "zod/mini";
import { refuse } from "#base/kernel/refusals.ts";
import { withoutEndSlashes } from "#base/kernel/text/urls.ts";
import { iso } from "#base/kernel/time.ts";
import { endpointsFor } from "#http/endpoints-for.ts";
import { HttpResponse } from "#http/http-response.ts";
import { type FrontPagePorts, frontLinksSchema, frontPage } from "./front-page.ts";

const endpoint = endpointsFor<FrontPagePorts & { readonly siteUrl: string | null }>();

/** The version of the service. The version of the interface is part of its paths. */
const VERSION = "0.1.0";

export const ping = endpoint.public({
  operation: "ping",
  method: "GET",
  path: "/v1/ping",
  tag: "Service",
  summary: "Get the name and version of the service",
  data: () => z.object({ name: z.string(), version: z.string(), time: z.string() }),
  handle: async ({ now }) => ({ name: "parley", version: VERSION, time: iso(now) }),
});

export const health = endpoint.public({
  operation: "health",
  method: "GET",
  path: "/health",
  cors: false,
  tag: "Service",
  summary: "Check the service",
  envelope: false,
  data: () => z.object({ ok: z.literal(true) }),
  handle: async () => HttpResponse.json({ ok: true }),
});

const toSite = {
  status: 301,
  answers: { 301: { headers: { location: "The website, with the query of the request." } } },
} as const;

export const redirectToSite = endpoint.public({
  operation: "redirectToSite",
  method: "GET",
  path: "/",
  tag: "Service",
  summary: "Redirect to the website",
  envelope: false,
  status: 301,
  answers: {
    ...toSite.answers,
    404: {
      types: ["text/html"],
      headers: { "content-security-policy": "What the page may load: files of its own origin." },
    },
  },
  refusals: ["route_not_found"],
  errorFields: () => ({ 404: frontLinksSchema }),
  handle: async ({ ports, request }) =>
    ports.siteUrl ? siteRedirect(ports.siteUrl, "/", request.query) : frontPage(ports, request),
});

export const redirectToSecurityTxt = endpoint.public({
  operation: "redirectToSecurityTxt",
  method: "GET",
  path: "/.well-known/security.txt",
  tag: "Service",
  summary: "Redirect to the website's security.txt",
  envelope: false,
  ...toSite,
  refusals: ["route_not_found"],
  handle: async ({ ports, request }) => siteRedirect(ports.siteUrl, "/.well-known/security.txt", request.query),
});

function siteRedirect(siteUrl: string | null, path: string, query: string) {
  if (!siteUrl) return refuse("route_not_found");
  const location = `${withoutEndSlashes(siteUrl)}${path}${query ? `?${query}` : ""}`;
  return new HttpResponse(null, { status: 301, headers: { location } });
}
