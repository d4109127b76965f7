import { readFile } from "node:fs/promises";
import type { HttpResponse } from "../http/http-server.ts";

const files: Record<string, { name: string; type: string }> = {
  "/": { name: "index.html", type: "text/html; charset=utf-8" },
  "/base.css": { name: "base.css", type: "text/css; charset=utf-8" },
  "/talk.css": { name: "talk.css", type: "text/css; charset=utf-8" },
  "/page.css": { name: "page.css", type: "text/css; charset=utf-8" },
  "/page.js": { name: "page.js", type: "text/javascript; charset=utf-8" },
  "/thread.js": { name: "thread.js", type: "text/javascript; charset=utf-8" },
  "/icon.svg": { name: "icon.svg", type: "image/svg+xml" },
};

const headers = {
  "Content-Security-Policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "Referrer-Policy": "no-referrer",
  "Cache-Control": "no-cache",
};

/** Reads the files of the page once. The returned function gives the response for a path, or undefined for any other path. */
export async function loadPage(): Promise<(path: string) => HttpResponse | undefined> {
  const replies = new Map<string, HttpResponse>();
  for (const [path, { name, type }] of Object.entries(files)) {
    const body = await readFile(new URL(`./${name}`, import.meta.url));
    replies.set(path, { status: 200, headers: { ...headers, "Content-Type": type }, body });
  }
  return (path) => replies.get(path);
}
