import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { type App, type AppOptions, createApp as createUnobservedApp, type Edge } from "#http/app.ts";
import { observeExchange } from "./observed.ts";

/** The app of these routes. Each of its answers is checked against the OpenAPI document. */
export function createApp<P>(options: AppOptions<P>): App {
  const app = createUnobservedApp(options);
  const answer = app.fetch;
  app.fetch = async (request, edge, context) => {
    // Read before the app reads it: a clone would hold up an app that stops reading a body that is too large.
    const bytes = request.body === null ? null : await request.bytes();
    const copy = bytes === null ? request : new Request(request.url, { ...withoutBody(request), body: bytes });
    const response = await answer(copy, edge, context);
    const { pathname, search } = new URL(request.url);
    observeExchange({
      method: request.method,
      url: ((edge as Edge | undefined)?.path ?? pathname) + search,
      requestHeaders: request.headers,
      requestBody: bytes,
      status: response.status,
      headers: response.headers,
      body: decode(await response.clone().bytes(), response.headers.get("content-encoding")),
    });
    return response;
  };
  return app;
}

function withoutBody({ method, headers, signal }: Request): RequestInit {
  return { method, headers, signal };
}

function decode(bytes: Uint8Array, coding: string | null): Uint8Array {
  if (coding === "gzip") return gunzipSync(bytes);
  return coding === "br" ? brotliDecompressSync(bytes) : bytes;
}
