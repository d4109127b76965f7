import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { accessTime } from "../gateway/event.ts";
import type { Millis } from "../support/time.ts";
import type { SocketRouteKey } from "./routes.ts";

/** A connection as the gateway names it in each event. */
export interface ConnectionIdentity {
  readonly connectionId: string;
  readonly connectedAt: Millis;
  /** The host of the handshake. */
  readonly domainName: string;
  readonly sourceIp: string;
  readonly userAgent: string;
  readonly stage: string;
}

export function toIdentity(
  request: IncomingMessage,
  connection: Pick<ConnectionIdentity, "connectionId" | "connectedAt" | "stage">,
): ConnectionIdentity {
  return {
    ...connection,
    domainName: request.headers.host ?? "localhost",
    sourceIp: request.socket.remoteAddress ?? "127.0.0.1",
    userAgent: request.headers["user-agent"] ?? "",
  };
}

/** The ids of an event: random ones of the local stack, and those of a program whose runs are repeated. */
export interface EventIds {
  readonly requestId: () => string;
  readonly shortId: () => string;
}

const randomIds: EventIds = { requestId: randomUUID, shortId: () => randomUUID().slice(0, 8) };

/** What an event has of the request of a handshake. */
export interface Handshake extends Pick<IncomingMessage, "rawHeaders" | "url"> {
  readonly socket: { readonly localPort?: number | undefined };
}

/** The event of a handshake. Header names are as the client sent them. */
export function toConnectEvent(identity: ConnectionIdentity, request: Handshake, ids = randomIds): object {
  const headers = new Map<string, string[]>();
  for (let at = 0; at + 1 < request.rawHeaders.length; at += 2) {
    const [name = "", value = ""] = request.rawHeaders.slice(at, at + 2);
    if (!/^(connection|upgrade)$/i.test(name)) addValue(headers, name, value);
  }
  addValue(headers, "X-Forwarded-For", identity.sourceIp);
  addValue(headers, "X-Forwarded-Port", String(request.socket.localPort));
  addValue(headers, "X-Forwarded-Proto", "http");
  const query = new Map<string, string[]>();
  const url = request.url ?? "";
  const search = url.includes("?") ? url.slice(url.indexOf("?") + 1) : "";
  for (const [name, value] of new URLSearchParams(search)) addValue(query, name, value);
  return {
    headers: lastValues(headers),
    multiValueHeaders: Object.fromEntries(headers),
    ...(query.size === 0
      ? {}
      : { queryStringParameters: lastValues(query), multiValueQueryStringParameters: Object.fromEntries(query) }),
    requestContext: toContext(identity, { routeKey: "$connect", eventType: "CONNECT", now: identity.connectedAt, ids }),
    isBase64Encoded: false,
  };
}

/** The event of a text message. */
export function toMessageEvent(identity: ConnectionIdentity, body: string, now: Millis) {
  const context = toContext(identity, { routeKey: "$default", eventType: "MESSAGE", now, ids: randomIds });
  return { requestContext: { ...context, messageId: randomIds.shortId() }, body, isBase64Encoded: false };
}

/** The event after the end of a connection. */
export function toDisconnectEvent(
  identity: ConnectionIdentity,
  { code, reason, now }: { code: number; reason: string; now: Millis },
  ids = randomIds,
): object {
  const headers = { Host: identity.domainName, "x-api-key": "", "X-Forwarded-For": "", "x-restapi": "" };
  return {
    headers,
    multiValueHeaders: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]])),
    requestContext: {
      ...toContext(identity, { routeKey: "$disconnect", eventType: "DISCONNECT", now, ids }),
      disconnectStatusCode: code,
      disconnectReason: reason,
    },
    isBase64Encoded: false,
  };
}

function toContext(
  identity: ConnectionIdentity,
  { routeKey, eventType, now, ids }: { routeKey: SocketRouteKey; eventType: string; now: Millis; ids: EventIds },
) {
  const { connectionId, connectedAt, domainName, sourceIp, userAgent, stage } = identity;
  return {
    routeKey,
    eventType,
    extendedRequestId: ids.shortId(),
    requestTime: accessTime(now),
    messageDirection: "IN",
    stage,
    connectedAt,
    requestTimeEpoch: now,
    identity: { sourceIp, userAgent },
    requestId: ids.requestId(),
    domainName,
    connectionId,
    apiId: "local",
  };
}

function addValue(values: Map<string, string[]>, name: string, value: string): void {
  values.set(name, [...(values.get(name) ?? []), value]);
}

function lastValues(values: ReadonlyMap<string, readonly string[]>): Record<string, string | undefined> {
  return Object.fromEntries([...values].map(([name, all]) => [name, all.at(-1)]));
}
