import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from "aws-lambda";
import { errorClass } from "#base/kernel/error-class.ts";
import { newUlid } from "#base/kernel/ids.ts";
import { zlib } from "#base/kernel/node/zlib.ts";
import { refuse } from "#base/kernel/refusals.ts";
import { clockNow, type Millis } from "#base/kernel/time.ts";
import type { App, AppResponse, Edge, LogFault } from "./app.ts";
import { clientAddress, type ReadOriginSecrets } from "./client-address.ts";
import { chooseCoding } from "./content-coding.ts";
import { HeaderMap } from "./header-map.ts";
import type { RawRequest } from "./raw-request.ts";
import { failure, withCommonHeaders } from "./serve.ts";

/** Reserved before the function's own timeout for sending the response. */
const RESPONSE_MARGIN: Millis = 500;

/** Replaces the host that the caller sent: nothing behind the gateway may depend on it. */
const ORIGIN = "http://gateway";

/** Smaller JSON bodies are not worth compressing. */
const COMPRESSED_FROM_BYTES = 1024;

interface Invocation {
  getRemainingTimeInMillis(): number;
}

export type HttpHandler = (
  event: APIGatewayProxyEventV2,
  context: Invocation,
) => Promise<APIGatewayProxyStructuredResultV2>;

/**
 * Serves an HTTP API with payload format 2.0. It never throws and never runs into the function's timeout: half a second
 * before it, the response is the 500 envelope. `log` gets a line when an event is unreadable.
 * @param readOriginSecrets of what is in front of the gateway and forwards the address of the client. Null: nothing is
 */
export function lambdaHandler(
  app: Pick<App, "fetch" | "docsUrl">,
  log: LogFault,
  readOriginSecrets: ReadOriginSecrets | null = null,
): HttpHandler {
  return async (event, context) => {
    const acceptEncoding = event.headers?.["accept-encoding"] ?? "";
    try {
      const sourceIp = await clientAddress(event, readOriginSecrets);
      const edge = toEdge(event, sourceIp, context.getRemainingTimeInMillis() - RESPONSE_MARGIN);
      return onlyOverHttps(event, await toLambdaResult(await app.fetch(toRequest(event, edge), edge), acceptEncoding));
    } catch (error) {
      const correlationId = event.requestContext?.requestId ?? newUlid(clockNow());
      log({ event: "request.failed", operation: "unknown", correlation_id: correlationId, error: errorClass(error) });
      const response = withCommonHeaders(failure(refuse("internal_error"), app.docsUrl), correlationId);
      return onlyOverHttps(event, await toLambdaResult(response, acceptEncoding));
    }
  };
}

/** Two years. A host below that of the API may be another service, so it is not included. */
const HTTPS_ONLY = "max-age=63072000";

/** Has browsers call the host only over https. The gateway of the local stack has http, and browsers ignore it there. */
function onlyOverHttps(
  event: APIGatewayProxyEventV2,
  result: APIGatewayProxyStructuredResultV2,
): APIGatewayProxyStructuredResultV2 {
  if (event.headers?.["x-forwarded-proto"] !== "https") return result;
  return { ...result, headers: { ...result.headers, "strict-transport-security": HTTPS_ONLY } };
}

function toEdge(event: APIGatewayProxyEventV2, sourceIp: string, remaining: Millis): Required<Edge> {
  return { path: encodePath(event.rawPath), requestId: event.requestContext.requestId, sourceIp, remaining };
}

// HTTP APIs pass the decoded path, in which the `#` of an id would start a fragment. Encoding each segment again makes
// it one parameter. A `/` inside an id is indistinguishable from a separator: only routes with `slashInId` take it.
function encodePath(rawPath: string): string {
  const segments = rawPath.toWellFormed().split("/").map(encodeURIComponent);
  return rawPath.startsWith("/") ? segments.join("/") : `/${segments.join("/")}`;
}

function toRequest(event: APIGatewayProxyEventV2, edge: Required<Edge>): RawRequest {
  const method = routableMethod(event.requestContext.http.method);
  const query = event.rawQueryString.replaceAll("#", "%23");
  const { href: url } = new URL(`${ORIGIN}${edge.path}${query === "" ? "" : `?${query}`}`);
  const hasNoBody = event.body === undefined || method === "GET" || method === "HEAD";
  const body = hasNoBody ? null : [Buffer.from(event.body ?? "", event.isBase64Encoded ? "base64" : "utf8")];
  return { method, url, headers: toHeaders(event), body };
}

// No route has the three methods that the fetch standard forbids, or what is no token. OPTIONS stands for them, because no
// route has that either: the router answers 405 with Allow.
function routableMethod(method: string): string {
  return /^(?!(CONNECT|TRACE|TRACK)$)[\w!#$%&'*+.^`|~-]+$/i.test(method) ? method : "OPTIONS";
}

// The gateway joins a repeated header with commas and takes the cookies out of the headers.
function toHeaders(event: APIGatewayProxyEventV2): HeaderMap {
  const headers = new HeaderMap();
  for (const [name, value] of Object.entries(event.headers ?? {})) {
    // An invalid value is altered, not omitted: without it, an invalid credential would look like a missing one.
    if (value !== undefined) headers.set(name, toHeaderValue(value));
  }
  if (event.cookies?.length) headers.set("cookie", toHeaderValue(event.cookies.join("; ")));
  return headers;
}

function toHeaderValue(text: string): string {
  let [start, end] = [0, text.length];
  // Blanks around a value are no part of it.
  while (start < end && isBlank(text.charCodeAt(start))) start += 1;
  while (start < end && isBlank(text.charCodeAt(end - 1))) end -= 1;
  const bytes = Buffer.alloc(end - start);
  for (let index = 0; index < bytes.length; index++) {
    const code = text.charCodeAt(start + index);
    bytes[index] = isHeaderCode(code) ? code : QUESTION_MARK;
  }
  return bytes.toString("latin1");
}

const [TAB, SPACE, QUESTION_MARK, DELETE, LAST_LATIN1] = [0x09, 0x20, 0x3f, 0x7f, 0xff];

function isBlank(code: number): boolean {
  return code === SPACE || code === TAB;
}

function isHeaderCode(code: number): boolean {
  return code === TAB || (code >= SPACE && code <= LAST_LATIN1 && code !== DELETE);
}

/** The response in the gateway's format: text as text, everything else as base64, cookies apart from the headers. */
async function toLambdaResult(
  response: AppResponse,
  acceptEncoding: string,
): Promise<APIGatewayProxyStructuredResultV2> {
  const headers = new HeaderMap(response.headers);
  headers.delete("set-cookie");
  const cookies = response.headers.getSetCookie();
  const body = compressBody(Buffer.from(await response.bytes()), headers, acceptEncoding);
  const text = !headers.has("content-encoding") && isText(headers.get("content-type") ?? "");
  return {
    statusCode: response.status,
    headers: Object.fromEntries(headers),
    ...(cookies.length === 0 ? {} : { cookies }),
    body: body.toString(text ? "utf8" : "base64"),
    isBase64Encoded: !text && body.byteLength > 0,
  };
}

// Brotli at quality 1 is smaller than gzip and, at these sizes, faster. Also sets the response headers. A route that chose
// the coding itself has named it in Vary.
function compressBody(body: Buffer, headers: HeaderMap, acceptEncoding: string): Buffer {
  const json = /^application\/(\S+\+)?json\b/.test(headers.get("content-type") ?? "");
  const isChosen = headers.has("content-encoding") || /\baccept-encoding\b/i.test(headers.get("vary") ?? "");
  if (!json || isChosen || body.byteLength <= COMPRESSED_FROM_BYTES) return body;
  headers.append("vary", "accept-encoding");
  const coding = chooseCoding(acceptEncoding);
  if (coding === "identity") return body;
  headers.set("content-encoding", coding);
  const { brotliCompressSync, constants, gzipSync } = zlib();
  return coding === "gzip"
    ? gzipSync(body)
    : brotliCompressSync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } });
}

function isText(contentType: string): boolean {
  return /^(text\/|application\/(\S+\+)?(json|xml|javascript)\b|image\/svg\+xml\b)/.test(contentType);
}
