import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { shortHash } from "#base/kernel/bytes.ts";
import type { ContentCoding } from "#http/content-coding.ts";
import type { DocsFile, DocsPorts } from "./routes.ts";

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
};

/**
 * The files that `buildDocs` wrote, by the path at which they are served: `guides/sending.html` at `/docs/guides/sending`.
 * Throws at start if there are none. A file is read, filled in and compressed at its first request.
 * @param baseUrl without a trailing slash
 */
export function readDocs(folder: string, baseUrl: string): DocsPorts {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
  const pages = names
    .filter((name) => name !== DOCUMENT && name !== NOT_FOUND)
    .map((name) => [toPath(name), name] as const);
  if (!pages.some(([path]) => path === "/docs")) throw new Error("The documentation is missing.");
  return {
    document: openFile("application/json; charset=utf-8", () => {
      const { openapi, info, ...rest } = JSON.parse(readFileSync(join(folder, DOCUMENT), "utf8"));
      return Buffer.from(JSON.stringify({ openapi, info, ...rest, servers: [{ url: baseUrl }] }));
    }),
    pages: new Map(pages.map(([path, name]) => [path, openPage(join(folder, name), baseUrl)])),
    notFound: openPage(join(folder, NOT_FOUND), baseUrl),
  };
}

function toPath(name: string): string {
  return `/docs/${name.replaceAll("\\", "/")}`.replace(/(\/index)?\.html$/, "");
}

function openPage(file: string, baseUrl: string): DocsFile {
  const ending = file.slice(file.lastIndexOf(".") + 1);
  const type = types[ending];
  if (type === undefined) throw new Error(`The documentation has a file of an unknown type: ${file}`);
  return openFile(type, () => {
    const body = readFileSync(file);
    return ending === "html" ? Buffer.from(body.toString().replaceAll(BASE_URL_MARK, () => escapeHtml(baseUrl))) : body;
  });
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** @param read runs once, at the first request */
function openFile(type: string, read: () => Buffer): DocsFile {
  const original = once(read);
  const bodies: Readonly<Record<ContentCoding, () => Buffer>> = {
    identity: original,
    gzip: once(() => gzipSync(original())),
    br: once(() => brotliCompressSync(original(), { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } })),
  };
  // Weak, because it names the content in each of its codings.
  return { type, etag: once(() => `W/"${shortHash(original().toString())}"`), body: (coding) => bodies[coding]() };
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
