import type { TenantId } from "#base/kernel/tenant.ts";
import { type Millis, SECOND } from "#base/kernel/time.ts";
import type { ConnectPorts } from "../ports.ts";
import { encodeRealtime } from "../queue.ts";

/**
 * The delay of the first frame of a socket, from the write of the socket and of its accounts' marks. After it the gateway
 * has the answer to the handshake, and the reads of every worker find the socket. At the first frame the client fetches
 * what it shows, and so gets what was not pushed before.
 */
export const VISIBLE_AFTER: Millis = 2 * SECOND;
/**
 * A connection of this age whose first frame is not sent gets it with its next event. A younger one waits for its own request:
 * its row may have been stored as late as the function of the handshake may run, 15 seconds, by a clock that is behind.
 */
export const HELLO_OVERDUE_AFTER: Millis = 20 * SECOND;
/** The gateway waits this long for the answer to a handshake. Until then it does not know the connection. */
export const HANDSHAKE_MAX: Millis = 30 * SECOND;

/** Has the push worker send the first frame of a connection. */
export function requestHello(
  { realtime }: Pick<ConnectPorts, "realtime">,
  tenant: TenantId,
  connectionId: string,
): Promise<void> {
  const body = encodeRealtime({ tenant, kind: "hello", connectionId });
  return realtime.send({ body, group: tenant, delay: VISIBLE_AFTER });
}
