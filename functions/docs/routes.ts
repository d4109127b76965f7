import * as z from "zod/mini";
import { refuse } from "#base/kernel/refusals.ts";
import { acceptsHtml } from "#http/browser/accepts-html.ts";
import { pageHeaders } from "#http/browser/page-files.ts";
import { type ContentCoding, chooseCoding } from "#http/content-coding.ts";
import type { Answers, RequestMetadata } from "#http/endpoint.ts";
import { endpointsFor } from "#http/endpoints-for.ts";

/** A file of the documentation. */
export interface DocsFile {
  /** Its media type. */
  readonly type: string;
  /** The same for every coding of the same content. */
  etag(): string;
  body(coding: ContentCoding): Uint8Array;
}

/** What the documentation is served from. It gives access to nothing else. */
export interface DocsPorts {
  /** The OpenAPI document. */
  readonly document: DocsFile;
  /** The pages and their assets by path. */
  readonly pages: ReadonlyMap<string, DocsFile>;
  /** The page for a browser at an address that no page has. */
  readonly notFound: DocsFile;
}

const endpoint = endpointsFor<DocsPorts>();

/** Programs of any origin read the document. A copy may be five minutes old. */
const documentHeaders = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers": "etag, x-correlation-id",
  "cache-control": "public, max-age=300",
  "cross-origin-resource-policy": "cross-origin",
  "x-content-type-options": "nosniff",
} as const;

/** Every page is revalidated, so that all pages and assets that a browser shows are of the same build. */
const docsPageHeaders = { ...pageHeaders, "cache-control": "no-cache" } as const;

const policy = { "content-security-policy": "What a page may load: files of its own origin." };

/** A file, and the response to a client that has it. */
function fileAnswers(types: readonly string[], ownHeaders: Readonly<Record<string, string>>): Answers {
  const headers = { etag: "The version of the file.", "cache-control": "How long a copy may be used.", ...ownHeaders };
  return { 200: { types, headers }, 304: { description: "The file has not changed.", headers } };
}

const getDocument = endpoint.public({
  operation: "getOpenApiDocument",
  method: "GET",
  path: "/openapi.json",
  tag: "Documentation",
  summary: "Get the OpenAPI document",
  description: "Any page may read it. A query changes nothing.",
  repeatedParameters: "as_empty",
  envelope: false,
  data: z.looseObject({ openapi: z.string() }),
  answers: fileAnswers([], { "access-control-allow-origin": "`*`" }),
  handle: async ({ request, ports }) => toFileResponse(ports.document, documentHeaders, request),
});

const getDocs = endpoint.public({
  operation: "getDocs",
  method: "GET",
  path: "/docs",
  tag: "Documentation",
  summary: "Get the first page of the documentation",
  repeatedParameters: "as_empty",
  envelope: false,
  answers: fileAnswers(["text/html"], policy),
  refusals: ["route_not_found"],
  handle: async ({ request, ports }) => toPageResponse(ports, "/docs", request),
});

const getDocsPage = endpoint.public({
  operation: "getDocsPage",
  method: "GET",
  path: "/docs/{page}",
  slashInId: true,
  tag: "Documentation",
  summary: "Get a page of the documentation, its style sheet or its script",
  description: "For an unknown page, a browser gets a page that links to the others instead of the error.",
  repeatedParameters: "as_empty",
  envelope: false,
  answers: {
    ...fileAnswers(["text/html", "text/css", "text/javascript", "image/svg+xml", "application/json"], policy),
    404: { types: ["text/html"], headers: policy },
  },
  refusals: ["route_not_found"],
  handle: async ({ path, request, ports }) => toPageResponse(ports, `/docs/${path.page}`, request),
});

/** Every route of the Docs function. */
export const docsRoutes = [getDocument, getDocs, getDocsPage] as const;

function toPageResponse(ports: DocsPorts, path: string, request: RequestMetadata) {
  const file = ports.pages.get(path);
  if (file) return toFileResponse(file, docsPageHeaders, request);
  return acceptsHtml(request.headers) ? toNotFoundResponse(ports.notFound) : refuse("route_not_found");
}

function toNotFoundResponse(notFound: DocsFile): Response {
  return new Response(Uint8Array.from(notFound.body("identity")), {
    status: 404,
    headers: { ...pageHeaders, "cache-control": "no-store", "content-type": notFound.type },
  });
}

function toFileResponse(
  file: DocsFile,
  fileHeaders: Readonly<Record<string, string>>,
  { headers }: RequestMetadata,
): Response {
  const coding = chooseCoding(headers.get("accept-encoding") ?? "");
  const etag = file.etag();
  // A 304 has the type, too: the gateway adds another one to a response without one, and a cache may store it.
  const common = { ...fileHeaders, "content-type": file.type, etag, vary: "accept-encoding" };
  if (hasTag(headers.get("if-none-match") ?? "", etag)) return new Response(null, { status: 304, headers: common });
  const encoding = coding === "identity" ? {} : { "content-encoding": coding };
  return new Response(Uint8Array.from(file.body(coding)), { headers: { ...common, ...encoding } });
}

/** A browser sends one tag. Of a longer header the rest does not count. */
const TAGS_CHARS_READ = 1_000;

/** The weak comparison of RFC 9110, 13.1.2. */
function hasTag(ifNoneMatch: string, etag: string): boolean {
  const opaque = (tag: string) => tag.trim().replace(/^W\//, "");
  const tags = ifNoneMatch.slice(0, TAGS_CHARS_READ).split(",");
  return tags.some((tag) => opaque(tag) === "*" || opaque(tag) === opaque(etag));
}
