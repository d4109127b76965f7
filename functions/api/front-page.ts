import * as z from "zod/mini";
import { type Refusal, refuse } from "#base/kernel/refusals.ts";
import { html } from "#base/kernel/text/html.ts";
import { mark } from "#base/kernel/text/mark.ts";
import { withoutEndSlashes } from "#base/kernel/text/urls.ts";
import { acceptsHtml } from "#http/browser/accepts-html.ts";
import { pageHeaders } from "#http/browser/page-files.ts";
import type { RequestMetadata } from "#http/endpoint.ts";
import { HttpResponse } from "#http/http-response.ts";

/** The addresses to which the front page of a deployment links. */
export interface FrontPagePorts {
  /** Of the API, without a path. */
  readonly baseUrl: string;
  /** The origin of the console. */
  readonly consoleOrigin: string;
  /** The simulator of the platforms, of a local stack. Absent in a deployment. */
  readonly simulatorUrl?: string | null;
}

const link = (description: string) => z.string().register(z.globalRegistry, { description });

/** Where a program that asks for `/` finds what it may look for. */
export const frontLinksSchema = z.object({
  links: z
    .object({
      docs: link("The documentation, as pages."),
      openapi: link("The OpenAPI document."),
      console: link("The console, for people."),
      health: link("Answers 200 while the service is up."),
      simulator: z.optional(link("The simulator of the platforms. Only a local stack has it.")),
    })
    .register(z.globalRegistry, { description: "What this deployment serves, as addresses." }),
});

const titles: Readonly<Record<string, string>> = {
  docs: "Documentation",
  openapi: "OpenAPI document",
  console: "Console",
  health: "Health",
  simulator: "Simulator",
};

/** The address of the simulator has no control token: everyone who reaches the local stack reads this page. */
const simulatorNote = html` <span class="soft">This link asks for the control token. The one that the terminal printed has it.</span>`;

/**
 * The answer at `/` where no website is configured: the refusal with the addresses of the deployment, and for a browser
 * the same as a page.
 */
export function frontPage(
  ports: FrontPagePorts,
  { headers }: Pick<RequestMetadata, "headers">,
): HttpResponse | Refusal<"route_not_found"> {
  const base = withoutEndSlashes(ports.baseUrl);
  const links = {
    docs: `${base}/docs`,
    openapi: `${base}/openapi.json`,
    console: `${withoutEndSlashes(ports.consoleOrigin)}/app`,
    health: `${base}/health`,
    ...(ports.simulatorUrl ? { simulator: ports.simulatorUrl } : {}),
  };
  const message = "No website is configured at this address. See links, or send requests to /v1.";
  if (!acceptsHtml(headers)) return { ...refuse("route_not_found"), message, fields: { links } };
  const items = Object.entries(links).map(
    ([name, url]) =>
      html`<li><a href="${url}">${titles[name] ?? name}</a>${name === "simulator" ? simulatorNote : ""}</li>`,
  );
  const { markup } = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>Parley</title>
<link rel="icon" href="/docs/icon.svg">
<link rel="stylesheet" href="/docs/docs.css">
</head>
<body>
<main class="front">
${mark}
<h1>Parley</h1>
<p>A gateway for business messaging on Instagram and Messenger. This is the address of its API.</p>
<ul>
${items}
</ul>
</main>
</body>
</html>
`;
  const headersOfPage = { ...pageHeaders, "cache-control": "no-store", "content-type": "text/html; charset=utf-8" };
  return new HttpResponse(markup, { status: 404, headers: headersOfPage });
}
