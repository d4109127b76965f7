import { SOCKET_FRAME_BYTES_MAX } from "#base/kernel/limits.ts";
import type { Millis } from "#base/kernel/time.ts";
import { pongFrame } from "../events.ts";
import type { FramePorts } from "../ports.ts";
import { parseActivity } from "../rules/activity.ts";
import { closeSockets } from "./close.ts";
import { relayActivity } from "./relay-activity.ts";

/** A frame of a client. */
interface ClientFrame {
  readonly connectionId: string;
  /** Null for a binary frame. */
  readonly text: string | null;
  readonly now: Millis;
}

/**
 * Answers a ping, once the connection got its first frame: an earlier one is answered after that. Relays what a person does
 * with a conversation to the other people. Ignores any other frame. Closes a connection that sends a frame over 4 KB, or over
 * 60 in a minute, and one that has no socket.
 */
export async function receiveFrame(ports: FramePorts, { connectionId, text, now }: ClientFrame): Promise<void> {
  const isTooLong = Buffer.byteLength(text ?? "") > SOCKET_FRAME_BYTES_MAX;
  const frame = isTooLong ? null : parseFrame(text);
  const isPing = frame?.type === "ping";
  const use = isTooLong ? null : await ports.socketFrames.consume(connectionId, { isPing, now });
  if (!use || use.isExceeded) {
    await closeConnection(ports, connectionId, now);
    return;
  }
  if (!use.isGreeted) return;
  if (isPing) await ports.connections.post(connectionId, pongFrame());
  if (frame?.type !== "presence" || use.tenant === null) return;
  const activity = parseActivity(use.tenant, frame);
  if (activity) await relayActivity(ports, { tenant: use.tenant, connectionId, activity, now });
}

async function closeConnection(ports: FramePorts, connectionId: string, now: Millis): Promise<void> {
  const tenant = await ports.sockets.tenantOf(connectionId);
  // A frame comes only over an open connection, and another frame of a flood may have closed it already.
  if (tenant) await closeSockets(ports, { tenant, connectionIds: [connectionId], areOpen: true, now });
  else await ports.connections.close(connectionId);
}

/** The object of a frame; null for anything else. */
function parseFrame(text: string | null): { readonly type?: unknown } | null {
  try {
    const frame: unknown = JSON.parse(text ?? "");
    return typeof frame === "object" ? frame : null;
  } catch {
    return null;
  }
}
