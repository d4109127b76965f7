import { type ContentCoding, chooseCoding } from "#http/content-coding.ts";
import type { Answers, RequestMetadata } from "#http/endpoint.ts";
import { HttpResponse } from "#http/http-response.ts";

/** A file beside the code of the function. */
export interface ServedFile {
  /** Its media type. */
  readonly type: string;
  /** False for a file that is compressed already, such as a font. It has one body, "identity". */
  readonly compressible: boolean;
  /** The same for every coding of the same content. */
  etag(): string;
  body(coding: ContentCoding): Uint8Array;
}

/** A file, and the response to a client that has it. */
export function fileAnswers(types: readonly string[], ownHeaders: Readonly<Record<string, string>>): Answers {
  const headers = { etag: "The version of the file.", "cache-control": "How long a copy may be used.", ...ownHeaders };
  return { 200: { types, headers }, 304: { description: "The file has not changed.", headers } };
}

/** The response with a file in a coding that the request accepts: 304 for a client that has the file. */
export function toFileResponse(
  file: ServedFile,
  fileHeaders: Readonly<Record<string, string>>,
  { headers }: RequestMetadata,
): HttpResponse {
  const coding = file.compressible ? chooseCoding(headers.get("accept-encoding") ?? "") : "identity";
  const etag = file.etag();
  const vary = file.compressible ? { vary: "accept-encoding" } : {};
  // A 304 has the type, too: the gateway adds another one to a response without one, and a cache may store it.
  const common = { ...fileHeaders, "content-type": file.type, etag, ...vary };
  if (hasTag(headers.get("if-none-match") ?? "", etag)) return new HttpResponse(null, { status: 304, headers: common });
  const encoding = coding === "identity" ? {} : { "content-encoding": coding };
  return new HttpResponse(Uint8Array.from(file.body(coding)), { headers: { ...common, ...encoding } });
}

/** A browser sends one tag. Of a longer header the rest does not count. */
const TAGS_CHARS_READ = 1_000;

/** The weak comparison of RFC 9110, 13.1.2. */
function hasTag(ifNoneMatch: string, etag: string): boolean {
  const opaque = (tag: string) => tag.trim().replace(/^W\//, "");
  const tags = ifNoneMatch.slice(0, TAGS_CHARS_READ).split(",");
  return tags.some((tag) => opaque(tag) === "*" || opaque(tag) === opaque(etag));
}
