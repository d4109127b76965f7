import type { Millis } from "#base/kernel/time.ts";

/** An event of the WebSocket API, as Lambda gets it. Source: API Gateway, "Lambda proxy integration for WebSocket APIs". */
export interface WebSocketEvent {
  readonly requestContext: {
    readonly eventType: string;
    readonly connectionId: string;
    /** When the gateway accepted the connection, in epoch milliseconds. */
    readonly connectedAt: Millis;
    readonly requestId: string;
  };
  /** Names are as the client wrote them. Only the handshake has headers of the client. */
  readonly multiValueHeaders?: Readonly<Record<string, readonly string[]>>;
  readonly multiValueQueryStringParameters?: Readonly<Record<string, readonly string[]>> | null;
  readonly body?: string;
  readonly isBase64Encoded?: boolean;
}

/** What happened on a connection. */
export type SocketEvent =
  | {
      readonly kind: "connect";
      readonly connectionId: string;
      readonly connectedAt: Millis;
      /** Null when the query has none, or more than one. */
      readonly ticket: string | null;
      /** The origin of the page that connects; null without the header, `invalid` when it came more than once. */
      readonly origin: string | null;
      /** `include=conversation`: a message and its conversation come in one frame. */
      readonly includesConversation: boolean;
    }
  | { readonly kind: "disconnect"; readonly connectionId: string }
  /** `text`: null for a binary frame. */
  | { readonly kind: "frame"; readonly connectionId: string; readonly text: string | null };

/** Throws for an event that the WebSocket API does not send. */
export function parseSocketEvent(event: WebSocketEvent): SocketEvent {
  const { connectionId, connectedAt, eventType } = event.requestContext;
  switch (eventType) {
    case "CONNECT": {
      const query = event.multiValueQueryStringParameters ?? {};
      const tickets = query.ticket ?? [];
      return {
        kind: "connect",
        connectionId,
        connectedAt,
        ticket: tickets.length === 1 ? (tickets[0] ?? null) : null,
        origin: readOrigin(event.multiValueHeaders ?? {}),
        includesConversation: (query.include ?? []).includes("conversation"),
      };
    }
    case "DISCONNECT":
      return { kind: "disconnect", connectionId };
    case "MESSAGE":
      return { kind: "frame", connectionId, text: event.isBase64Encoded ? null : (event.body ?? "") };
    default:
      throw new Error("The event is not one of the WebSocket API.");
  }
}

function readOrigin(headers: Readonly<Record<string, readonly string[]>>): string | null {
  const origins = Object.entries(headers).flatMap(([name, values]) => (name.toLowerCase() === "origin" ? values : []));
  return origins.length > 1 ? "invalid" : (origins[0] ?? null);
}
