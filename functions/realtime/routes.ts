import { runInvocation } from "#base/kernel/call-scope.ts";
import { errorClass } from "#base/kernel/error-class.ts";
import type { Millis } from "#base/kernel/time.ts";
import { connectSocket, disconnectSocket } from "#features/realtime/flows/connect.ts";
import { receiveFrame } from "#features/realtime/flows/frames.ts";
import type { SocketPorts } from "./ports.ts";
import { parseSocketEvent, type SocketEvent, type WebSocketEvent } from "./socket-event.ts";

/**
 * The answer to the gateway. The status of a handshake is the client's; the answers of the other routes are not read.
 */
export interface SocketResult {
  readonly statusCode: number;
}

export type SocketHandler = (event: WebSocketEvent) => Promise<SocketResult>;

/** Serves the routes of the WebSocket API. It never throws: a fault is logged, and refuses the handshake with 500. */
export function socketHandler(ports: SocketPorts, now: () => Millis): SocketHandler {
  return async (event) => {
    try {
      return { statusCode: await runInvocation(() => handle(ports, parseSocketEvent(event), now())) };
    } catch (error) {
      const { requestId = "unknown", eventType = "unknown" } = event.requestContext ?? {};
      ports.log({
        event: "request.failed",
        operation: `socket ${eventType}`,
        correlation_id: requestId,
        error: errorClass(error),
      });
      return { statusCode: 500 };
    }
  };
}

async function handle(ports: SocketPorts, event: SocketEvent, now: Millis): Promise<number> {
  switch (event.kind) {
    case "connect":
      return handshakeStatuses[await connectSocket(ports, { ...event, now })];
    case "disconnect":
      await disconnectSocket(ports, event.connectionId);
      return 200;
    case "frame":
      await receiveFrame(ports, { ...event, now });
      return 200;
  }
}

const handshakeStatuses = { connected: 200, unauthorized: 401, forbidden: 403, limit: 429 } as const;
