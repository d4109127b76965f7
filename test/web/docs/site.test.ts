import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { buildDocs } from "../../../web/docs/build.ts";
import { type Json, listOperations } from "../../../web/docs/reference/document.ts";
import { errorCodes, listResponses } from "../../../web/docs/reference/responses.ts";
import { listPages, resolveSiteLink } from "../../../web/docs/site/page-list.ts";
import { operationHref } from "../../../web/docs/site/reference-pages.ts";
import { buildSite } from "../../../web/docs/site/site.ts";

// The pages as they are deployed.

const KILOBYTE = 1_000;
const folder = mkdtempSync(join(tmpdir(), "docs-site-"));
/** The page for an address that no page has. No page links to it. */
const NOT_FOUND = "/docs/404";
/** The markup by path. */
const pages = new Map<string, string>();
let document: Json = {};

beforeAll(() => {
  buildDocs(folder);
  document = JSON.parse(readFileSync(join(folder, "openapi.json"), "utf8"));
  for (const name of globSync("**/*.html", { cwd: folder })) {
    pages.set(`/docs/${name}`.replace(/(\/index)?\.html$/, ""), readFileSync(join(folder, name), "utf8"));
  }
});
afterAll(() => rmSync(folder, { recursive: true }));

const ids = (markup: string) => [...markup.matchAll(/\sid="([^"]*)"/g)].map(([, id = ""]) => id);
const every = () => [...pages].map(([path, markup]) => ({ path, markup }));
const page = (path: string) => pages.get(path) ?? "";

it("every page has no two sections of the same title", () => {
  for (const { path, markup } of every()) {
    const titles = [...markup.matchAll(/<h2[^>]*>(.*?)<\/h2>/gs)].map(([, title = ""]) =>
      title.replace(/<[^>]*>/g, ""),
    );
    expect(titles, path).toEqual([...new Set(titles)]);
  }
});

it("every page has one title, a language, unique anchors, and less than 300 KB", () => {
  expect(pages.size).toBeGreaterThan(45);
  for (const { path, markup } of every()) {
    expect(markup.match(/<h1>/g), path).toHaveLength(1);
    expect(markup, path).toMatch(/^<!doctype html>\n<html lang="en">/);
    expect(markup, path).toMatch(/<title>[^<]{3,}<\/title>\n<meta name="description" content="[^"]{10,}">/);
    expect(ids(markup).length, path).toBe(new Set(ids(markup)).size);
    expect(Buffer.byteLength(markup), path).toBeLessThan(300 * KILOBYTE);
  }
});

it("every page has no script or style of its own, and loads nothing from elsewhere", () => {
  for (const { path, markup } of every()) {
    const tags = markup.match(/<[a-z][^>]*>/g) ?? [];
    expect(
      tags.filter((tag) => /^<(style|iframe|object|embed|base|form)\b/.test(tag)),
      path,
    ).toEqual([]);
    for (const tag of tags.filter((each) => each.startsWith("<img"))) {
      const [, picture = "none"] = /^<img src="\/docs\/(guides\/pictures\/[\w-]+\.png)" alt="[^"]+">$/.exec(tag) ?? [];
      expect(existsSync(join(folder, picture)), `${path}: ${tag}`).toBe(true);
    }
    expect(
      tags.filter((tag) => /\s(style|on\w+)=/.test(tag)),
      path,
    ).toEqual([]);
    const scripts = tags.filter((tag) => tag.startsWith("<script"));
    expect(scripts, path).toEqual(['<script src="/docs/theme.js">', '<script src="/docs/docs.js" defer>']);
    const loaded = tags
      .filter((tag) => /^<(link|script)/.test(tag) && !tag.includes('rel="alternate"'))
      .map((tag) => /(?:href|src)="([^"]*)"/.exec(tag)?.[1]);
    expect(
      loaded.filter((url) => !url?.startsWith("/docs/")),
      path,
    ).toEqual([]);
  }
});

it("every page links to pages and anchors that exist, and elsewhere over https alone", () => {
  const broken = every().flatMap(({ path, markup }) =>
    [...markup.matchAll(/<a [^>]*href="([^"]*)"/g)].flatMap(([, href = ""]) => {
      if (href.startsWith("https://") || /^\/(openapi\.json|llms(-full)?\.txt)$/.test(href)) return [];
      if (href === `${path}.md`) return [];
      const [target = "", anchor] = href.split("#");
      const found = target === "" ? markup : pages.get(target);
      const isGood = found !== undefined && (anchor === undefined || ids(found).includes(anchor));
      return isGood ? [] : [`${path}: ${href}`];
    }),
  );
  expect(broken).toEqual([]);
});

it("every page can be reached from the first page", () => {
  const reached = new Set(["/docs"]);
  for (const path of reached) {
    for (const [, href = ""] of page(path).matchAll(/<a [^>]*href="(\/docs[^"#]*)/g)) reached.add(href);
  }
  expect([...pages.keys()].filter((path) => !reached.has(path))).toEqual([NOT_FOUND]);
});

it("every page names no page that is for contributors as a link", () => {
  for (const { path, markup } of every()) expect(markup, path).not.toMatch(/href="[^"]*(design|decisions)\//);
});

it("the reference has each operation of the document under its operationId, once on the page of its tag", () => {
  const operations = listOperations(document);
  expect(operations.length).toBeGreaterThan(60);
  for (const operation of operations) {
    const [path = "", id = ""] = operationHref(operation).split("#");
    expect(page(path).split(`<section class="operation" id="${id}"`), id).toHaveLength(2);
  }
});

it("the reference has an excerpt of a long example", () => {
  expect(/\n… \d+ more lines/.test(page("/docs/reference/webhooks").replace(/<[^>]*>/g, ""))).toBe(true);
});

it("the reference has each event and each frame", () => {
  const events = Object.keys(document.webhooks as Json);
  expect(events.length).toBeGreaterThan(10);
  for (const type of events) expect(ids(page("/docs/reference/events"))).toContain(type);
  for (const name of ["hello", "ping", "pong", "conversation.updated", "hold.updated", "upload.updated"]) {
    expect(ids(page("/docs/reference/realtime"))).toContain(name);
  }
});

it("the reference has each error code that an operation answers with, and what to do about it", () => {
  const codes = listOperations(document).flatMap((operation) =>
    listResponses(document, operation).flatMap(({ schema }) => errorCodes(document, schema)),
  );
  expect(new Set(codes).size).toBeGreaterThan(30);
  for (const code of new Set(codes)) expect(ids(page("/docs/errors")), code).toContain(code);
  expect(page("/docs/errors")).toMatch(/<dt>Cause<\/dt><dd>[^<]{10}/);
});

it("a guide shows its pictures, each of at most 150 KB", () => {
  const shown = every().flatMap(({ markup }) => markup.match(/<img /g) ?? []);
  const files = globSync("guides/pictures/*.png", { cwd: folder });
  expect(shown.length).toBeGreaterThanOrEqual(4);
  expect(files.length).toBe(shown.length);
  for (const file of files) expect(statSync(join(folder, file)).size, file).toBeLessThanOrEqual(150 * KILOBYTE);
});

const files = ["concepts.md", "guides/sending.md", "guides/receivers/verify.py"];
it.each([
  ["guides/sending.md", "../concepts.md#window", "/docs/concepts#window"],
  ["concepts.md", "guides/sending.md", "/docs/guides/sending"],
  ["guides/sending.md", "receivers/verify.py", "/docs/guides/receivers/verify.py"],
  ["guides/sending.md", "#limits", "#limits"],
  ["guides/sending.md", "events.md", "/docs/reference/events"],
  ["guides/sending.md", "../openapi.json", "/openapi.json"],
  ["guides/sending.md", "https://example.com/a#b", "https://example.com/a#b"],
  ["guides/sending.md", "../operate/deploy.md#settings", null],
  ["guides/sending.md", "../../SECURITY.md", null],
  ["guides/sending.md", "../../../../etc/passwd", null],
  ["guides/sending.md", "/etc/passwd", null],
  ["guides/sending.md", "javascript:alert(1)", null],
  ["guides/sending.md", "//example.com", null],
])("a link of a page in %s to %s becomes %s", (source, href, address) => {
  expect(resolveSiteLink(source, href, files)).toBe(address);
});

it("a link of a page is published with its page: a new guide needs no list", () => {
  const listed = listPages([...files, "guides/new.md", "operate/deploy.md", "operate/restore.md", "guides/events.md"]);
  expect(listed.map(({ path }) => path)).toEqual([
    "/docs/concepts",
    "/docs/guides/sending",
    "/docs/operate/deploy",
    "/docs/guides/new",
  ]);
});

it("a site shows hostile texts of its document and its guides as text", () => {
  const hostile = `<script>alert(1)</script><img src=x onerror="alert(1)">{{base_url}}`;
  const operation = {
    operationId: "attack",
    summary: hostile,
    description: hostile,
    tags: ["Tag"],
    parameters: [{ name: hostile, in: "query", description: hostile, schema: { enum: [hostile], default: hostile } }],
    responses: { 200: { description: hostile, headers: { [hostile]: {} }, content: { [hostile]: {} } } },
    "x-examples": [
      {
        name: hostile,
        summary: hostile,
        request: { path: hostile, headers: {} },
        response: { status: 200, headers: {}, body: { a: hostile } },
      },
    ],
  };
  const { pages: site } = buildSite({
    files: {
      "errors.md": `# Errors\n\n${hostile}\n\n| Status | Code | Message | Cause | Fix |\n|---|---|---|---|---|\n| 400 | \`x\` | ${hostile} | ${hostile} | ${hostile} |\n`,
      "guides/a.md": `# ${hostile}\n\n${hostile}\n\n## ${hostile}\n\n| ${hostile} |\n|---|\n| ${hostile} |\n`,
    },
    document: {
      tags: [{ name: "Tag", description: hostile }],
      paths: { [`/a/${hostile}`]: { get: operation } },
      webhooks: { event: { post: { summary: hostile, requestBody: { content: { x: { example: { a: hostile } } } } } } },
    },
  });
  expect(Object.keys(site)).toHaveLength(5);
  for (const [path, markup] of Object.entries(site)) {
    expect(markup.replace(/<script src="\/docs\/(theme\.js"|docs\.js" defer)><\/script>/g, ""), path).not.toMatch(
      /<(script|img)/,
    );
    expect(markup.replaceAll(/"[^"]*"/g, ""), path).not.toMatch(/<[^>]*\sonerror=/);
  }
});
