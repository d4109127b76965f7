import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from "aws-lambda";
import { newUlid } from "../../shared/kernel/ids.ts";
import { refuse } from "../../shared/kernel/refusals.ts";
import { clockNow, type Millis } from "../../shared/kernel/time.ts";
import { type App, className, type LogFault } from "./app.ts";
import type { Edge } from "./edge.ts";
import { failure, withCommonHeaders } from "./envelope.ts";
import { toLambdaResult } from "./lambda-result.ts";

/** How long before the function's own time-out the answer is out. */
const RESPONSE_MARGIN: Millis = 500;

/** Replaces the host the caller named: nothing behind the gateway may depend on it. */
const ORIGIN = "http://gateway";

interface Invocation {
  getRemainingTimeInMillis(): number;
}

export type HttpHandler = (
  event: APIGatewayProxyEventV2,
  context: Invocation,
) => Promise<APIGatewayProxyStructuredResultV2>;

/**
 * The app behind an HTTP API with payload format 2.0. It never throws and never runs into the function's time-out:
 * half a second before it the answer is the 500 envelope. `log` gets a line when an event could not be read at all.
 */
export function lambdaHandler(app: Pick<App, "fetch">, log: LogFault): HttpHandler {
  return async (event, context) => {
    const acceptEncoding = event.headers?.["accept-encoding"] ?? "";
    try {
      const edge = toEdge(event, context.getRemainingTimeInMillis() - RESPONSE_MARGIN);
      return await toLambdaResult(await app.fetch(toRequest(event, edge), edge), acceptEncoding);
    } catch (error) {
      const correlationId = event.requestContext?.requestId ?? newUlid(clockNow());
      log({ event: "request_failed", route: "gateway", correlation_id: correlationId, error: className(error) });
      return toLambdaResult(withCommonHeaders(failure(refuse("internal_error")), correlationId), acceptEncoding);
    }
  };
}

function toEdge(event: APIGatewayProxyEventV2, remaining: Millis): Required<Edge> {
  const { requestId, http } = event.requestContext;
  return { path: encodePath(event.rawPath), requestId, sourceIp: http.sourceIp, remaining };
}

// HTTP APIs hand over the decoded path, so that the `#` of an id would read as the start of a fragment. Encoded again
// segment by segment it is one parameter; a `/` inside an id can no longer be told apart and finds no route.
function encodePath(rawPath: string): string {
  const segments = rawPath.toWellFormed().split("/").map(encodeURIComponent);
  return rawPath.startsWith("/") ? segments.join("/") : `/${segments.join("/")}`;
}

function toRequest(event: APIGatewayProxyEventV2, edge: Required<Edge>): Request {
  const { method } = event.requestContext.http;
  const query = event.rawQueryString.replaceAll("#", "%23");
  const url = `${ORIGIN}${edge.path}${query === "" ? "" : `?${query}`}`;
  const hasNoBody = event.body === undefined || method === "GET" || method === "HEAD";
  const body = hasNoBody ? null : Buffer.from(event.body ?? "", event.isBase64Encoded ? "base64" : "utf8");
  return new Request(url, { method, headers: toHeaders(event), body });
}

// The gateway joins a repeated header with commas and takes the cookies out of the headers.
function toHeaders(event: APIGatewayProxyEventV2): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(event.headers ?? {})) {
    // A value that no header can carry stays there, spoilt: left out, a bad credential would look like none.
    if (value !== undefined) headers.set(name, value.replace(/[^\t\x20-\x7e\x80-\xff]/g, "?"));
  }
  if (event.cookies?.length) headers.set("cookie", event.cookies.join("; "));
  return headers;
}
