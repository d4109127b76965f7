import { notEmulated, S3Error } from "./errors.ts";
import { emptyResponse, type S3Request, type S3Response, xmlResponse } from "./http.ts";
import type { ObjectMetadata, ObjectStore, StoredObject } from "./objects.ts";
import { escapeXml } from "./xml.ts";

const META = "x-amz-meta-";
const STORED_HEADERS = [
  "content-type",
  "content-encoding",
  "content-disposition",
  "content-language",
  "cache-control",
  "expires",
];
/** `x-id` repeats the name of the operation and has no effect. */
const IGNORED_QUERY = ["x-id"];

/** Handles a request for one object. */
export function handleObjectRequest(store: ObjectStore, request: S3Request): S3Response {
  const unsupported = [...request.query.keys()].find((name) => !IGNORED_QUERY.includes(name));
  if (unsupported !== undefined) throw notEmulated(`${request.method} of an object with ?${unsupported}`);
  switch (request.method) {
    case "PUT":
      return request.headers["x-amz-copy-source"] ? copyObject(store, request) : putObject(store, request);
    case "GET":
    case "HEAD":
      return getObject(store, request);
    case "DELETE":
      store.delete(request.bucket, [request.key]);
      return emptyResponse(204);
    default:
      throw notEmulated(`${request.method} of an object`);
  }
}

function putObject(store: ObjectStore, request: S3Request): S3Response {
  checkWrite(store.find(request.bucket, request.key), request.headers);
  const object = store.put(request.bucket, request.key, request.body, readMetadata(request.headers));
  return emptyResponse(200, { etag: object.etag });
}

function copyObject(store: ObjectStore, request: S3Request): S3Response {
  const [, bucket = "", key = ""] =
    /^\/?([^/]+)\/(.+)$/.exec(decodeURIComponent(request.headers["x-amz-copy-source"] ?? "")) ?? [];
  const source = store.get(bucket, key);
  const metadata = request.headers["x-amz-metadata-directive"] === "REPLACE" ? readMetadata(request.headers) : source;
  const copy = store.put(request.bucket, request.key, store.read(source), metadata);
  return xmlResponse(
    200,
    `<CopyObjectResult><ETag>${escapeXml(copy.etag)}</ETag><LastModified>${new Date(copy.at).toISOString()}</LastModified></CopyObjectResult>`,
  );
}

function getObject(store: ObjectStore, { method, bucket, key, headers }: S3Request): S3Response {
  const object = store.get(bucket, key);
  const responseHeaders = {
    "content-type": "binary/octet-stream",
    ...object.headers,
    ...Object.fromEntries(Object.entries(object.meta).map(([name, value]) => [META + name, value])),
    etag: object.etag,
    "last-modified": new Date(object.at).toUTCString(),
    "accept-ranges": "bytes",
  };
  if (headers["if-match"] !== undefined && !matchesEtag(headers["if-match"], object)) throw preconditionFailed();
  if (headers["if-none-match"] !== undefined && matchesEtag(headers["if-none-match"], object))
    return emptyResponse(304, responseHeaders);
  const range = parseRange(headers.range, object.size);
  const length = range ? range.to - range.from + 1 : object.size;
  const ranged = range ? { "content-range": `bytes ${range.from}-${range.to}/${object.size}` } : {};
  return {
    status: range ? 206 : 200,
    headers: { ...responseHeaders, ...ranged, "content-length": String(length) },
    body: method === "HEAD" ? null : store.read(object, range),
  };
}

/** Both ends are inclusive. Undefined means the whole object, also if the header names several ranges. */
function parseRange(header: string | undefined, size: number): { from: number; to: number } | undefined {
  const [, first, last] = /^bytes=(\d*)-(\d*)$/.exec(header ?? "") ?? [];
  if (!first && !last) return undefined;
  const from = first ? Number(first) : Math.max(0, size - Number(last));
  const to = first && last ? Math.min(Number(last), size - 1) : size - 1;
  if (from > to) throw new S3Error("InvalidRange", 416, "The requested range is not satisfiable.");
  return { from, to };
}

/** Write conditions: `If-None-Match: *` requires a new key, `If-Match` an unchanged object. */
function checkWrite(existing: StoredObject | undefined, headers: S3Request["headers"]): void {
  if (headers["if-none-match"] === "*" && existing) throw preconditionFailed();
  const match = headers["if-match"];
  if (match !== undefined && !(existing && matchesEtag(match, existing))) throw preconditionFailed();
}

function matchesEtag(condition: string, object: StoredObject): boolean {
  const bare = (etag: string): string => etag.trim().replace(/^"|"$/g, "");
  return condition.split(",").some((one) => one.trim() === "*" || bare(one) === bare(object.etag));
}

function preconditionFailed(): S3Error {
  return new S3Error("PreconditionFailed", 412, "At least one of the pre-conditions you specified did not hold.");
}

function readMetadata(headers: S3Request["headers"]): ObjectMetadata {
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

/** `aws-chunked` describes the transfer, not the object. */
function withoutChunked(encoding: string): string {
  const parts = encoding.split(",").map((part) => part.trim());
  return parts.filter((part) => part !== "aws-chunked").join(",");
}
