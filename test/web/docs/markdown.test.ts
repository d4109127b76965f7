import { expect, it } from "vitest";
import { codeBlock } from "../../../web/docs/text/highlight.ts";
import { html, slug } from "../../../web/docs/text/html.ts";
import { inlineMarkdown, renderMarkdown } from "../../../web/docs/text/markdown.ts";

const noLinks = () => null;
const body = (source: string, resolve: (href: string) => string | null = noLinks) =>
  renderMarkdown(source, resolve).body.markup;

it("markup from a template escapes every text, keeps markup, and leaves out what is absent", () => {
  const hostile = `<img src=x onerror="alert('1')">&`;
  const { markup } = html`<p title="${hostile}">${hostile}${[html`<b>${1}</b>`, "<i>"]}${null}${undefined}${false}</p>`;
  expect(markup).not.toMatch(/<img|<i>|onerror="/);
  expect(markup).toContain("&#60;img src=x onerror=&#34;alert(&#39;1&#39;)&#34;&#62;&#38;<b>1</b>&#60;i&#62;</p>");
});

it("a page in Markdown has a title, a description, and headings with the anchors of GitHub, numbered where two are the same", () => {
  const page = renderMarkdown(
    "# The `title`\n\nOne [link](x.md),\ntwo.\n\n## A & B: c\n\n### Same\n\n### Same\n",
    noLinks,
  );
  expect(page).toMatchObject({ title: "The title", description: "One link, two." });
  expect(page.headings).toEqual([
    { id: "a--b-c", text: "A & B: c", level: 2 },
    { id: "same", text: "Same", level: 3 },
    { id: "same-1", text: "Same", level: 3 },
  ]);
  expect(page.body.markup).toContain('<h2 id="a--b-c"><a class="anchor" href="#a--b-c">A &amp; B: c</a></h2>');
  expect(page.body.markup).not.toContain("<h1");
});

it.each([
  "<script>alert(1)</script>",
  "a <img src=x onerror=alert(1)> b",
  '<a href="javascript:alert(1)">x</a>',
  "[x](javascript:alert(1))",
  "[x](data:text/html,<script>alert(1)</script>)",
  '[x](https://a.example/"onmouseover="alert(1))',
  "![<b>x](javascript:alert(1))",
  "`<script>`",
  "```html\n<script>alert(1)</script>\n```",
  '```"><script>\nx\n```',
  "# <script>alert(1)</script>\n\n## <img src=x onerror=alert(1)>",
  "| <script> |\n|---|\n| <img onerror=alert(1)> |",
  "<!-- a --> <script>x</script>",
  "<svg/onload=alert(1)>",
])("a page in Markdown shows the markup of %j as text", (source) => {
  const markup = body(source, (href) => href);
  expect(markup).not.toMatch(/<(script|img|svg|b>)|<[^>]*\son\w+=|(href|src)="(javascript|data):/i);
});

it("a page in Markdown leaves out comments, and makes a link to no page its text", () => {
  expect(
    body("<!-- Generated. -->\n\nSee [the file](../secret.md#x) and [it](a.md).", (href) =>
      href === "a.md" ? "/docs/a" : null,
    ),
  ).toBe('<p>See the file and <a href="/docs/a">it</a>.</p>\n');
});

it("a page in Markdown has tables and code that the keyboard scrolls, with a name", () => {
  const markup = body("| A | `B` |\n|---|---|\n| 1 | 2 |\n\n```sh background\ncurl x\n```");
  expect(markup).toContain('<div class="table" tabindex="0" role="group" aria-label="Table: A, B"><table><thead>');
  expect(markup).toContain(
    '<pre tabindex="0" role="group" aria-label="Shell"><code><span class="w">curl</span> x</code></pre>',
  );
});

it("a page in Markdown has code, emphasis and external links in a sentence, and no paragraph", () => {
  expect(inlineMarkdown("`a` **b** [c](https://c.example) [d](d.md) <e>").markup).toBe(
    '<code>a</code> <strong>b</strong> <a href="https://c.example">c</a> d &#60;e&#62;',
  );
});

it("a block of code has the same text with colors as without them", () => {
  const code = `const a = "<b>" + 'it''s'; // <c> "d"\n# e\nreturn \`\${a}\` /* f */ & null;\n`;
  for (const language of ["ts", "sh", "json", "py", "php", "unknown", "__proto__"]) {
    const text = codeBlock(code, language)
      .markup.replace(/^.*<pre[^>]*><code>/s, "")
      .replace(/<\/?span[^>]*>|<\/code>.*$/gs, "")
      .replace(/&#(\d+);/g, (_, number) => String.fromCharCode(Number(number)));
    expect(text, language).toBe(code);
  }
});

it("a block of code distinguishes names from values in JSON", () => {
  expect(codeBlock('{ "a": "b", "c": -1.5 }', "json").markup).toContain(
    '{ <span class="k">&#34;a&#34;</span>: <span class="s">&#34;b&#34;</span>, <span class="k">&#34;c&#34;</span>: <span class="w">-1.5</span> }',
  );
});

it("an anchor keeps letters of every script", () => {
  expect(slug("Größe & `id`: 日本語?")).toBe("größe--id-日本語");
});
