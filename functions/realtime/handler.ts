import { clockNow } from "#base/kernel/time.ts";
import { socketPorts } from "./ports.ts";
import { socketHandler } from "./routes.ts";

/** Serves the WebSocket API: handshakes, frames of clients and ends of connections. */
export const handler = socketHandler(socketPorts(), clockNow);
