import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** One request through a proxy, and its response so far. */
export interface Exchange {
  readonly method: string;
  readonly path: string;
  readonly body: Buffer;
  /** Null when the target did not answer. */
  readonly status: number | null;
}

export interface RecordingProxy {
  readonly url: string;
  close(): Promise<void>;
}

export interface ProxyOptions {
  /** The origin to forward to; null while it does not run. */
  readonly target: () => string | null;
  /** Called when a request has arrived, before it is forwarded. */
  readonly onRequest?: (exchange: Exchange) => void;
  /** Called when the response has arrived, before it is returned. */
  readonly onResponse?: (exchange: Exchange) => void;
}

const hopHeaders = new Set(["host", "connection", "content-length", "transfer-encoding", "keep-alive"]);

/**
 * Forwards requests to a program and records them, so that what it received is known when it is killed. A request that
 * the target does not answer has no response here either: its connection is cut.
 */
export async function openRecordingProxy(options: ProxyOptions): Promise<RecordingProxy> {
  const server = createServer((request, response) => {
    forward(request, response, options).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

async function forward(
  request: IncomingMessage,
  response: ServerResponse,
  { target, onRequest, onResponse }: ProxyOptions,
): Promise<void> {
  const callerGone = new AbortController();
  response.once("close", () => callerGone.abort());
  request.on("error", () => {});
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  const exchange = { method: request.method ?? "", path: request.url ?? "", body: Buffer.concat(chunks), status: null };
  onRequest?.(exchange);
  const origin = target();
  if (origin === null) return void response.destroy();
  const answer = await fetch(origin + exchange.path, {
    method: exchange.method,
    headers: forwardedHeaders(request),
    redirect: "manual",
    signal: callerGone.signal,
    ...(exchange.body.length > 0 ? { body: new Uint8Array(exchange.body) } : {}),
  });
  const body = Buffer.from(await answer.arrayBuffer());
  onResponse?.({ ...exchange, status: answer.status });
  const type = answer.headers.get("content-type");
  response.writeHead(answer.status, type === null ? {} : { "content-type": type }).end(body);
}

function forwardedHeaders({ headers }: IncomingMessage): Record<string, string> {
  const entries = Object.entries(headers).filter(([name]) => !hopHeaders.has(name));
  return Object.fromEntries(entries.map(([name, value]) => [name, String(value)]));
}
