import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import type { APIGatewayProxyStructuredResultV2 } from "aws-lambda";

/** Below this, compressing costs more than it saves. */
const COMPRESSED_FROM_BYTES = 1024;

/** The response as the gateway takes it: text as text, all else as base64, cookies apart from the headers. */
export async function toLambdaResult(
  response: Response,
  acceptEncoding: string,
): Promise<APIGatewayProxyStructuredResultV2> {
  const headers = new Headers(response.headers);
  headers.delete("set-cookie");
  const cookies = response.headers.getSetCookie();
  const body = compressBody(Buffer.from(await response.arrayBuffer()), headers, acceptEncoding);
  const text = !headers.has("content-encoding") && isText(headers.get("content-type") ?? "");
  return {
    statusCode: response.status,
    headers: Object.fromEntries(headers),
    ...(cookies.length === 0 ? {} : { cookies }),
    body: body.toString(text ? "utf8" : "base64"),
    isBase64Encoded: !text && body.byteLength > 0,
  };
}

// Quality 1 of brotli: smaller than gzip and, at these sizes, faster. Sets the headers that tell of it.
function compressBody(body: Buffer, headers: Headers, acceptEncoding: string): Buffer {
  const json = /^application\/(\S+\+)?json\b/.test(headers.get("content-type") ?? "");
  if (!json || headers.has("content-encoding") || body.byteLength <= COMPRESSED_FROM_BYTES) return body;
  headers.append("vary", "accept-encoding");
  if (acceptsCoding(acceptEncoding, "br")) {
    headers.set("content-encoding", "br");
    return brotliCompressSync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } });
  }
  if (acceptsCoding(acceptEncoding, "gzip")) {
    headers.set("content-encoding", "gzip");
    return gzipSync(body);
  }
  return body;
}

function acceptsCoding(acceptEncoding: string, coding: string): boolean {
  return acceptEncoding.split(",").some((part) => {
    const [name = "", ...parameters] = part.split(";").map((piece) => piece.trim().toLowerCase());
    return name === coding && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
  });
}

function isText(contentType: string): boolean {
  return /^(text\/|application\/(\S+\+)?(json|xml|javascript)\b|image\/svg\+xml\b)/.test(contentType);
}
