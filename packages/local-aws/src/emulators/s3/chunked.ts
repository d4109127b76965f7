import { S3Error } from "./errors.ts";

/** True for a body in the `aws-chunked` encoding, which the SDK uses for streams and for trailing checksums. */
export function isChunked(headers: Readonly<Record<string, string>>): boolean {
  return (
    (headers["content-encoding"] ?? "").split(",").some((encoding) => encoding.trim() === "aws-chunked") ||
    (headers["x-amz-content-sha256"] ?? "").startsWith("STREAMING-")
  );
}

/**
 * Decodes an `aws-chunked` body: `<hex length>[;signature]\r\n<bytes>\r\n` until a length of 0. Trailers are
 * ignored. Throws IncompleteBody if the body is truncated or does not match `x-amz-decoded-content-length`.
 */
export function decodeChunked(body: Buffer, headers: Readonly<Record<string, string>>): Buffer {
  const chunks: Buffer[] = [];
  for (let at = 0; ; ) {
    const lineEnd = body.indexOf("\r\n", at);
    const [digits = ""] = body.subarray(at, Math.max(lineEnd, at)).toString().split(";");
    const length = /^[0-9a-f]+$/i.test(digits) ? Number.parseInt(digits, 16) : Number.NaN;
    const start = lineEnd + 2;
    if (Number.isNaN(length) || start + length > body.length) throw incompleteBody();
    if (length === 0) break;
    chunks.push(body.subarray(start, start + length));
    at = start + length + 2;
  }
  const content = Buffer.concat(chunks);
  const declaredLength = headers["x-amz-decoded-content-length"];
  if (declaredLength !== undefined && Number(declaredLength) !== content.length) throw incompleteBody();
  return content;
}

function incompleteBody(): S3Error {
  return new S3Error("IncompleteBody", 400, "The length of the body does not match the headers.");
}
