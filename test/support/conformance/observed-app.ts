import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { type AppOptions, createApp as createUnobservedApp } from "#http/app.ts";
import type { RawRequest } from "#http/raw-request.ts";
import { type FetchApp, toFetchApp } from "./fetch-app.ts";
import { observeExchange } from "./observed.ts";

/** The app of these routes. Each of its answers is checked against the OpenAPI document. */
export function createApp<P>(options: AppOptions<P>): FetchApp {
  const app = toFetchApp(createUnobservedApp(options));
  return toFetchApp({
    async fetch(request, edge) {
      // Read before the app reads it: a clone would hold up an app that stops reading a body that is too large.
      const bytes = request.body === null ? null : await readAll(request.body);
      const { method, url, headers } = request;
      const response = await app.fetch({ method, url, headers, body: bytes && [bytes] }, edge);
      const { pathname, search } = new URL(url);
      observeExchange({
        method,
        url: (edge?.path ?? pathname) + search,
        requestHeaders: new Headers([...headers]),
        requestBody: bytes,
        status: response.status,
        headers: response.headers,
        body: decode(await response.clone().bytes(), response.headers.get("content-encoding")),
      });
      return response;
    },
  });
}

async function readAll(body: NonNullable<RawRequest["body"]>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function decode(bytes: Uint8Array, coding: string | null): Uint8Array {
  if (coding === "gzip") return gunzipSync(bytes);
  return coding === "br" ? brotliDecompressSync(bytes) : bytes;
}
