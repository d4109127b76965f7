import type { DisconnectPorts } from "../ports.ts";

/** Removes the socket of a connection that has ended. Safe to repeat. The gateway does not report every end. */
export async function disconnectSocket({ sockets }: DisconnectPorts, connectionId: string): Promise<void> {
  const tenant = await sockets.tenantOf(connectionId);
  if (tenant) await sockets.remove(tenant, [connectionId]);
}
