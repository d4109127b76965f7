import { checkRead, checkWrite } from "./conditions.ts";
import { copyObject } from "./copy-object.ts";
import { notEmulated, S3Error } from "./errors.ts";
import { emptyResponse, type S3Request, type S3Response } from "./http.ts";
import { isOverride, META, readMetadata, readOverrides } from "./metadata.ts";
import type { ObjectStore } from "./objects.ts";

/** `x-id` repeats the name of the operation and has no effect. */
const IGNORED_QUERY = ["x-id"];
const READS = ["GET", "HEAD"];

/** Handles a request for one object. */
export function handleObjectRequest(store: ObjectStore, request: S3Request): S3Response {
  const { method, query } = request;
  const isSupported = (name: string) => IGNORED_QUERY.includes(name) || (READS.includes(method) && isOverride(name));
  const unsupported = [...query.keys()].find((name) => !isSupported(name));
  if (unsupported !== undefined) throw notEmulated(`${method} of an object with ?${unsupported}`);
  switch (method) {
    case "PUT":
      return request.headers["x-amz-copy-source"] ? copyObject(store, request) : putObject(store, request);
    case "GET":
    case "HEAD":
      return getObject(store, request);
    case "DELETE":
      store.delete(request.bucket, [request.key]);
      return emptyResponse(204);
    default:
      throw notEmulated(`${method} of an object`);
  }
}

function putObject(store: ObjectStore, request: S3Request): S3Response {
  checkWrite(store.find(request.bucket, request.key), request.headers);
  const object = store.put(request.bucket, request.key, request.body, readMetadata(request.headers));
  return emptyResponse(200, { etag: object.etag });
}

function getObject(store: ObjectStore, { method, bucket, key, headers, query }: S3Request): S3Response {
  const object = store.get(bucket, key);
  const responseHeaders = {
    "content-type": "binary/octet-stream",
    ...object.headers,
    ...readOverrides(query),
    ...Object.fromEntries(Object.entries(object.meta).map(([name, value]) => [META + name, value])),
    etag: object.etag,
    "last-modified": new Date(object.at).toUTCString(),
    "accept-ranges": "bytes",
  };
  if (checkRead(object, headers)) return emptyResponse(304, responseHeaders);
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
