import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { PageFile } from "#base/files/page-file.ts";
import { shortHash } from "#base/kernel/bytes.ts";
import { languages } from "#base/languages/languages.ts";
import { pageInLanguage } from "#http/browser/localized-pages.ts";

const types = {
  html: "text/html; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
} as const;

/** A file of a page, by the path at which it is served. */
export type PageFileName = readonly [path: string, name: `${string}.${keyof typeof types}`];

/** The files of a page that the build wrote in each language. @param name without the language and `.html` */
export function localized(path: string, name: string): PageFileName[] {
  return languages.map((language) => [pageInLanguage(path, language), `${name}.${language}.html`]);
}

/** Reads the files that the build wrote beside the bundle. Throws at start if one is missing, so that no page is broken. */
export function readPageFiles(folder: string, names: readonly PageFileName[]): ReadonlyMap<string, PageFile> {
  return new Map(
    names.map(([path, name]) => {
      const body = new Uint8Array(readFileSync(join(folder, name)));
      const type = types[name.slice(name.lastIndexOf(".") + 1) as keyof typeof types];
      return [path, { body, type, etag: `"${shortHash(Buffer.from(body).toString())}"` }] as const;
    }),
  );
}
