import type { IncomingMessage, ServerResponse } from "node:http";
import { type LoopbackServer, openLoopbackServer } from "../../../loopback/src/loopback-server.ts";
import { printError } from "../../../loopback/src/terminal.ts";
import { type Fields, isFields } from "./fields.ts";

const bodyBytesMax = 1_048_576;
/** The body limit: the largest file that any platform accepts, plus room for the form around it. */
const formBytesMax = 26 * 1_048_576;

/** A completely read request. */
export interface Call {
  method: string;
  /** Decoded once. Starts with a slash. */
  path: string;
  query: URLSearchParams;
  headers: IncomingMessage["headers"];
  /** The fields of a JSON or form body; empty if there is none. */
  body: Fields;
  /** The bytes of the body. */
  raw: Buffer;
  /** The body if it is a multipart form, otherwise null. */
  form: FormData | null;
  /** True if the body is neither a JSON object nor a form. */
  unreadable: boolean;
}

export interface HttpResponse {
  status: number;
  headers?: Record<string, string>;
  body: string | Buffer;
}

/** `hang` never answers, `reset` cuts the connection: to a caller, both look like a network problem. */
export type HttpOutcome = HttpResponse | "hang" | "reset";

export function json(status: number, value: unknown, headers: Record<string, string> = {}): HttpResponse {
  return {
    status,
    headers: { "Content-Type": "application/json; charset=UTF-8", "Cache-Control": "no-store", ...headers },
    body: JSON.stringify(value),
  };
}

async function readBody(request: IncomingMessage, bytesMax: number): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > bytesMax) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function parseFields(raw: Buffer, contentType: string): Fields | null {
  if (raw.length === 0) return {};
  if (contentType.startsWith("application/x-www-form-urlencoded")) {
    return Object.fromEntries(new URLSearchParams(raw.toString("utf8")));
  }
  try {
    const value: unknown = JSON.parse(raw.toString("utf8"));
    return isFields(value) ? value : null;
  } catch {
    return null;
  }
}

const isMultipart = (contentType: string): boolean => /^multipart\/form-data\b/i.test(contentType);

async function parseForm(raw: Buffer, contentType: string): Promise<FormData | null> {
  if (!isMultipart(contentType)) return null;
  return new Response(new Uint8Array(raw), { headers: { "Content-Type": contentType } }).formData().catch(() => null);
}

async function respond(
  request: IncomingMessage,
  response: ServerResponse,
  handle: (call: Call) => Promise<HttpOutcome>,
): Promise<void> {
  const contentType = request.headers["content-type"] ?? "";
  const raw = await readBody(request, isMultipart(contentType) ? formBytesMax : bodyBytesMax);
  if (raw === null) {
    response.writeHead(413, { Connection: "close" }).end();
    return;
  }
  const url = new URL(request.url ?? "/", "http://simulator.invalid");
  const form = await parseForm(raw, contentType);
  const fields = form === null ? parseFields(raw, contentType) : {};
  const outcome = await handle({
    method: request.method ?? "GET",
    path: url.pathname,
    query: url.searchParams,
    headers: request.headers,
    body: fields ?? {},
    raw,
    form,
    unreadable: fields === null,
  });
  if (outcome === "hang") return;
  if (outcome === "reset") {
    request.socket.destroy();
    return;
  }
  const body = Buffer.from(outcome.body);
  response.writeHead(outcome.status, {
    ...outcome.headers,
    "Content-Length": body.length,
    "X-Content-Type-Options": "nosniff",
  });
  response.end(request.method === "HEAD" ? undefined : body);
}

/** Longer than clients keep an idle connection: one that the server closes first can reset a request on its way. */
const keepAliveMillis = 60_000;

/** Listens on loopback. Port 0 selects a free port. */
export async function listen(port: number, handle: (call: Call) => Promise<HttpOutcome>): Promise<LoopbackServer> {
  return await openLoopbackServer({
    port,
    keepAliveTimeout: keepAliveMillis,
    onRequest(request, response) {
      respond(request, response, handle).catch((error: unknown) => {
        if (request.socket.destroyed) return;
        printError("platform simulator:", error);
        if (response.headersSent) response.destroy();
        else response.writeHead(500, { "Content-Type": "text/plain" }).end("the simulator failed; see its output\n");
      });
    },
  });
}
