import { zlib } from "../../kernel/node/zlib.ts";
import {
  type Call,
  type ClientOptions,
  commandClass,
  type Endpoint,
  LeanClient,
  type Protocol,
  type WireRequest,
} from "./client.ts";
import { dnsSuffix } from "./endpoints.ts";
import { exceptionClass, ServiceException } from "./exceptions.ts";
import type { HttpResponse } from "./http-handler.ts";
import { encodeRfc3986 } from "./signature.ts";
import { elements, escapeXml, textOf } from "./xml.ts";

interface Input {
  readonly Bucket: string;
  readonly Key?: string;
  readonly Body?: string | Uint8Array;
  readonly ContentType?: string;
  readonly Range?: string;
  readonly IfMatch?: string;
  readonly CopySource?: string;
  readonly CopySourceIfMatch?: string;
  readonly MetadataDirective?: string;
  readonly Prefix?: string;
  readonly ContinuationToken?: string;
  readonly Delete?: { readonly Objects: readonly { readonly Key: string }[]; readonly Quiet?: boolean };
}

type Part = Pick<WireRequest, "method"> & {
  readonly query?: WireRequest["query"];
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly body?: string | Uint8Array | undefined;
};

interface Operation {
  encode(input: Input): Part;
  decode(response: HttpResponse): object;
}

const NAMESPACE = "http://s3.amazonaws.com/doc/2006-03-01/";

const operations: Readonly<Record<string, Operation>> = {
  PutObject: {
    encode: ({ Body, ContentType = "application/octet-stream" }) => ({
      method: "PUT",
      headers: { "content-type": ContentType, ...checksum(Body ?? "") },
      body: Body,
    }),
    decode: ({ headers }) => ({ ETag: headers.etag }),
  },
  GetObject: {
    encode: ({ Range, IfMatch }) => ({
      method: "GET",
      headers: { range: Range, "if-match": IfMatch, "x-amz-checksum-mode": "ENABLED" },
    }),
    decode(response) {
      requireChecksum(response);
      const { body } = response;
      return {
        ...describeObject(response),
        Body: {
          transformToByteArray: async () => new Uint8Array(body),
          transformToString: async () => body.toString(),
        },
      };
    },
  },
  HeadObject: {
    encode: ({ IfMatch }) => ({ method: "HEAD", headers: { "if-match": IfMatch } }),
    decode: describeObject,
  },
  DeleteObject: { encode: () => ({ method: "DELETE" }), decode: () => ({}) },
  CopyObject: {
    encode: ({ CopySource, CopySourceIfMatch, MetadataDirective, ContentType }) => ({
      method: "PUT",
      headers: {
        "x-amz-copy-source": CopySource,
        "x-amz-copy-source-if-match": CopySourceIfMatch,
        "x-amz-metadata-directive": MetadataDirective,
        "content-type": ContentType,
      },
    }),
    decode(response) {
      const text = response.body.toString();
      // S3 answers before it has copied, so an error may come after the status.
      if (!text.includes("<CopyObjectResult")) {
        const $metadata = { httpStatusCode: 500 };
        throw new ServiceException({ name: "InternalError", ...decodeError(response), $fault: "server", $metadata });
      }
      return { CopyObjectResult: { ETag: textOf(text, "ETag") } };
    },
  },
  ListObjectsV2: {
    encode: ({ Prefix, ContinuationToken }) => ({
      method: "GET",
      query: present({ "list-type": "2", prefix: Prefix, "continuation-token": ContinuationToken }),
    }),
    decode({ body }) {
      const text = body.toString();
      const contents = elements(text, "Contents").map((each) => ({ Key: textOf(each, "Key") }));
      const next = textOf(text, "NextContinuationToken");
      return {
        IsTruncated: textOf(text, "IsTruncated") === "true",
        ...(contents.length > 0 ? { Contents: contents } : {}),
        ...(next === undefined ? {} : { NextContinuationToken: next }),
      };
    },
  },
  DeleteObjects: {
    encode({ Delete: { Objects = [], Quiet = false } = { Objects: [] } }) {
      const objects = Objects.map(({ Key }) => `<Object><Key>${escapeXml(Key)}</Key></Object>`).join("");
      const body = `<?xml version="1.0" encoding="UTF-8"?><Delete xmlns="${NAMESPACE}">${objects}<Quiet>${Quiet}</Quiet></Delete>`;
      return {
        method: "POST",
        query: { delete: "" },
        headers: { "content-type": "application/xml", ...checksum(body) },
        body,
      };
    },
    decode({ body }) {
      const errors = elements(body.toString(), "Error").map((each) => ({
        Key: textOf(each, "Key"),
        Code: textOf(each, "Code"),
      }));
      return errors.length > 0 ? { Errors: errors } : {};
    },
  },
};

const protocol: Protocol = {
  service: "s3",
  clientName: "S3Client",
  encode(call, endpoint) {
    const input = call.input as Input;
    const { method, query, headers = {}, body } = operationOf(call).encode(input);
    return {
      method,
      ...objectUrl(input, endpoint),
      ...(query ? { query } : {}),
      headers: present(headers),
      ...(body === undefined ? {} : { body }),
    };
  },
  decode: (call, response) => operationOf(call).decode(response),
  decodeError,
};

function operationOf({ operation }: Call): Operation {
  const description = operations[operation];
  if (!description) throw new Error(`The lean client of S3 does not know ${operation}. Add it to lean/s3.ts.`);
  return description;
}

/** A bucket has a host of its own, unless it is an emulator's, or its name has a dot, for which no certificate is. */
export function objectUrl(
  { Bucket, Key = "" }: Pick<Input, "Bucket" | "Key">,
  { url, region, forcePathStyle }: Endpoint,
) {
  const { protocol = "https:", host = `s3.${region}.${dnsSuffix(region)}` } = url ?? {};
  const path = Key.split("/").map(encodeRfc3986).join("/");
  if (forcePathStyle || Bucket.includes(".")) return { origin: `${protocol}//${host}`, path: `/${Bucket}/${path}` };
  return { origin: `${protocol}//${Bucket}.${host}`, path: `/${path}` };
}

function checksum(body: string | Uint8Array): Record<string, string> {
  return { "x-amz-sdk-checksum-algorithm": "CRC32", "x-amz-checksum-crc32": crc32Base64(body) };
}

/** Only of whole objects: that of a range would be of the whole, and one of parts ends with their number. */
function requireChecksum({ statusCode, headers, body }: HttpResponse): void {
  const expected = headers["x-amz-checksum-crc32"];
  if (statusCode !== 200 || typeof expected !== "string" || expected.includes("-")) return;
  if (expected !== crc32Base64(body)) {
    throw Object.assign(new Error("The object is not the one that was stored."), { name: "TimeoutError" });
  }
}

function crc32Base64(body: string | Uint8Array): string {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(zlib().crc32(body));
  return bytes.toString("base64");
}

function describeObject({ headers }: HttpResponse): object {
  const { etag, "content-length": length, "content-type": type } = headers;
  return present({ ETag: etag, ContentLength: length === undefined ? undefined : Number(length), ContentType: type });
}

function decodeError({ statusCode, body }: HttpResponse): Readonly<Record<string, unknown>> {
  const text = body.toString();
  // The answer to HEAD has no body.
  const Code = textOf(text, "Code");
  const name = Code ?? (statusCode === 404 ? "NotFound" : "Unknown");
  return { name, Code, message: textOf(text, "Message") ?? "UnknownError" };
}

function present<T>(fields: Readonly<Record<string, T | undefined>>): Record<string, T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Record<string, T>;
}

/** Instead of `S3Client` of @aws-sdk/client-s3. */
export class S3Client extends LeanClient {
  constructor(options?: ClientOptions) {
    super(protocol, options);
  }
}

export class PutObjectCommand extends commandClass("PutObject") {}
export class GetObjectCommand extends commandClass("GetObject") {}
export class HeadObjectCommand extends commandClass("HeadObject") {}
export class DeleteObjectCommand extends commandClass("DeleteObject") {}
export class DeleteObjectsCommand extends commandClass("DeleteObjects") {}
export class CopyObjectCommand extends commandClass("CopyObject") {}
export class ListObjectsV2Command extends commandClass("ListObjectsV2") {}

export const NoSuchKey = exceptionClass("NoSuchKey");
export const S3ServiceException = ServiceException;
