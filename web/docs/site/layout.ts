import { type Html, html } from "../text/html.ts";
import type { Heading } from "../text/markdown.ts";

/** A page of the site. */
export interface SitePage {
  /** `/docs/guides/sending` */
  readonly path: string;
  /** The group in the navigation. */
  readonly group: string;
  readonly title: string;
  readonly description: string;
  readonly body: Html;
  /** What the page has, for its list and the search. */
  readonly headings: readonly Heading[];
  /** Pages of the reference have two columns, and no list of their own beside them. */
  readonly layout: "text" | "reference" | "start";
}

const icons = {
  search: html`<svg viewBox="0 0 20 20" aria-hidden="true"><path d="M13.2 13.2 17 17M14.5 8.75a5.75 5.75 0 1 1-11.5 0 5.75 5.75 0 0 1 11.5 0Z"></path></svg>`,
  theme: html`<svg viewBox="0 0 20 20" aria-hidden="true"><path d="M10 3v14a7 7 0 0 0 0-14Z" class="half"></path><circle cx="10" cy="10" r="7"></circle></svg>`,
};

/** A whole page: header, navigation, content. It reads without its script, which only adds to it. */
export function sitePage(page: SitePage, pages: readonly SitePage[]): Html {
  const title = page.layout === "start" ? "Parley documentation" : `${page.title} · Parley`;
  const navigation = siteNavigation(page, pages);
  const hasCopy = pages.includes(page);
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<meta name="description" content="${page.description}">
<link rel="icon" href="/docs/icon.svg" type="image/svg+xml">
${
  hasCopy &&
  html`<link rel="alternate" href="${page.path}.md" type="text/markdown">
`
}<link rel="stylesheet" href="/docs/docs.css">
<script src="/docs/theme.js"></script>
<script src="/docs/docs.js" defer></script>
</head>
<body class="${page.layout}">
<a class="skip" href="#content">Skip to content</a>
<header class="top">
<a class="brand" href="/docs">Parley <span>docs</span></a>
<search class="search" id="search" hidden><label class="unseen" for="search-text">Search the documentation</label>${icons.search}<input id="search-text" type="search" placeholder="Search" autocomplete="off" spellcheck="false" aria-describedby="search-status"><kbd aria-hidden="true">/</kbd><div class="results" id="search-results" hidden><ul></ul><p class="none" id="search-none"></p></div><p class="unseen" id="search-status" role="status"></p></search>
<a class="document" href="/openapi.json">openapi.json</a>
<button class="theme" id="theme" type="button" hidden>${icons.theme}<span class="unseen">Color theme: </span><span class="unseen" id="theme-name">system</span></button>
</header>
<details class="menu"><summary>Menu <span class="soft">${page.group === "" ? "" : `${page.group}: `}${page.title}</span></summary><nav aria-label="Menu">${navigation}</nav></details>
<div class="frame">
<nav class="side" aria-label="Documentation">${navigation}</nav>
<main id="content" tabindex="-1">
${page.layout === "start" ? "" : html`<p class="group">${page.group}</p>`}
<h1>${page.title}</h1>
${page.body}
${hasCopy && html`<p class="as-markdown"><a href="${page.path}.md">This page as Markdown</a></p>`}
${page.layout === "start" ? "" : neighbors(page, pages)}
</main>
${page.layout === "text" && contents(page)}
</div>
</body>
</html>
`;
}

function siteNavigation(current: SitePage, pages: readonly SitePage[]): Html {
  const groups = Map.groupBy(
    pages.filter(({ group }) => group !== ""),
    ({ group }) => group,
  );
  return html`${[...groups].map(
    ([group, members]) =>
      html`<p class="nav-group">${group}</p><ul>${members.map((page) => navigationItem(page, current))}</ul>`,
  )}`;
}

function navigationItem(page: SitePage, current: SitePage): Html {
  const isCurrent = page.path === current.path;
  const parts = isCurrent && page.layout === "reference" ? page.headings.filter(({ level }) => level === 2) : [];
  return html`<li><a href="${page.path}"${isCurrent && html` aria-current="page"`}>${page.title}</a>${
    parts.length > 0 && html`<ul>${parts.map(({ id, text }) => html`<li><a href="#${id}">${text}</a></li>`)}</ul>`
  }</li>`;
}

/** The list of a page's headings, beside a text. */
function contents({ headings }: SitePage): Html | null {
  const shown = headings.filter(({ level }) => level === 2 || level === 3);
  if (shown.length < 2) return null;
  return html`<nav class="contents" aria-label="On this page"><p>On this page</p><ul>${shown.map(
    ({ id, text, level }) => html`<li class="level-${level}"><a href="#${id}">${text}</a></li>`,
  )}</ul></nav>`;
}

function neighbors(page: SitePage, pages: readonly SitePage[]): Html {
  const navigable = pages.filter(({ group }) => group !== "");
  const at = navigable.findIndex(({ path }) => path === page.path);
  if (at === -1) return html``;
  const [before, after] = [navigable[at - 1], navigable[at + 1]];
  return html`<nav class="neighbors" aria-label="Neighboring pages">${
    before ? html`<a rel="prev" href="${before.path}"><span>Previous</span> ${before.title}</a>` : html`<span></span>`
  }${after && html`<a rel="next" href="${after.path}"><span>Next</span> ${after.title}</a>`}</nav>`;
}
