import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";
import { tokensForAll } from "../theme/tokens.ts";
import { buildSite } from "./site/site.ts";

const here = fileURLToPath(new URL(".", import.meta.url));
const DOCS = join(here, "..", "..", "docs");
/** What the pages are made from. The rest of `docs` is for operators and contributors. */
const SOURCES = ["concepts.md", "errors.md", "operate/erasing.md", "guides"];
const STYLES = ["base", "layout", "text", "reference", "print"];

/**
 * Writes the documentation as the Web function serves it: openapi.json, minified, and the pages with their styles and
 * scripts. The function replaces `{{base_url}}` in a page.
 */
export function buildDocs(folder: string): void {
  mkdirSync(folder, { recursive: true });
  const document = JSON.parse(readFileSync(join(DOCS, "openapi.json"), "utf8"));
  writeFileSync(join(folder, "openapi.json"), JSON.stringify(document));
  const sources = SOURCES.flatMap(listFiles).map((file) => relative(DOCS, file).replaceAll("\\", "/"));
  const pictures = sources.filter((source) => source.endsWith(".png"));
  const texts = sources.filter((source) => !pictures.includes(source));
  const files = Object.fromEntries(texts.map((source) => [source, readFileSync(join(DOCS, source), "utf8")]));
  // The client has its page in its own package.
  files["guides/client.md"] ??= readFileSync(join(DOCS, "..", "packages", "client", "README.md"), "utf8");
  const { pages, notFound, search } = buildSite({ files, document, pictures });
  for (const picture of pictures) {
    mkdirSync(dirname(join(folder, picture)), { recursive: true });
    copyFileSync(join(DOCS, picture), join(folder, picture));
  }
  for (const [path, markup] of Object.entries(pages)) {
    const file = join(folder, `${path === "/docs" ? "index" : path.slice("/docs/".length)}.html`);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, markup);
  }
  writeFileSync(join(folder, "404.html"), notFound);
  writeFileSync(join(folder, "search.json"), JSON.stringify(search));
  writeFileSync(join(folder, "docs.css"), styles());
  copyFileSync(join(here, "page", "icon.svg"), join(folder, "icon.svg"));
  buildSync({
    entryPoints: ["docs.ts", "theme.ts"].map((name) => join(here, "page", name)),
    outdir: folder,
    bundle: true,
    minify: true,
    format: "iife",
    platform: "browser",
    target: "es2022",
    charset: "utf8",
    logLevel: "warning",
    tsconfigRaw: {},
  });
}

function listFiles(source: string): string[] {
  const path = join(DOCS, source);
  if (source.endsWith(".md")) return [path];
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

/** The tokens and the styles of the pages. */
function styles(): string {
  const pageStyles = STYLES.map((name) => readFileSync(join(here, "styles", `${name}.css`), "utf8"));
  return [tokensForAll(), ...pageStyles].join("\n");
}
