import { newUlid } from "#base/kernel/ids.ts";
import { SOCKET_LIFETIME } from "#base/kernel/limits.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { MINUTE, type Millis } from "#base/kernel/time.ts";
import type { Table } from "#base/table/client.ts";
import { apiKeyItemKey } from "#features/access/store/items.ts";
import type { Socket } from "#features/realtime/rules/sockets.ts";
import { socketStore } from "#features/realtime/store/sockets.ts";
import { writeItem } from "../../../../../support/stores/items.ts";

/** Opens a socket of a tenant, as its handshake does, with a key that is made for it. @param age since when it is open */
export async function openSocket(
  table: Table,
  tenant: TenantId,
  {
    now,
    age = MINUTE,
    includesConversation = false,
  }: { readonly now: Millis; readonly age?: Millis; readonly includesConversation?: boolean },
): Promise<Socket> {
  await writeItem(table, { ...apiKeyItemKey(tenant, "key-1"), st: "active" });
  const connectedAt = now - age;
  const connectionId = `c-${newUlid(now)}`;
  const grant = { kind: "tenant_key", keyId: "key-1" } as const;
  const expiresAt = connectedAt + SOCKET_LIFETIME;
  const socket = { connectionId, grant, connectedAt, expiresAt, includesConversation };
  const result = await socketStore(table).connect(tenant, socket);
  if (result !== "connected") throw new Error(`The socket was not opened: ${result}.`);
  return socket;
}
