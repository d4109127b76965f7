import { randomBytes } from "node:crypto";
import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from "node:http";
import { request as httpsRequest } from "node:https";
import type { AddressInfo } from "node:net";
import { addAbortSignal } from "node:stream";
import { finished } from "node:stream/promises";
import { ATTEMPT_TIMEOUT } from "#base/kernel/limits.ts";
import { clockNow, MINUTE, type Millis, SECOND } from "#base/kernel/time.ts";

const BODY_BYTES_MAX = 1_000_000;
/** A receiver rejects a delivery whose time is further from its own clock. */
const TIMESTAMP_TOLERANCE: Millis = 5 * MINUTE;

/** The headers of the delivery itself. Other headers belong to the connection. */
const DELIVERY_HEADER = /^(svc-.+|webhook-.+|content-type|user-agent)$/;

/** The result of one delivery. `status` is the response to the sender. */
export interface ForwardedDelivery {
  readonly at: Millis;
  readonly eventType: string;
  readonly eventId: string;
  readonly status: number;
  /** The reason that `status` is not the receiver's. */
  readonly failure: "unreachable" | "timeout" | "too_large" | "aborted" | null;
  readonly durationMs: Millis;
  /** The stack's clock was advanced so far that a receiver with the real time rejects the delivery. */
  readonly clockAhead: boolean;
  /** Null when it is too large. */
  readonly body: Buffer | null;
}

export interface Forwarder {
  /** The URL of the endpoint. It is unguessable, because any web page on this machine can post to loopback. */
  readonly url: string;
  /** Aborts deliveries in progress (502 to the sender) and frees the port. */
  close(): Promise<void>;
}

/**
 * Forwards every delivery unchanged, responds with the receiver's status, then reports it.
 * @param target null forwards nothing: each delivery gets 200
 * @param timeout from the request to the receiver's status; default: the attempt timeout of a deployment
 */
export async function openForwarder(
  target: URL | null,
  report: (delivery: ForwardedDelivery) => void,
  timeout: Millis = ATTEMPT_TIMEOUT,
): Promise<Forwarder> {
  const path = `/${randomBytes(16).toString("base64url")}`;
  const closing = new AbortController();
  const inFlight = new Set<Promise<void>>();
  const server = createServer((request, response) => {
    if (request.method !== "POST" || request.url !== path) {
      response.writeHead(404).end();
      return;
    }
    const forwarding = forward(request, response, { target, timeout, closing: closing.signal }).then(
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

interface ForwardOptions {
  readonly target: URL | null;
  readonly timeout: Millis;
  readonly closing: AbortSignal;
}

async function forward(
  request: IncomingMessage,
  response: ServerResponse,
  options: ForwardOptions,
): Promise<ForwardedDelivery> {
  const at = clockNow();
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
    durationMs: Math.max(0, clockNow() - at),
    clockAhead: Number(request.headers["svc-timestamp"]) * SECOND - at > TIMESTAMP_TOLERANCE,
    body,
  };
}

async function respondTo(
  { target, ...options }: ForwardOptions,
  request: IncomingMessage,
  body: Buffer | null,
): Promise<ForwardResult> {
  if (body === null) return TOO_LARGE;
  if (target === null) return ACCEPTED;
  return await post({ target, ...options }, deliveryHeaders(request), body);
}

interface ForwardResult extends Pick<ForwardedDelivery, "status" | "failure"> {
  readonly retryAfter?: string | undefined;
}

const ACCEPTED: ForwardResult = { status: 200, failure: null };
const TOO_LARGE: ForwardResult = { status: 413, failure: "too_large" };

/** Posts once and waits only for the status. Redirects are not followed. */
function post(
  { target, timeout, closing }: ForwardOptions & { readonly target: URL },
  headers: Record<string, string>,
  body: Buffer,
): Promise<ForwardResult> {
  const deadline = AbortSignal.timeout(timeout);
  const send = target.protocol === "https:" ? httpsRequest : httpRequest;
  return new Promise((resolve) => {
    const signal = AbortSignal.any([deadline, closing]);
    // No connection reuse: a pooled connection that the receiver has closed would look like an unreachable receiver.
    const clientRequest = send(target, { method: "POST", agent: false, headers, signal }, (clientResponse) => {
      const { statusCode: status = 502, headers: responseHeaders } = clientResponse;
      resolve({ status, failure: null, retryAfter: responseHeaders["retry-after"] });
      clientResponse.on("error", () => {}).destroy();
    });
    const failure = () => (closing.aborted ? "aborted" : deadline.aborted ? "timeout" : "unreachable");
    clientRequest.on("error", () => resolve({ status: 502, failure: failure() }));
    clientRequest.end(body);
  });
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
