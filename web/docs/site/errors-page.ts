import { Lexer, type Tokens } from "marked";
import type { ErrorMessage } from "../reference/responses.ts";
import { type Html, html, joinHtml } from "../text/html.ts";
import { type Heading, inlineMarkdown, type ResolveLink, renderMarkdown } from "../text/markdown.ts";

/** Which operations answer with an error code: their ids and the pages that have them. */
export type CodeUses = ReadonlyMap<string, readonly { readonly id: string; readonly href: string }[]>;

interface ErrorRow {
  readonly status: string;
  readonly code: string;
  readonly message: string;
  readonly cause: string;
  readonly fix: string;
}

/** The page of errors: the text of `errors.md`, with a section for each code in place of its table. */
export function errorsPage(source: string, resolveLink: ResolveLink, uses: CodeUses) {
  const table = errorTable(source);
  const rows = table.rows.map(toErrorRow);
  const before = renderMarkdown(source.slice(0, source.indexOf(table.raw)), resolveLink);
  const after = renderMarkdown(source.slice(source.indexOf(table.raw) + table.raw.length), resolveLink);
  const byCode = Map.groupBy(rows, ({ code }) => code);
  const headings: Heading[] = [
    ...before.headings.filter(({ level }) => level > 1),
    { id: "codes", text: "Codes", level: 2 },
    ...[...byCode.keys()].map((code) => ({ id: code, text: code, level: 3 })),
    ...after.headings,
  ];
  const index = html`<h2 id="codes"><a class="anchor" href="#codes">Codes</a></h2><ul class="codes">${[
    ...byCode.keys(),
  ].map((code) => html`<li><a href="#${code}"><code>${code}</code></a></li>`)}</ul>`;
  const body = html`${before.body}${index}${[...byCode].map(([code, group]) => codeSection(code, group, { resolveLink, uses }))}${after.body}`;
  return { title: before.title, description: before.description, headings, body };
}

/** The messages of `errors.md`, without its escapes. */
export function errorMessages(source: string): ErrorMessage[] {
  return errorTable(source)
    .rows.map(toErrorRow)
    .map(({ code, message }) => ({ code, message: message.replaceAll("&lt;", "<") }));
}

function errorTable(source: string): Tokens.Table {
  const table = Lexer.lex(source).find(({ type }) => type === "table");
  if (!table) throw new Error("errors.md has no table.");
  return table as Tokens.Table;
}

function toErrorRow(row: readonly Tokens.TableCell[]): ErrorRow {
  const [status = "", code = "", message = "", cause = "", fix = ""] = row.map(({ text }) => text);
  return { status, code: code.replaceAll("`", ""), message, cause, fix };
}

function codeSection(
  code: string,
  rows: readonly ErrorRow[],
  { resolveLink, uses }: { readonly resolveLink: ResolveLink; readonly uses: CodeUses },
): Html {
  const statuses = [...new Set(rows.map(({ status }) => status))];
  const operations = uses.get(code) ?? [];
  const inline = (text: string) => inlineMarkdown(text, resolveLink);
  return html`<section class="error">
<h3 id="${code}"><a class="anchor" href="#${code}"><code>${code}</code></a> <span class="statuses">${statuses.join(", ")}</span></h3>
${rows.map(
  ({ message, cause, fix }) =>
    html`<dl class="cause"><dt>Message</dt><dd class="message">${inline(message)}</dd><dt>Cause</dt><dd>${inline(cause)}</dd><dt>Fix</dt><dd>${inline(fix)}</dd></dl>`,
)}
${
  operations.length > 0 &&
  html`<details><summary>Returned by ${operations.length} operation${operations.length === 1 ? "" : "s"}</summary><p>${joinHtml(
    operations.map(({ id, href }) => html`<a href="${href}"><code>${id}</code></a>`),
    ", ",
  )}</p></details>`
}
</section>
`;
}
