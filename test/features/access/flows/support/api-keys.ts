import { isRefusal, type Refusal } from "#base/kernel/refusals.ts";
import type { Millis } from "#base/kernel/time.ts";
import { authenticate } from "#features/access/authenticate.ts";
import { type CreatedKey, createKey as create } from "#features/access/flows/keys.ts";
import type { KeyPorts } from "#features/access/ports.ts";
import { type KeyCaller, refuseSuspendedKey } from "#features/access/rules/callers.ts";
import type { Tenants } from "#features/tenants/store/tenants.ts";

/** The caller of a key, or the refusal of a request with it that is within the rate limit. */
export async function callerOf(
  ports: KeyPorts,
  { secret }: Pick<CreatedKey, "secret">,
  now: Millis,
): Promise<KeyCaller | Refusal> {
  const caller = await authenticate(ports, `Bearer ${secret}`, now);
  return isRefusal(caller) ? caller : (refuseSuspendedKey(caller) ?? caller);
}

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
