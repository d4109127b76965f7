import { randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { addAbortSignal } from "node:stream";
import { finished } from "node:stream/promises";
import type { ForwardedDelivery } from "./deliveries.ts";
import { ATTEMPT_TIMEOUT_MS, type PostResult, post, type Receiver } from "./post.ts";
import { signedHeaders } from "./sign.ts";

const BODY_BYTES_MAX = 1_000_000;
/** A receiver rejects a delivery whose time is further from its own clock. */
const TIMESTAMP_TOLERANCE_MS = 300_000;

/** The headers of the delivery itself. Other headers belong to the connection. */
const DELIVERY_HEADER = /^(svc-.+|webhook-.+|content-type|user-agent)$/;

export interface Forwarder {
  /** The URL of the endpoint. It is unguessable, because any web page on this machine can post to loopback. */
  readonly url: string;
  /** Aborts deliveries in progress (502 to the sender) and frees the port. */
  close(): Promise<void>;
}

export interface ForwarderOptions {
  /** Null forwards nothing: each delivery gets 200. */
  readonly receiver: Receiver | null;
  /** Signs what is forwarded, in place of the secret of the endpoint. */
  readonly secret: string;
  /** In milliseconds, from the request to the receiver's status. Default: the attempt timeout of a deployment. */
  readonly timeout?: number | undefined;
}

/** Forwards the body of every delivery unchanged, responds with the receiver's status, then reports it. */
export async function openForwarder(
  options: ForwarderOptions,
  report: (delivery: ForwardedDelivery) => void,
): Promise<Forwarder> {
  const path = `/${randomBytes(16).toString("base64url")}`;
  const closing = new AbortController();
  const inFlight = new Set<Promise<void>>();
  const server = createServer((request, response) => {
    if (request.method !== "POST" || request.url !== path) {
      response.writeHead(404).end();
      return;
    }
    const forwarding = forward(request, response, { ...options, closing: closing.signal }).then(
      (delivery) => report(delivery),
      // The sender disconnected before its body was complete: nothing was delivered.
      () => {
        response.destroy();
      },
    );
    inFlight.add(forwarding);
    void forwarding.finally(() => inFlight.delete(forwarding));
  });
  await new Promise<void>((resolve, reject) => server.once("error", reject).listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`,
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      closing.abort();
      await Promise.all(inFlight);
      server.closeAllConnections();
      await closed;
    },
  };
}

interface ForwardOptions extends ForwarderOptions {
  readonly closing: AbortSignal;
}

async function forward(
  request: IncomingMessage,
  response: ServerResponse,
  options: ForwardOptions,
): Promise<ForwardedDelivery> {
  const at = Date.now();
  const body = await readBody(addAbortSignal(options.closing, request));
  const result = await respondTo(options, request, body);
  // The rest of a body that is too large is not read, so its connection cannot be reused.
  const connection = body === null ? { connection: "close" } : {};
  const retryAfter = result.retryAfter === undefined ? {} : { "retry-after": result.retryAfter };
  response.writeHead(result.status, { ...connection, ...retryAfter }).end();
  await finished(response).catch(() => {});
  return {
    at,
    eventType: printableName(request.headers["svc-event-type"]),
    eventId: printableName(request.headers["svc-event-id"]),
    status: result.status,
    failure: result.failure,
    reason: result.reason,
    durationMs: Math.max(0, Date.now() - at),
    clockAhead: Number(request.headers["svc-timestamp"]) * 1_000 - at > TIMESTAMP_TOLERANCE_MS,
    body,
  };
}

async function respondTo(
  { receiver, secret, timeout = ATTEMPT_TIMEOUT_MS, closing }: ForwardOptions,
  request: IncomingMessage,
  body: Buffer | null,
): Promise<PostResult> {
  if (body === null) return { status: 413, failure: "too_large" };
  if (receiver === null) return { status: 200, failure: null };
  const { "svc-event-id": eventId = "", "svc-timestamp": timestamp = "" } = request.headers;
  const headers = { ...deliveryHeaders(request), ...signedHeaders(secret, String(eventId), body, String(timestamp)) };
  return await post({ receiver, timeout, closing }, headers, body);
}

/** The whole body, or null when it is too large. @throws when the sender disconnects */
async function readBody(request: IncomingMessage): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    bytes += (chunk as Buffer).byteLength;
    if (bytes > BODY_BYTES_MAX) return null;
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks);
}

function deliveryHeaders(request: IncomingMessage): Record<string, string> {
  const entries = Object.entries(request.headers).filter(([name]) => DELIVERY_HEADER.test(name));
  return Object.fromEntries(entries.map(([name, value]) => [name, String(value)]));
}

/** An event's type or id, if it looks like one: a sender must not choose what a terminal prints. */
function printableName(header: string | string[] | undefined): string {
  return typeof header === "string" && /^[\w.-]{1,64}$/.test(header) ? header : "-";
}
