import TurndownService from "turndown";
import { BASE_URL_MARK } from "./base-url.ts";
import type { Html } from "./html.ts";

/** What is used of an element of the parsed markup. */
interface MarkupElement {
  readonly nodeName: string;
  readonly textContent: string;
  readonly children: { readonly length: number };
  getAttribute(name: string): string | null;
  querySelector(selector: string): MarkupElement | null;
}

const FENCE = "```";
const converter = newConverter();

/** A page's markup as Markdown: its code with the languages, its tables, and links that work from anywhere. */
export function toMarkdown(body: Html): string {
  // The colors of the code are most of the elements.
  // Super-linear: it reads the markup that this build made.
  return `${converter.turndown(body.markup.replace(/<\/?span\b[^>]*>/g, "")).trim()}\n`;
}

function newConverter(): TurndownService {
  const service = new TurndownService({ headingStyle: "atx", codeBlockStyle: "fenced", bulletListMarker: "-" });
  const rule = (tag: string, name: string | null, replace: (content: string, element: MarkupElement) => string) =>
    service.addRule(`${tag} ${name}`, {
      filter: (node) => {
        const element = node as unknown as MarkupElement;
        return element.nodeName === tag && (name === null || element.getAttribute("class") === name);
      },
      replacement: (content, node) => replace(content, node as unknown as MarkupElement),
    });
  rule("DIV", "code", (_, block) => {
    const code = block.querySelector("code")?.textContent ?? "";
    return `\n\n${FENCE}${block.getAttribute("data-language") ?? ""}\n${code.replace(/\n$/, "")}\n${FENCE}\n\n`;
  });
  const cell = (content: string) => ` ${content.trim().replace(/\s+/g, " ").replaceAll("|", "\\|")} |`;
  const row = (content: string) => `\n|${content}`;
  for (const tag of ["TH", "TD"]) rule(tag, null, cell);
  rule("TR", null, row);
  for (const tag of ["THEAD", "TBODY"]) rule(tag, null, (content) => content);
  rule("TABLE", null, (content, element) => {
    const hasHead = element.querySelector("thead") !== null;
    const width = element.querySelector("tr")?.children.length ?? 0;
    const [first = "", ...rest] = content.trim().split("\n");
    const line = (text: string) => `|${` ${text} |`.repeat(width)}`;
    const lines = hasHead ? [first, line("---"), ...rest] : [line(" "), line("---"), first, ...rest];
    return `\n\n${lines.join("\n")}\n\n`;
  });
  rule("A", null, (content, link) => `[${content}](${address(link.getAttribute("href") ?? "")})`);
  rule("IMG", null, (_, image) => `![${image.getAttribute("alt")}](${BASE_URL_MARK}${image.getAttribute("src")})`);
  // A heading links to itself.
  rule("A", "anchor", (content) => content);
  rule("SUMMARY", null, (content) => `\n\n**${content.trim()}**\n\n`);
  return service;
}

/** The Markdown copy of a page, at its section. */
function address(href: string): string {
  if (!href.startsWith("/docs")) return href.startsWith("/") ? BASE_URL_MARK + href : href;
  const [path = "", anchor] = href.split("#");
  return `${BASE_URL_MARK}${path}.md${anchor === undefined ? "" : `#${anchor}`}`;
}
