import type { PageFile } from "#base/files/page-file.ts";
import { refuse } from "#base/kernel/refusals.ts";
import type { Answers, Endpoint, RequestMetadata } from "../endpoint.ts";
import { endpointsFor } from "../endpoints-for.ts";
import { HttpResponse } from "../http-response.ts";
import { languageHeaders, languageOf, pageInLanguage } from "./localized-pages.ts";

/** What a page may load. @param formAction where its forms may be sent: sources of a content security policy */
export function pagePolicy(formAction: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "worker-src 'self'",
    "connect-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "base-uri 'none'",
    `form-action ${formAction}`,
    "frame-ancestors 'none'",
  ].join("; ");
}

/** The headers of every page and its assets. */
export const pageHeaders = {
  "content-security-policy": pagePolicy("'none'"),
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "cross-origin-opener-policy": "same-origin",
} as const;

interface PageFilePorts {
  /** By path. */
  readonly pageFiles: ReadonlyMap<string, PageFile>;
}

/** A page is not cached and its assets are revalidated, so that all are of the same build. */
export type FileCaching = "no-store" | "no-cache";

type PageRoute = readonly [operation: string, path: string, summary: string, cacheControl: FileCaching];

/**
 * The public routes of the files of pages.
 * @param routes each summary starts with a verb
 */
export function pageFileEndpoints<P extends PageFilePorts>(tag: string, routes: readonly PageRoute[]): Endpoint<P>[] {
  const endpoint = endpointsFor<P>();
  return routes.map(([operation, path, summary, cacheControl]) =>
    endpoint.public({
      operation,
      method: "GET",
      path,
      tag,
      summary,
      envelope: false,
      refusals: ["route_not_found"],
      answers: fileAnswers(path, cacheControl),
      handle: async ({ request, ports }) => {
        const language = languageOf(request.headers);
        const localized = ports.pageFiles.get(pageInLanguage(path, language));
        if (localized) return toFileResponse(localized, { cacheControl, ...languageHeaders(language) }, request);
        const file = ports.pageFiles.get(path);
        return file ? toFileResponse(file, { cacheControl }, request) : refuse("route_not_found");
      },
    }),
  );
}

/** The file, and the response to a browser that revalidates it and has it. */
export function fileAnswers(path: string, cacheControl: FileCaching): Answers {
  const headers = { etag: "The version of the file.", "cache-control": `\`${cacheControl}\`` };
  const type = path.endsWith(".js") ? "text/javascript" : path.endsWith(".css") ? "text/css" : "text/html";
  const policy = { "content-security-policy": "What the page may load: files of its own origin." };
  return {
    200: { types: [type], headers: { ...headers, ...policy } },
    ...(cacheControl === "no-store" ? {} : { 304: { description: "The file has not changed.", headers } }),
  };
}

/**
 * The response with a file of a page: 304 for one that the browser revalidates and has. A 304 has the type of its file,
 * because the gateway adds another type to a response without one, and a cache may store it.
 */
function toFileResponse(
  file: PageFile,
  { cacheControl, ...others }: { readonly cacheControl: PageRoute[3] } & Partial<ReturnType<typeof languageHeaders>>,
  request: RequestMetadata,
): HttpResponse {
  const { type, etag } = file;
  const headers = { ...pageHeaders, "cache-control": cacheControl, "content-type": type, etag, ...others };
  if (cacheControl !== "no-store" && request.headers.get("if-none-match") === file.etag) {
    return new HttpResponse(null, { status: 304, headers });
  }
  return new HttpResponse(file.body, { headers });
}
