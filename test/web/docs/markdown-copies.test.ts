import { globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { buildDocs } from "../../../web/docs/build.ts";
import { Html } from "../../../web/docs/text/html.ts";
import { toMarkdown } from "../../../web/docs/text/to-markdown.ts";

const folder = mkdtempSync(join(tmpdir(), "docs-markdown-"));
const read = (name: string) => readFileSync(join(folder, name), "utf8");
beforeAll(() => buildDocs(folder, "fast"));
afterAll(() => rmSync(folder, { recursive: true }));

const addressOf = (name: string) => `{{base_url}}/docs/${name}`.replace(/\/index$/, "");

it("each page has a Markdown copy, with its title, its address and all of its code", () => {
  const pages = globSync("**/*.html", { cwd: folder }).map((name) => name.replace(/\.html$/, ""));
  expect(pages.length).toBeGreaterThan(60);
  for (const page of pages.filter((name) => name !== "404")) {
    const [markup, copy] = [read(`${page}.html`), read(`${page}.md`)];
    const title = /<h1>(.*?)<\/h1>/.exec(markup)?.[1]?.replace(/&#39;/g, "'");
    expect(copy.startsWith(`# ${title}\n\nSource: ${addressOf(page)}\n\n`), page).toBe(true);
    expect(copy.match(/^ *```\w*$/gm)?.length ?? 0, page).toBe(2 * (markup.match(/<div class="code"/g)?.length ?? 0));
    expect(copy, page).not.toMatch(/<\/?(div|span|p|ul|details|table)\b(?![^`]*`)/);
  }
});

it("a Markdown copy links to copies that exist, and to the OpenAPI document", () => {
  const copies = globSync("**/*.md", { cwd: folder });
  const broken = copies.flatMap((name) =>
    [...read(name).matchAll(/\]\(\{\{base_url\}\}([^)#]*)/g)].flatMap(([, path = ""]) => {
      if (/^\/(openapi\.json|llms(-full)?\.txt)$/.test(path) || path.endsWith(".png")) return [];
      const file = path === "/docs.md" ? "index.md" : path.replace(/^\/docs\//, "");
      return copies.includes(file) ? [] : [`${name}: ${path}`];
    }),
  );
  expect(broken).toEqual([]);
});

it("llms.txt lists the copy of each page of the navigation, and llms-full.txt has them all", () => {
  const [list, everything] = [read("llms.txt"), read("llms-full.txt")];
  expect(list).toMatch(/^# Parley\n\n> [^\n]{50,}\n\n## Get started\n\n- \[Quick start\]\(/);
  const listed = [...list.matchAll(/^- \[[^\]]+\]\(\{\{base_url\}\}\/docs\/([^)]+)\.md\): ./gm)].map(
    ([, name]) => name,
  );
  const shown = [
    ...(read("index.html")
      .split('<h2 id="pages">')[1]
      ?.matchAll(/href="\/docs\/([^"#]+)"/g) ?? []),
  ];
  expect(listed).toEqual(shown.map(([, name]) => name));
  for (const name of listed) expect(everything).toContain(`Source: ${addressOf(name ?? "")}\n`);
  expect(everything).toContain("window_closed");
});

it("a Markdown copy keeps tables, languages, tabs and the text of a heading", () => {
  const markup = `<h2 id="a"><a class="anchor" href="#a">A <code>b_c</code></a></h2>
<div class="table"><table><thead><tr><th>x</th><td></td></tr></thead><tbody><tr><td>1 | 2</td><td><a href="/docs/errors#e">e</a></td></tr></tbody></table></div>
<details name="t" open><summary>curl</summary><div class="code" data-language="sh"><p class="code-name">Shell</p><pre><code>a <span class="s">&#60;b&#62;</span></code></pre></div></details>`;
  expect(toMarkdown(new Html(markup))).toBe(
    [
      "## A `b_c`",
      "",
      "| x |  |",
      "| --- | --- |",
      "| 1 \\| 2 | [e]({{base_url}}/docs/errors.md#e) |",
      "",
      "**curl**",
      "",
      "```sh",
      "a <b>",
      "```",
      "",
    ].join("\n"),
  );
});
