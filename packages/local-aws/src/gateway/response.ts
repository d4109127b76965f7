import type { ServerResponse } from "node:http";

/** Lambda's limit for the payload and the response of an invocation. */
export const INVOCATION_MAX_BYTES = 6 * 2 ** 20;

interface FunctionResponse {
  readonly statusCode: number;
  readonly headers?: Readonly<Record<string, string | number | boolean>>;
  readonly cookies?: readonly string[];
  readonly body?: string;
  readonly isBase64Encoded?: boolean;
}

/** Sends a response of the gateway itself. */
export function sendMessage(response: ServerResponse, status: number, message: string): void {
  sendJson(response, status, { message });
}

export function sendJson(response: ServerResponse, status: number, value: unknown): void {
  if (response.destroyed) return;
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
}

/**
 * Sends the result of a function (payload format 2.0): an object with `statusCode` as a response, any other value as
 * JSON with 200. A result that is not a valid response becomes a 500. What a function lets pages of every origin read, only
 * the page of `origin` reads here, which the server let pass.
 */
export function sendResult(response: ServerResponse, result: unknown, origin?: string): void {
  if (response.destroyed) return;
  try {
    const { statusCode, headers, body } = toHttpResponse(
      isFunctionResponse(result) ? result : { ...JSON_RESPONSE, body: JSON.stringify(result) },
    );
    if (headers[ALLOW_ORIGIN] === "*") {
      if (origin === undefined) delete headers[ALLOW_ORIGIN];
      else headers[ALLOW_ORIGIN] = origin;
    }
    response.writeHead(statusCode, headers).end(body);
  } catch {
    sendMessage(response, 500, "Internal Server Error");
  }
}

const ALLOW_ORIGIN = "access-control-allow-origin";
const JSON_RESPONSE = { statusCode: 200, headers: { "content-type": "application/json" } } as const;

/** Throws if the result is not a valid HTTP response. */
function toHttpResponse(functionResponse: FunctionResponse): {
  statusCode: number;
  headers: Record<string, string | string[]>;
  body: Buffer;
} {
  const { statusCode, cookies = [], body = "", isBase64Encoded = false } = functionResponse;
  if (!Number.isInteger(statusCode) || statusCode < 100 || statusCode > 599) throw new Error("not a status");
  if (body.length > INVOCATION_MAX_BYTES) throw new Error("too large an answer");
  const headers: Record<string, string | string[]> = { "content-type": "text/plain;charset=UTF-8" };
  for (const [name, value] of Object.entries(functionResponse.headers ?? {}))
    headers[name.toLowerCase()] = String(value);
  if (cookies.length > 0) headers["set-cookie"] = [...cookies];
  return { statusCode, headers, body: Buffer.from(body, isBase64Encoded ? "base64" : "utf8") };
}

function isFunctionResponse(result: unknown): result is FunctionResponse {
  return typeof result === "object" && result !== null && "statusCode" in result;
}
