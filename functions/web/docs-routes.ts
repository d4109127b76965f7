import * as z from "zod/mini";
import { refuse } from "#base/kernel/refusals.ts";
import { acceptsHtml } from "#http/browser/accepts-html.ts";
import { pageHeaders } from "#http/browser/page-files.ts";
import type { RequestMetadata } from "#http/endpoint.ts";
import { endpointsFor } from "#http/endpoints-for.ts";
import { HttpResponse } from "#http/http-response.ts";
import { fileAnswers, type ServedFile, toFileResponse } from "./served-file.ts";

/** What the documentation is served from. It gives access to nothing else. */
export interface DocsPorts {
  /** The OpenAPI document. */
  readonly document: ServedFile;
  /** The pages and their assets by path. */
  readonly pages: ReadonlyMap<string, ServedFile>;
  /** The page for a browser at an address that no page has. */
  readonly notFound: ServedFile;
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

const getDocument = endpoint.public({
  operation: "getOpenApiDocument",
  method: "GET",
  path: "/openapi.json",
  tag: "Documentation",
  summary: "Get the OpenAPI document",
  repeatedParameters: "as_empty",
  envelope: false,
  data: () => z.looseObject({ openapi: z.string() }),
  answers: fileAnswers([], { "access-control-allow-origin": "`*`: pages of any origin may read the document." }),
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
  description:
    "Each page is also Markdown, at its path with `.md`. For an unknown page, a browser gets a page that links to the others instead of the error.",
  repeatedParameters: "as_empty",
  envelope: false,
  answers: {
    ...fileAnswers(
      [
        "text/html",
        "text/markdown",
        "text/plain",
        "text/css",
        "text/javascript",
        "image/svg+xml",
        "image/png",
        "application/json",
      ],
      policy,
    ),
    404: { types: ["text/html"], headers: policy },
  },
  refusals: ["route_not_found"],
  handle: async ({ path, request, ports }) => toPageResponse(ports, `/docs/${path.page}`, request),
});

/** A text for programs that read the documentation, such as coding assistants. */
const textRoute = <const Path extends string>(operation: string, path: Path, type: string, summary: string) =>
  endpoint.public({
    operation,
    method: "GET",
    path,
    tag: "Documentation",
    summary,
    repeatedParameters: "as_empty",
    envelope: false,
    answers: fileAnswers([type], policy),
    refusals: ["route_not_found"],
    handle: async ({ request, ports }) => toPageResponse(ports, path, request),
  });

const getDocsMarkdown = textRoute(
  "getDocsMarkdown",
  "/docs.md",
  "text/markdown",
  "Get the start of the documentation as Markdown",
);
const getDocsList = textRoute("getDocsList", "/llms.txt", "text/plain", "Get the list of pages for language models");
const getDocsText = textRoute(
  "getDocsText",
  "/llms-full.txt",
  "text/plain",
  "Get the whole documentation as one Markdown text",
);

/** The OpenAPI document and the pages of the documentation. */
export const docsRoutes = [getDocument, getDocs, getDocsMarkdown, getDocsPage, getDocsList, getDocsText] as const;

function toPageResponse(ports: DocsPorts, path: string, request: RequestMetadata) {
  const file = ports.pages.get(path);
  if (file) return toFileResponse(file, docsPageHeaders, request);
  return acceptsHtml(request.headers) ? toNotFoundResponse(ports.notFound) : refuse("route_not_found");
}

function toNotFoundResponse(notFound: ServedFile): HttpResponse {
  return new HttpResponse(Uint8Array.from(notFound.body("identity")), {
    status: 404,
    headers: { ...pageHeaders, "cache-control": "no-store", "content-type": notFound.type },
  });
}
