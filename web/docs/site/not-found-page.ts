import { html } from "../text/html.ts";
import type { SitePage } from "./layout.ts";

/** What a browser gets for an address below `/docs` that no page has. The navigation names every page. */
export const notFoundPage: SitePage = {
  path: "/docs/404",
  group: "",
  title: "Page not found",
  description: "The documentation of the Parley API has no page at this address.",
  body: html`<p class="lead">The documentation has no page at this address.</p>
<p>The <a href="/docs">first page</a> has a <a href="/docs#pages">list of all pages</a>.</p>`,
  headings: [],
  layout: "text",
};
