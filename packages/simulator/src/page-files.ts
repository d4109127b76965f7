import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import type { HttpResponse } from "./http/http-server.ts";
import type { PageBuild } from "./page-build.ts";

const folder = new URL("./page/", import.meta.url);

interface PageFile {
  type: string;
  content(): Promise<Buffer | string>;
}

const files: Record<string, PageFile> = {
  "/": { type: "text/html; charset=utf-8", content: () => readFile(new URL("index.html", folder)) },
  "/icon.svg": { type: "image/svg+xml", content: () => readFile(new URL("icon.svg", folder)) },
  "/page.js": { type: "text/javascript; charset=utf-8", content: () => built("page.js") },
  "/consent.css": { type: "text/css; charset=utf-8", content: () => built("consent.css") },
  "/page.css": { type: "text/css; charset=utf-8", content: () => built("page.css") },
};

const headers = {
  "Content-Security-Policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; media-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "Referrer-Policy": "no-referrer",
  "Cache-Control": "no-cache",
};

/**
 * A built file of the page. The package has it; here it is built from its sources, which loads esbuild with the first page
 * only, so that a start does not wait for it.
 */
async function built(name: PageBuild): Promise<Buffer | string> {
  const file = new URL(name, folder);
  if (existsSync(file)) return readFile(file);
  const { buildPageFile } = await import("./page-build.ts");
  return buildPageFile(name);
}

/** Returns the response for a path of the page, or undefined for any other path. Each file is built once, when asked for. */
export function servePage(): (path: string) => Promise<HttpResponse> | undefined {
  const responses = new Map<string, Promise<HttpResponse>>();
  const respond = async ({ type, content }: PageFile): Promise<HttpResponse> => ({
    status: 200,
    headers: { ...headers, "Content-Type": type },
    body: await content(),
  });
  return (path) => {
    const file = Object.hasOwn(files, path) ? files[path] : undefined;
    if (file === undefined) return undefined;
    const response = responses.get(path) ?? respond(file);
    responses.set(path, response);
    return response;
  };
}
