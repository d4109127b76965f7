import { Marked, type Token, type Tokens } from "marked";
import { codeBlock } from "./highlight.ts";
import { escapeHtml, Html, slug } from "./html.ts";
import { tabs } from "./tabs.ts";

/** A heading of a page. */
export interface Heading {
  readonly id: string;
  readonly text: string;
  readonly level: number;
}

export interface MarkdownPage {
  readonly title: string;
  /** The first paragraph as text. */
  readonly description: string;
  readonly headings: readonly Heading[];
  /** Without the title. */
  readonly body: Html;
}

/** The address of a link. Null for what is not published: the link becomes its text. */
export type ResolveLink = (href: string) => string | null;

/** Renders a page. Markup in it is shown as text, and a comment left out. */
export function renderMarkdown(source: string, resolveLink: ResolveLink): MarkdownPage {
  const headings: Heading[] = [];
  const marked = newMarked(resolveLink, headings);
  const tokens = marked.lexer(source);
  const title = tokens.find((token) => token.type === "heading" && token.depth === 1) as Tokens.Heading | undefined;
  const paragraph = tokens.find((token) => token.type === "paragraph") as Tokens.Paragraph | undefined;
  const body = withTabs(
    marked,
    tokens.filter((token) => token !== title),
  );
  return {
    title: plainText(title?.text ?? ""),
    description: plainText(paragraph?.text ?? ""),
    body: new Html(marked.parser(body)),
    headings,
  };
}

const TAB = /^(\w+) tab$/;
const tabLabels: Readonly<Record<string, string>> = { sh: "curl", ts: "TypeScript", js: "TypeScript", py: "Python" };

/** Neighboring blocks of code whose language is followed by `tab` are the same in several languages. */
function withTabs(marked: Marked, tokens: readonly Token[]): Token[] {
  const result: Token[] = [];
  let group: Tokens.Code[] = [];
  const endGroup = () => {
    if (group.length === 0) return;
    const items = group.map((token) => {
      const language = TAB.exec(token.lang ?? "")?.[1] ?? "";
      return { label: tabLabels[language] ?? language, content: new Html(marked.parser([token])) };
    });
    const { markup } = tabs(`tabs-${result.length}`, items);
    result.push({ type: "html", raw: markup, text: markup, pre: true, block: true, made: true });
    group = [];
  };
  for (const token of tokens) {
    if (token.type === "code" && TAB.test(token.lang ?? "")) group.push(token as Tokens.Code);
    else if (token.type !== "space" || group.length === 0) {
      endGroup();
      result.push(token);
    }
  }
  endGroup();
  return result;
}

/** The Markdown inside a sentence: code, emphasis and links. */
export function inlineMarkdown(text: string, resolveLink: ResolveLink = externalOnly): Html {
  return new Html(String(newMarked(resolveLink, []).parseInline(text)));
}

/** One or more paragraphs. */
export function paragraphs(text: string, resolveLink: ResolveLink = externalOnly): Html {
  return new Html(String(newMarked(resolveLink, []).parse(text)));
}

/** Markdown without its marks. */
export function plainText(text: string): string {
  return text
    .replace(/\[([^[\]]*)\]\([^[)]*\)/g, "$1")
    .replace(/[*`]/g, "")
    .replace(/\s+/g, " ")
    .trim();
}

const externalOnly: ResolveLink = (href) => (/^(https:\/\/|\/(?!\/)|#)/.test(href) ? href : null);

/** A comment is left out, and other markup is shown as text. */
function commentOrText(raw: string): string {
  return /^\s*<!--[\s\S]*?-->\s*$/.test(raw) ? "" : escapeHtml(raw);
}

function newMarked(resolveLink: ResolveLink, headings: Heading[]): Marked {
  return new Marked({
    gfm: true,
    renderer: {
      // Only tabs are markup that this file made: a token of a page has no such field.
      html: (token) => ("made" in token ? token.raw : commentOrText(token.raw)),
      code: ({ text, lang }) => codeBlock(text, (lang ?? "").split(" ")[0] ?? "").markup,
      image({ href, text }) {
        const target = resolveLink(href);
        return target?.startsWith("/docs/")
          ? `<img src="${escapeHtml(target)}" alt="${escapeHtml(text)}">`
          : escapeHtml(text);
      },
      link({ href, tokens }) {
        const text = this.parser.parseInline(tokens);
        const target = resolveLink(href);
        return target === null || !/^(https?:\/\/|\/(?!\/)|#)/.test(target)
          ? text
          : `<a href="${escapeHtml(target)}">${text}</a>`;
      },
      heading({ tokens, depth }) {
        const text = plainText(tokens.map(({ raw }) => raw).join(""));
        const id = uniqueId(slug(text), headings);
        headings.push({ id, text, level: depth });
        return `<h${depth} id="${escapeHtml(id)}"><a class="anchor" href="#${escapeHtml(id)}">${this.parser.parseInline(tokens)}</a></h${depth}>`;
      },
      table({ header, rows }) {
        const cell = (tag: string) => (token: Tokens.TableCell) =>
          `<${tag}>${this.parser.parseInline(token.tokens)}</${tag}>`;
        const head = header.some(({ text }) => text !== "")
          ? `<thead><tr>${header.map((token) => (token.text === "" ? "<td></td>" : cell("th")(token))).join("")}</tr></thead>`
          : "";
        const body = rows.map((row) => `<tr>${row.map(cell("td")).join("")}</tr>`).join("");
        const label = escapeHtml(
          `Table: ${header
            .map(({ text }) => plainText(text))
            .filter(Boolean)
            .join(", ")}`,
        );
        return `<div class="table" tabindex="0" role="group" aria-label="${label}"><table>${head}<tbody>${body}</tbody></table></div>`;
      },
    },
  });
}

/** As GitHub numbers the headings of a page that have the same text. */
function uniqueId(wanted: string, headings: readonly Heading[]): string {
  const usedIds = new Set(headings.map(({ id }) => id));
  if (!usedIds.has(wanted)) return wanted;
  let number = 1;
  while (usedIds.has(`${wanted}-${number}`)) number++;
  return `${wanted}-${number}`;
}
