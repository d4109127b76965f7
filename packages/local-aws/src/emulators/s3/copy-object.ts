import { checkCopySource, checkWrite } from "./conditions.ts";
import { notEmulated, S3Error } from "./errors.ts";
import { type S3Request, type S3Response, xmlResponse } from "./http.ts";
import { readMetadata } from "./metadata.ts";
import type { ObjectStore } from "./objects.ts";
import { escapeXml } from "./xml.ts";

/** The headers of a copy that are acted on. Any other of S3 would change the copy or its condition. */
const KNOWN_HEADERS = new Set([
  "x-amz-copy-source",
  "x-amz-copy-source-if-match",
  "x-amz-copy-source-if-none-match",
  "x-amz-metadata-directive",
  // Of every signed request.
  "x-amz-content-sha256",
  "x-amz-date",
  "x-amz-user-agent",
  "x-amz-security-token",
]);

/** Copies an object, also from another bucket. The bytes and their ETag stay the same. */
export function copyObject(store: ObjectStore, { bucket, key, headers }: S3Request): S3Response {
  const unknown = Object.keys(headers).find((name) => /^x-amz-(?!meta-)/.test(name) && !KNOWN_HEADERS.has(name));
  if (unknown !== undefined) throw notEmulated(`${unknown} of a copy`);
  const from = parseSource(headers["x-amz-copy-source"] ?? "");
  const source = store.get(from.bucket, from.key);
  checkCopySource(source, headers);
  checkWrite(store.find(bucket, key), headers);
  const replaces = replacesMetadata(headers["x-amz-metadata-directive"]);
  if (!replaces && from.bucket === bucket && from.key === key) {
    throw new S3Error(
      "InvalidRequest",
      400,
      "This copy request is illegal because it is trying to copy an object to itself without changing its metadata.",
    );
  }
  const copy = store.put(bucket, key, store.read(source), replaces ? readMetadata(headers) : source);
  return xmlResponse(
    200,
    `<CopyObjectResult><ETag>${escapeXml(copy.etag)}</ETag><LastModified>${new Date(copy.at).toISOString()}</LastModified></CopyObjectResult>`,
  );
}

function parseSource(header: string): { bucket: string; key: string } {
  const [path = "", version] = header.split("?");
  if (version !== undefined) throw notEmulated("A version of the source of a copy");
  const [, bucket, key] = /^\/?([^/]+)\/(.+)$/s.exec(decodeSource(path)) ?? [];
  if (bucket === undefined || key === undefined) throw invalidSource();
  return { bucket, key };
}

function decodeSource(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    throw invalidSource();
  }
}

function invalidSource(): S3Error {
  const message = "Copy Source must mention the source bucket and key: sourcebucket/sourcekey";
  return new S3Error("InvalidArgument", 400, message);
}

function replacesMetadata(directive = "COPY"): boolean {
  if (directive !== "COPY" && directive !== "REPLACE") {
    throw new S3Error("InvalidArgument", 400, "Unknown metadata directive.");
  }
  return directive === "REPLACE";
}
