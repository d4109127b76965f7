import type { S3Request } from "./http.ts";
import type { ObjectMetadata } from "./objects.ts";

export const META = "x-amz-meta-";
const STORED_HEADERS = [
  "content-type",
  "content-encoding",
  "content-disposition",
  "content-language",
  "cache-control",
  "expires",
];

/** The metadata that the headers of a write set. */
export function readMetadata(headers: S3Request["headers"]): ObjectMetadata {
  const all = Object.entries(headers);
  const storedHeaders = all
    .filter(([name]) => STORED_HEADERS.includes(name))
    .map(([name, value]) => [name, name === "content-encoding" ? withoutChunked(value) : value] as const);
  return {
    headers: Object.fromEntries(storedHeaders.filter(([, value]) => value !== "")),
    meta: Object.fromEntries(
      all.filter(([name]) => name.startsWith(META)).map(([name, value]) => [name.slice(META.length), value]),
    ),
  };
}

/** The response headers that a reader asks for instead of the stored ones: `response-content-type`, … */
export function readOverrides(query: URLSearchParams): Record<string, string> {
  const overrides = [...query].filter(([name]) => isOverride(name));
  return Object.fromEntries(overrides.map(([name, value]) => [name.slice("response-".length), value]));
}

export function isOverride(parameter: string): boolean {
  return STORED_HEADERS.some((name) => parameter === `response-${name}`);
}

/** `aws-chunked` describes the transfer, not the object. */
function withoutChunked(encoding: string): string {
  const parts = encoding.split(",").map((part) => part.trim());
  return parts.filter((part) => part !== "aws-chunked").join(",");
}
