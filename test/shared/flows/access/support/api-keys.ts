import { type CreatedKey, createKey as create } from "../../../../../shared/flows/access/keys.ts";
import type { KeyPorts } from "../../../../../shared/flows/access/ports.ts";
import { isRefusal } from "../../../../../shared/kernel/refusals.ts";
import type { Tenants } from "../../../../../shared/stores/access/tenants.ts";

type Ports = KeyPorts & { readonly tenants: Pick<Tenants, "create" | "get"> };

/** Creates a key of one tenant, which is created if it does not exist. @throws Error when the key is refused */
export async function createKey(
  ports: Ports,
  ...[id, settings, now]: [Parameters<typeof create>[1], Parameters<typeof create>[2], Parameters<typeof create>[3]]
): Promise<CreatedKey> {
  if (!(await ports.tenants.get(id))) {
    // In the audit log, rows of one millisecond have no order.
    const createdAt = now - 1;
    const tenant = { id, name: id, status: "active", ownerEmail: null, createdAt } as const;
    const audit = {
      action: "tenant.create",
      resource: `tenant:${id}`,
      actor: "cli",
      ip: null,
      detail: {},
      at: createdAt,
    } as const;
    await ports.tenants.create(tenant, audit);
  }
  const key = await create(ports, id, settings, now);
  if (isRefusal(key)) throw new Error(`The key was refused: ${key.refused}.`);
  return key;
}
