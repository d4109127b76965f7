import { PutCommand } from "@aws-sdk/lib-dynamodb";
import { SOCKET_LIFETIME } from "../../../../../shared/domain/limits.ts";
import type { Socket } from "../../../../../shared/domain/realtime/sockets.ts";
import { newUlid } from "../../../../../shared/kernel/ids.ts";
import type { TenantId } from "../../../../../shared/kernel/tenant.ts";
import { MINUTE, type Millis } from "../../../../../shared/kernel/time.ts";
import type { Table } from "../../../../../shared/stores/client.ts";
import { apiKeyItemKey } from "../../../../../shared/stores/keys.ts";
import { socketStore } from "../../../../../shared/stores/realtime/sockets.ts";

/** Opens a socket of a tenant, as its handshake does, with a key that is made for it. @param age since when it is open */
export async function openSocket(
  table: Table,
  tenant: TenantId,
  { now, age = MINUTE }: { readonly now: Millis; readonly age?: Millis },
): Promise<Socket> {
  await table.client.send(
    new PutCommand({ TableName: table.name, Item: { ...apiKeyItemKey(tenant, "key-1"), st: "active" } }),
  );
  const connectedAt = now - age;
  const connectionId = `c-${newUlid(now)}`;
  const grant = { kind: "tenant_key", keyId: "key-1" } as const;
  const socket = { connectionId, grant, connectedAt, expiresAt: connectedAt + SOCKET_LIFETIME };
  const result = await socketStore(table).connect(tenant, socket);
  if (result !== "connected") throw new Error(`The socket was not opened: ${result}.`);
  return socket;
}
