import { GATEWAY_MESSAGE_BYTES_MAX } from "#base/kernel/limits.ts";
import { allDone } from "#base/kernel/parallel.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import type { StoredSocket } from "../../store/items.ts";
import { HANDSHAKE_MAX } from "../hello.ts";
import type { PushRun } from "./batch.ts";
import { isGreeted } from "./greet.ts";
import type { PushPorts } from "./ports.ts";

/** With so many failed posts the management API does not work, and the others need not wait for it. */
const FAILURES_MAX = 10;

/** Frames for the sockets of a tenant. */
export interface Push {
  readonly tenant: TenantId;
  readonly sockets: readonly StoredSocket[];
  readonly frames: readonly string[];
  /** The same for sockets whose frame of a message has the conversation. Default: `frames`. */
  readonly joinedFrames?: readonly string[];
}

/**
 * Sends frames to sockets, all in parallel, in no promised order. A connection that is gone loses its row. A socket without
 * its first frame gets them after it: what its client fetches then may be from before this batch, because its reads may be
 * behind.
 * @throws the failure of a post when all have ended: the message is then received again, and pushes everything again
 */
export async function postFrames(
  ports: PushPorts,
  { tenant, sockets, frames, joinedFrames = frames }: Push,
  run: PushRun,
): Promise<void> {
  const fitting = new Set([...new Set([...frames, ...joinedFrames])].filter((text) => fits(ports, tenant, text)));
  const textsFor = ({ includesConversation }: StoredSocket) =>
    (includesConversation ? joinedFrames : frames).filter((text) => fitting.has(text));
  const gone = new Set<StoredSocket>();
  const failures: unknown[] = [];
  const post = async (socket: StoredSocket, text: string) => {
    if (gone.has(socket) || failures.length >= FAILURES_MAX) return;
    const result = await ports.connections.post(socket.connectionId, text).catch((error: unknown) => {
      failures.push(error);
    });
    if (result === "gone") gone.add(socket);
  };
  await allDone(
    sockets.map(async (socket) => {
      const stands = await isGreeted(ports, { tenant, socket }, run).catch((error: unknown) => {
        failures.push(error);
        return false;
      });
      if (!stands && socket.connectedAt > run.now() - HANDSHAKE_MAX) run.awaited.add(socket.connectionId);
      if (stands) await allDone(textsFor(socket).map((text) => run.post(() => post(socket, text))));
    }),
  );
  const now = run.now();
  const closed = [...gone].filter(({ connectedAt }) => connectedAt <= now - HANDSHAKE_MAX);
  if (closed.length > 0)
    await ports.sockets.remove(
      tenant,
      closed.map(({ connectionId }) => connectionId),
    );
  if (failures.length > 0) throw failures[0];
}

function fits({ log }: PushPorts, tenant: TenantId, text: string): boolean {
  const bytes = Buffer.byteLength(text);
  if (bytes <= GATEWAY_MESSAGE_BYTES_MAX) return true;
  log({ event: "realtime.frame_too_large", tenant, bytes });
  return false;
}
