import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { HttpResponse } from "./http/http-server.ts";

const folder = new URL("./page/", import.meta.url);

interface PageFile {
  type: string;
  content(): Promise<Buffer | string>;
}

const files: Record<string, PageFile> = {
  "/": { type: "text/html; charset=utf-8", content: () => readFile(new URL("index.html", folder)) },
  "/icon.svg": { type: "image/svg+xml", content: () => readFile(new URL("icon.svg", folder)) },
  "/page.js": { type: "text/javascript; charset=utf-8", content: () => bundle("page.ts") },
  "/consent.css": { type: "text/css; charset=utf-8", content: () => bundle("styles/consent.css") },
  "/page.css": { type: "text/css; charset=utf-8", content: () => bundle("styles/page.css") },
};

const headers = {
  "Content-Security-Policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; media-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "Referrer-Policy": "no-referrer",
  "Cache-Control": "no-cache",
};

/** Bundles one entry for the browser. esbuild is loaded for the first page only, so that a start does not wait for it. */
async function bundle(entry: string): Promise<string> {
  const { build } = await import("esbuild");
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL(entry, folder))],
    bundle: true,
    write: false,
    format: "esm",
    platform: "browser",
    target: "es2022",
    charset: "utf8",
    tsconfigRaw: {},
  });
  return outputFiles[0]?.text ?? "";
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
