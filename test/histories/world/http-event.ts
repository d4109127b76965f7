import type { HttpEvent } from "../cloud/handlers.ts";

let requests = 0;

/** An event of the HTTP API, as the gateway makes it. @param path with its query; ids may contain a `#` */
export function httpEvent(
  method: string,
  path: string,
  { headers = {}, body }: { readonly headers?: Record<string, string>; readonly body?: string },
): HttpEvent {
  const [rawPath = "", rawQueryString = ""] = path.split("?");
  const requestId = `request-${++requests}`;
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
