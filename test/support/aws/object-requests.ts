import { crc32 } from "node:zlib";
import type { HttpRequest, HttpResponse } from "#base/aws/lean/http-handler.ts";
import { elements, escapeXml, textOf } from "#base/aws/lean/xml.ts";

// S3 over the wire for a bucket in the process, which takes commands and gives their outputs.

interface Output {
  readonly Body?: { transformToByteArray(): Promise<Uint8Array> };
  readonly Contents?: readonly { readonly Key: string }[];
  readonly NextContinuationToken?: string;
}

/** The command of a request and its input. @throws Error for a request that no bucket in the process serves */
export function readObjectRequest({ method, hostname, path, body }: HttpRequest): { command: string; input: object } {
  const { pathname, searchParams } = new URL(path, `http://${hostname}`);
  // The bucket is the first part of the host.
  const [Bucket = ""] = hostname.split(".");
  const Key = decodeURIComponent(pathname.slice(1));
  const object = { Bucket, Key };
  if (method === "POST" && searchParams.has("delete")) {
    const Objects = elements(String(body), "Object").map((each) => ({ Key: textOf(each, "Key") }));
    return { command: "DeleteObjects", input: { Bucket, Delete: { Objects } } };
  }
  if (method === "GET" && searchParams.has("list-type")) {
    const after = searchParams.get("continuation-token");
    const page = { Prefix: searchParams.get("prefix") ?? "", ...(after === null ? {} : { ContinuationToken: after }) };
    return { command: "ListObjectsV2", input: { Bucket, ...page } };
  }
  if (method === "PUT") return { command: "PutObject", input: { ...object, Body: Buffer.from(body ?? "") } };
  if (method === "GET") return { command: "GetObject", input: object };
  if (method === "DELETE") return { command: "DeleteObject", input: object };
  throw new Error(`No bucket in the process serves ${method} ${path}.`);
}

export async function writeObjectResponse(command: string, output: Output): Promise<HttpResponse> {
  if (command === "GetObject") {
    const body = Buffer.from((await output.Body?.transformToByteArray()) ?? []);
    const sum = Buffer.alloc(4);
    sum.writeUInt32BE(crc32(body));
    const headers = { "content-length": String(body.length), "x-amz-checksum-crc32": sum.toString("base64") };
    return { statusCode: 200, headers, body };
  }
  return { statusCode: 200, headers: {}, body: Buffer.from(command === "ListObjectsV2" ? listing(output) : "") };
}

function listing({ Contents = [], NextContinuationToken: next }: Output): string {
  const contents = Contents.map(({ Key }) => `<Contents><Key>${escapeXml(Key)}</Key></Contents>`).join("");
  const token = next === undefined ? "" : `<NextContinuationToken>${escapeXml(next)}</NextContinuationToken>`;
  return `<ListBucketResult>${contents}<IsTruncated>${next !== undefined}</IsTruncated>${token}</ListBucketResult>`;
}
