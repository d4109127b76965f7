import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { buildSync } from "esbuild";
import { withBooleanConstants } from "../../shared/http/openapi/boolean-constants.ts";
import { tokensForAll } from "../theme/tokens.ts";
import { operatorPages } from "./site/page-list.ts";
import { buildSite } from "./site/site.ts";

const here = fileURLToPath(new URL(".", import.meta.url));
const DOCS = join(here, "..", "..", "docs");
/** What the pages are made from. The rest of `docs` is for operators and contributors. */
const SOURCES = ["concepts.md", "errors.md", ...operatorPages, "guides"];
const STYLES = ["base", "layout", "text", "tabs", "reference", "print"];

/**
 * Writes the documentation as the Web function serves it: openapi.json, minified, and the pages with their styles and
 * scripts, a Markdown copy of each page, and the index of the search. The function replaces `{{base_url}}` in a page.
 * @param compression "fast" leaves it to the function to compress the index: a quarter of a second less, 5 KB more
 */
export function buildDocs(folder: string, compression: "small" | "fast" = "small"): void {
  mkdirSync(folder, { recursive: true });
  const document = JSON.parse(readFileSync(join(DOCS, "openapi.json"), "utf8"));
  writeFileSync(join(folder, "openapi.json"), JSON.stringify(document));
  const sources = SOURCES.flatMap(listFiles).map((file) => relative(DOCS, file).replaceAll("\\", "/"));
  const pictures = sources.filter((source) => source.endsWith(".png"));
  const texts = sources.filter((source) => !pictures.includes(source));
  const files = Object.fromEntries(texts.map((source) => [source, readFileSync(join(DOCS, source), "utf8")]));
  // The client has its page in its own package.
  files["guides/client.md"] ??= readFileSync(join(DOCS, "..", "packages", "client", "README.md"), "utf8");
  const { pages, notFound, search, markdown } = buildSite({
    files,
    document: withBooleanConstants(document),
    pictures,
  });
  for (const picture of pictures) {
    mkdirSync(dirname(join(folder, picture)), { recursive: true });
    copyFileSync(join(DOCS, picture), join(folder, picture));
  }
  const copies = markdown();
  for (const [path, markup] of Object.entries(pages)) {
    const file = join(folder, path === "/docs" ? "index" : path.slice("/docs/".length));
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(`${file}.html`, markup);
    writeFileSync(`${file}.md`, copies.pages[path] ?? "");
  }
  writeFileSync(join(folder, "llms.txt"), copies.list);
  writeFileSync(join(folder, "llms-full.txt"), copies.everything);
  writeFileSync(join(folder, "404.html"), notFound);
  writeFileSync(join(folder, "search.json"), JSON.stringify(search));
  if (compression === "small") writeCompressed(join(folder, "search.json"));
  writeFileSync(join(folder, "docs.css"), docsStyles());
  writeFileSync(join(folder, "licenses.txt"), licenses());
  copyFileSync(join(here, "page", "icon.svg"), join(folder, "icon.svg"));
  buildSync({
    entryPoints: ["docs.ts", "search-worker.ts", "theme.ts"].map((name) => join(here, "page", name)),
    outdir: folder,
    bundle: true,
    minify: true,
    format: "iife",
    platform: "browser",
    target: "es2022",
    charset: "utf8",
    banner: { js: "/*! Licenses of what this contains: /docs/licenses.txt */" },
    logLevel: "warning",
    tsconfigRaw: {},
  });
}

/** Writes the copies that the function would otherwise make at a request, smaller. */
function writeCompressed(file: string): void {
  const body = readFileSync(file);
  writeFileSync(`${file}.br`, brotliCompressSync(body));
  writeFileSync(`${file}.gz`, gzipSync(body, { level: 9 }));
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
export function docsStyles(): string {
  const pageStyles = STYLES.map((name) => readFileSync(join(here, "styles", `${name}.css`), "utf8"));
  return [tokensForAll(), ...pageStyles].join("\n");
}

/** The license of the library that the script of the search contains. */
function licenses(): string {
  const library = createRequire(import.meta.url).resolve("minisearch");
  return `## MiniSearch\n\n${readFileSync(join(dirname(library), "..", "..", "LICENSE.txt"), "utf8")}`;
}
