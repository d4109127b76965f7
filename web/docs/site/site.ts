import type { Json } from "../reference/document.ts";
import type { CompactIndex } from "../search/compact-index.ts";
import { codeBlock } from "../text/highlight.ts";
import { html } from "../text/html.ts";
import { inlineMarkdown, type ResolveLink, renderMarkdown } from "../text/markdown.ts";
import { errorMessages, errorsPage } from "./errors-page.ts";
import { type SitePage, sitePage } from "./layout.ts";
import { type MarkdownCopies, markdownCopies } from "./markdown-copies.ts";
import { notFoundPage } from "./not-found-page.ts";
import { listPages, listPrograms, resolveSiteLink, type SourcePage } from "./page-list.ts";
import { codeUses, referencePages } from "./reference-pages.ts";
import { buildSearchIndex } from "./search/build-index.ts";
import { startPage } from "./start-page.ts";

/** What the site is made from. */
export interface SiteSources {
  /** The text of each file of `docs`, by its path from there. */
  readonly files: Readonly<Record<string, string>>;
  readonly document: Json;
  /** The pictures of the guides, by their path from `docs`. They are served as they are. */
  readonly pictures?: readonly string[];
}

export interface Site {
  /** The markup of each page by its path. */
  readonly pages: Readonly<Record<string, string>>;
  /** The markup of the page for an address that no page has. */
  readonly notFound: string;
  readonly search: CompactIndex;
  /** Made when it is called: it takes longer than the pages. */
  markdown(): MarkdownCopies;
}

/** The pages of the documentation. */
export function buildSite({ files, document, pictures = [] }: SiteSources): Site {
  const names = Object.keys(files);
  const sources = listPages(names);
  const programs = listPrograms(names);
  const published = [...sources.map(({ source }) => source), ...programs, ...pictures];
  const linkFrom =
    (source: string): ResolveLink =>
    (href) =>
      resolveSiteLink(source, href, published);
  const toPage = (page: SourcePage): SitePage => {
    const text = files[page.source] ?? "";
    const content =
      page.source === "errors.md"
        ? errorsPage(text, linkFrom(page.source), codeUses(document))
        : renderMarkdown(text, linkFrom(page.source));
    return { ...page, ...content, layout: "text" };
  };
  const contentPages = [...sources.map(toPage), ...referencePages(document, errorMessages(files["errors.md"] ?? ""))];
  const pages = [startPage(contentPages), ...contentPages];
  const all = [...pages, ...programs.map((program) => programPage(program, files[program] ?? ""))];
  return {
    pages: Object.fromEntries(all.map((page) => [page.path, sitePage(page, pages).markup])),
    notFound: sitePage(notFoundPage, pages).markup,
    search: buildSearchIndex(pages),
    markdown: () => markdownCopies(pages, all),
  };
}

/** A program beside the guides, as a page of its own. */
function programPage(source: string, code: string): SitePage {
  const name = source.slice(source.lastIndexOf("/") + 1);
  const language = name.slice(name.lastIndexOf(".") + 1);
  return {
    path: `/docs/${source}`,
    group: "",
    title: name,
    description: `A program for receivers of webhooks: ${name}.`,
    body: html`<p class="words">${inlineMarkdown("A program of the guide [Receiving webhooks](/docs/guides/webhooks#verify-the-signature).")}</p>${codeBlock(code, language, name)}`,
    headings: [],
    layout: "text",
  };
}
