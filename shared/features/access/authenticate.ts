import { KEY_USE_INTERVAL } from "#base/kernel/limits.ts";
import { isRefusal, type Refusal, refuse } from "#base/kernel/refusals.ts";
import type { Millis } from "#base/kernel/time.ts";
import { findKey } from "./flows/find-key.ts";
import type { KeyPorts } from "./ports.ts";
import { parseApiKey } from "./rules/api-keys.ts";
import { type KeyCaller, refuseSuspendedKey } from "./rules/callers.ts";
import type { ApiKey } from "./store/api-key-items.ts";

const HEADER_CHARS_MAX = 200;

/**
 * Identifies the caller by the Authorization header. A key with a wrong checksum is refused without a read. Any other
 * key is read consistently, so that a revocation takes effect at the next request, and so does a tenant's suspension,
 * which its keys' rows carry: the caller of a suspended tenant is counted before it is refused. The row also says when the key was last used, so that an hour passes until its next use is
 * recorded.
 */
export async function authenticate(
  ports: KeyPorts,
  authorization: string | undefined,
  now: Millis,
): Promise<KeyCaller | Refusal<"unauthorized">> {
  const secret = readKey(authorization);
  if (!secret) return refuse("unauthorized");
  const storedKey = await findKey(ports, secret);
  if (storedKey?.key.status !== "active") return refuse("unauthorized");
  const { key, hash } = storedKey;
  const caller = toCaller(key);
  const isUseDue = key.lastUsedAt === null || key.lastUsedAt <= now - KEY_USE_INTERVAL;
  if (!isRefusal(caller) && !refuseSuspendedKey(caller) && isUseDue) await ports.apiKeys.recordUse(key, hash, now);
  return caller;
}

/** Whether the Authorization header has the form of a key's, with its checksum. It reads nothing. */
export function hasKeyForm(authorization: string | undefined): boolean {
  return readKey(authorization) !== null;
}

function readKey(authorization: string | undefined): string | null {
  if (!authorization || authorization.length > HEADER_CHARS_MAX) return null;
  const [, token = ""] = /^bearer +(\S+)$/i.exec(authorization) ?? [];
  return parseApiKey(token);
}

function toCaller(key: ApiKey): KeyCaller | Refusal<"unauthorized"> {
  const { id: keyId, scope, tenants, suspendedTenants } = key;
  if (key.kind === "operator") return { kind: "operator_key", keyId, tenants, suspendedTenants, scope };
  const [tenant] = tenants;
  if (!tenant) return refuse("unauthorized");
  const suspension = suspendedTenants.includes(tenant) ? ({ isSuspended: true } as const) : {};
  return { kind: "tenant_key", keyId, tenant, scope, ...suspension };
}
