import type { App, Edge } from "#http/app.ts";
import type { RawRequest } from "#http/raw-request.ts";

/** An app that is called as a program calls a server: with requests and responses of the fetch standard. */
export interface FetchApp extends App {
  fetch(request: RawRequest, edge?: Edge): Promise<Response>;
  /** @param request a request, or its path */
  request(request: Request | string, init?: RequestInit, edge?: Edge): Promise<Response>;
}

export function toFetchApp(app: App): FetchApp {
  const toResponse = async (request: RawRequest, edge?: Edge): Promise<Response> => {
    const response = await app.fetch(request, edge);
    const bytes = await response.bytes();
    // A response of these statuses has no body.
    const body = [204, 304].includes(response.status) || bytes.length === 0 ? null : Uint8Array.from(bytes);
    return new Response(body, { status: response.status, headers: [...response.headers] });
  };
  return {
    fetch: toResponse,
    request: (request, init, edge) =>
      toResponse(typeof request === "string" ? new Request(`http://localhost${request}`, init) : request, edge),
  };
}
