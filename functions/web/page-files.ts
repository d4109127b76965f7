import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { shortHash } from "#base/kernel/bytes.ts";
import type { ContentCoding } from "#http/content-coding.ts";
import { once } from "#http/lazy-schemas.ts";
import type { ConsoleFiles } from "./console-routes.ts";
import type { DocsPorts } from "./docs-routes.ts";
import type { ServedFile } from "./served-file.ts";

/** What `buildDocs` writes where a page names the URL of the deployment. */
const BASE_URL_MARK = "{{base_url}}";
/** Neither is served at its name. */
const [DOCUMENT, NOT_FOUND] = ["openapi.json", "404.html"];
/** Smaller than gzip, and as fast. */
const BROTLI_QUALITY = 5;

const types: Readonly<Record<string, string>> = {
  html: "text/html; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  json: "application/json; charset=utf-8",
  svg: "image/svg+xml",
  png: "image/png",
  md: "text/markdown; charset=utf-8",
  txt: "text/plain; charset=utf-8",
};
/** What names the URL of the deployment: a page, its copy for programs, and their lists. */
const NAMES_URL = new Set(["html", "md", "txt"]);

/**
 * The files that `buildDocs` wrote, by the path at which they are served: `guides/sending.html` at `/docs/guides/sending`.
 * Throws at start if there are none. A file is read, filled in and compressed at its first request.
 * @param baseUrl without a trailing slash
 */
export function readDocs(folder: string, baseUrl: string): DocsPorts {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .filter((name) => !/\.(br|gz)$/.test(name));
  const pages = names
    .filter((name) => name !== DOCUMENT && name !== NOT_FOUND)
    .map((name) => [toPath(name), name] as const);
  if (!pages.some(([path]) => path === "/docs")) throw new Error("The documentation is missing.");
  return {
    document: openFile({ type: "application/json; charset=utf-8", compressible: true }, () => {
      const { openapi, info, ...rest } = JSON.parse(readFileSync(join(folder, DOCUMENT), "utf8"));
      return Buffer.from(JSON.stringify({ openapi, info, ...rest, servers: [{ url: baseUrl }] }));
    }),
    pages: new Map(pages.map(([path, name]) => [path, openPage(join(folder, name), baseUrl)])),
    notFound: openPage(join(folder, NOT_FOUND), baseUrl),
  };
}

/** A page has its Markdown copy at its own path with `.md`. The lists for programs are where programs look for them. */
function toPath(name: string): string {
  if (/^llms(-full)?\.txt$/.test(name)) return `/${name}`;
  return `/docs/${name.replaceAll("\\", "/")}`.replace(/(\/index)?\.html$/, "").replace(/\/index\.md$/, ".md");
}

function openPage(file: string, baseUrl: string): ServedFile {
  const ending = file.slice(file.lastIndexOf(".") + 1);
  const type = types[ending];
  if (type === undefined) throw new Error(`The documentation has a file of an unknown type: ${file}`);
  const compressible = ending !== "png";
  if (existsSync(`${file}.br`)) return openCompressedFile(file, { type, compressible });
  return openFile({ type, compressible }, () => {
    const body = readFileSync(file);
    if (!NAMES_URL.has(ending)) return body;
    const url = ending === "html" ? escapeHtml(baseUrl) : baseUrl;
    return Buffer.from(body.toString().replaceAll(BASE_URL_MARK, () => url));
  });
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** @param read runs once, at the first request */
function openFile(kind: Pick<ServedFile, "type" | "compressible">, read: () => Buffer): ServedFile {
  const original = once(read);
  const bodies: Readonly<Record<ContentCoding, () => Buffer>> = {
    identity: original,
    gzip: once(() => gzipSync(original())),
    br: once(() => brotliCompressSync(original(), { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } })),
  };
  // Weak, because it names the content in each of its codings.
  return {
    ...kind,
    etag: once(() => `W/"${shortHash(original().toString("base64"))}"`),
    body: (coding) => bodies[coding](),
  };
}

/** The files with a compressed copy beside them, and those that are compressed already. */
const consoleTypes: Readonly<Record<string, { readonly type: string; readonly compressible: boolean }>> = {
  html: { type: "text/html; charset=utf-8", compressible: true },
  js: { type: "text/javascript; charset=utf-8", compressible: true },
  css: { type: "text/css; charset=utf-8", compressible: true },
  svg: { type: "image/svg+xml", compressible: true },
  txt: { type: "text/plain; charset=utf-8", compressible: true },
  woff2: { type: "font/woff2", compressible: false },
};

/**
 * The files of the console, as the build wrote them: each with its copies for Brotli and gzip. A file is read at its first
 * request. Throws at start if the page or its assets are missing.
 */
export function readConsole(folder: string): ConsoleFiles {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => name.replaceAll("\\", "/"));
  const assets = names.filter((name) => /^assets\/.+(?<!\.br|\.gz)$/.test(name));
  if (assets.length === 0 || !names.includes("index.html")) throw new Error("The console is missing.");
  return {
    page: openConsoleFile(join(folder, "index.html")),
    assets: new Map(assets.map((name) => [`/app/${name}`, openConsoleFile(join(folder, name))])),
    licenses: openConsoleFile(join(folder, "licenses.txt")),
  };
}

function openConsoleFile(file: string): ServedFile {
  const kind = consoleTypes[file.slice(file.lastIndexOf(".") + 1)];
  if (kind === undefined) throw new Error(`The console has a file of an unknown type: ${file}`);
  return openCompressedFile(file, kind);
}

/** A file with a copy for Brotli and one for gzip beside it. */
function openCompressedFile(file: string, kind: Pick<ServedFile, "type" | "compressible">): ServedFile {
  const bodies = {
    identity: once(() => readFileSync(file)),
    gzip: once(() => readFileSync(`${file}.gz`)),
    br: once(() => readFileSync(`${file}.br`)),
  };
  return {
    ...kind,
    etag: once(() => `W/"${shortHash(bodies.identity().toString("base64"))}"`),
    body: (coding) => bodies[coding](),
  };
}
