import type { HttpEvent } from "./handlers.ts";

export interface HttpRequest {
  readonly method: string;
  /** With its query; ids may contain a `#`. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** An event of the HTTP API, as the gateway makes it. */
export function toHttpEvent({ method, path, headers = {}, body }: HttpRequest, requestId: string): HttpEvent {
  const [rawPath = "", rawQueryString = ""] = path.split("?");
  return {
    version: "2.0",
    routeKey: "$default",
    rawPath,
    rawQueryString,
    headers: { "content-type": "application/json", ...headers },
    requestContext: { requestId, http: { method, path: rawPath, sourceIp: "203.0.113.7" } },
    isBase64Encoded: false,
    ...(body === undefined ? {} : { body }),
  } as unknown as HttpEvent;
}
