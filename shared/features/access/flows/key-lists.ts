import { isUlid } from "#base/kernel/ids.ts";
import { REVOKED_KEY_RETENTION } from "#base/kernel/limits.ts";
import { type Refusal, refuse } from "#base/kernel/refusals.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import type { Millis } from "#base/kernel/time.ts";
import { closeAgain, endAccess } from "#features/realtime/cut-off.ts";
import type { Grant } from "#features/realtime/rules/sockets.ts";
import { journaled } from "#features/recovery/journal.ts";
import type { KeyListPorts, KeyRevocationPorts } from "../ports.ts";
import { type Author, actingMember, auditEntry } from "../rules/callers.ts";
import type { ListedKey } from "../store/items.ts";
import { refuseScope } from "./keys.ts";

/** Lists the keys of a tenant, oldest first. A revoked key is listed for 90 days. */
export async function listKeys(ports: KeyListPorts, tenant: TenantId, now: Millis): Promise<ListedKey[]> {
  return (await ports.apiKeys.list(tenant)).filter((key) => isListed(key, now));
}

/** Lists the operator keys in the same way. */
export async function listOperatorKeys(ports: KeyListPorts, now: Millis): Promise<ListedKey[]> {
  return (await ports.apiKeys.list(null)).filter((key) => isListed(key, now));
}

/**
 * Revokes a key of a tenant, so that its next request is refused, and closes its sockets. Safe to repeat: only the
 * revocation itself leaves an audit row, and a repetition closes sockets that are still open. A test key revokes no
 * live key. `role_forbidden`: the person is no longer an admin.
 */
export async function revokeKey(
  ports: KeyRevocationPorts,
  { tenant, keyId, author, now }: { tenant: TenantId; keyId: string; author: Author; now: Millis },
): Promise<null | Refusal<"key_not_found" | "live_key_required" | "role_forbidden">> {
  const key = isUlid(keyId) ? await ports.apiKeys.getListed(tenant, keyId) : null;
  if (!key || !isListed(key, now)) return refuse("key_not_found");
  const refusal = refuseScope(author, key.scope);
  if (refusal) return refusal;
  const result = await revoke(ports, key, { author, now });
  if (result === "actor_changed") return refuse("role_forbidden");
  return result === "not_found" ? refuse("key_not_found") : null;
}

/** Revokes an operator key in the same way, with an audit row for each of its tenants. */
export async function revokeOperatorKey(
  ports: KeyRevocationPorts,
  { keyId, author, now }: { keyId: string; author: Author; now: Millis },
): Promise<null | Refusal<"key_not_found">> {
  const key = isUlid(keyId) ? await ports.apiKeys.getListed(null, keyId) : null;
  if (!key || !isListed(key, now)) return refuse("key_not_found");
  return (await revoke(ports, key, { author, now })) === "not_found" ? refuse("key_not_found") : null;
}

async function revoke(
  ports: KeyRevocationPorts,
  key: ListedKey,
  { author, now }: { author: Author; now: Millis },
): ReturnType<KeyRevocationPorts["apiKeys"]["revoke"]> {
  const access = {
    tenants: key.tenants,
    includes: (grant: Grant) => grant.kind !== "session" && grant.keyId === key.id,
  };
  if (key.status === "revoked") {
    await closeAgain(ports, access);
    return "already_revoked";
  }
  const action = key.kind === "operator" ? "operator_key.revoke" : "key.revoke";
  const entry = auditEntry(author, { action, resource: `key:${key.id}`, detail: { scope: key.scope }, at: now });
  const audits = key.tenants.map((tenant) => ({ tenant, entry }));
  const write = () => ports.apiKeys.revoke(key, { audits, actor: actingMember(author, "admin"), now });
  const act = { kind: "key.revoke", keyId: key.id } as const;
  const revocation = () =>
    journaled(ports, { act, at: now }, write, (result) => result === "not_found" || result === "actor_changed");
  return endAccess(ports, access, revocation, (result) => result === "revoked");
}

/** DynamoDB removes an expired row up to days late. */
function isListed({ revokedAt }: ListedKey, now: Millis): boolean {
  return revokedAt === null || revokedAt + REVOKED_KEY_RETENTION > now;
}
