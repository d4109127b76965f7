import { runInvocation } from "../../shared/kernel/call-scope.ts";
import { errorClass } from "../../shared/kernel/error-class.ts";
import type { Millis } from "../../shared/kernel/time.ts";
import type { SocketPorts } from "./ports.ts";
import { parseSocketEvent, type SocketEvent, type WebSocketEvent } from "./socket-event.ts";

/** The answer to the gateway. The status of a handshake is the client's; the other routes answer nobody. */
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

/** No ticket exists yet, so no handshake is accepted. */
async function handle(_ports: SocketPorts, event: SocketEvent, _now: Millis): Promise<number> {
  return event.kind === "connect" ? 401 : 200;
}
