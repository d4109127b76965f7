import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildSite } from "../../../../web/docs/site/site.ts";
import { BASE_URL_MARK } from "../../../../web/docs/text/base-url.ts";

export const BASE_URL = "https://parley.example";
export const project = fileURLToPath(new URL("../../../..", import.meta.url));

/** A request as a page shows it. */
export interface Snippet {
  /** The operation whose section has it. Null on the first page. */
  readonly operation: string | null;
  readonly code: string;
}

const text = (name: string) => readFileSync(join(project, "docs", name), "utf8");

/** The requests of the first page and of the reference, as a reader copies them. */
export function renderedSnippets(): Readonly<Record<"curl" | "client" | "python", readonly Snippet[]>> {
  const { pages } = buildSite({
    files: { "errors.md": text("errors.md") },
    document: JSON.parse(text("openapi.json")),
  });
  const snippets = Object.values(pages).flatMap((markup) => snippetsOf(markup.replaceAll(BASE_URL_MARK, BASE_URL)));
  return {
    curl: snippets.filter(({ code }) => code.startsWith("curl ")),
    client: snippets.filter(({ code }) => code.includes('from "@parley/client"')),
    python: snippets.filter(({ code }) => code.includes("import requests")),
  };
}

/** The blocks of code of a page, with the operations that they are of. */
export function snippetsOf(markup: string): Snippet[] {
  return markup
    .split('<section class="operation" id="')
    .flatMap((part, i) =>
      codeTexts(part).map((code) => ({ operation: i === 0 ? null : part.slice(0, part.indexOf('"')), code })),
    );
}

function codeTexts(markup: string): string[] {
  return [...markup.matchAll(/<pre[^>]*><code>(.*?)<\/code>/gs)].map(([, code = ""]) =>
    code.replace(/<\/?span[^>]*>/g, "").replace(/&#(\d+);/g, (_, number) => String.fromCharCode(Number(number))),
  );
}
