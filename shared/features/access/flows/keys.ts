import { randomToken } from "#base/kernel/bytes.ts";
import { newUlid } from "#base/kernel/ids.ts";
import { type Refusal, refuse } from "#base/kernel/refusals.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import type { Millis } from "#base/kernel/time.ts";
import { keyLookup } from "../authenticate.ts";
import type { KeyPorts } from "../ports.ts";
import {
  API_KEY_RANDOM_BYTES,
  type Author,
  actingMember,
  apiKeyPrefix,
  auditEntry,
  formatApiKey,
} from "../rules/callers.ts";
import type { Scope } from "../rules/scope.ts";
import type { KeyCreation } from "../store/api-keys.ts";

interface KeySettings {
  readonly author: Author;
  readonly scope: Scope;
  readonly label: string;
  /** Whether its requests are refused for a parameter or a field that their route does not know. Default: that of a test key. */
  readonly strict?: boolean | undefined;
}

export interface CreatedKey {
  readonly id: string;
  readonly prefix: string;
  /** Returned once. Only its hash is stored. */
  readonly secret: string;
  readonly scope: Scope;
  readonly isStrict?: true;
  readonly label: string;
  readonly createdAt: Millis;
}

/**
 * Creates a key of one tenant. A test key creates no live key. `unauthorized`: the tenant is being deleted or
 * does not exist; `role_forbidden`: the person is no longer an admin.
 */
export async function createKey(
  ports: KeyPorts,
  tenant: TenantId,
  settings: KeySettings,
  now: Millis,
): Promise<CreatedKey | Refusal<"live_key_required" | "key_limit" | "unauthorized" | "role_forbidden">> {
  const refusal = refuseScope(settings.author, settings.scope);
  if (refusal) return refusal;
  const key = await mintApiKey(ports, { ...settings, kind: "tenant", tenants: [tenant], now });
  if (key === "limit") return refuse("key_limit");
  if (key === "actor_changed") return refuse("role_forbidden");
  return key === "tenant_deleted" ? refuse("unauthorized") : key;
}

/** Creates a key of several tenants. Its requests must name the tenant. */
export async function createOperatorKey(
  ports: KeyPorts,
  tenants: readonly TenantId[],
  settings: KeySettings,
  now: Millis,
): Promise<CreatedKey> {
  const key = await mintApiKey(ports, { ...settings, kind: "operator", tenants, now });
  if (key === "limit" || key === "actor_changed") throw new Error("Operator keys have neither a limit nor a member.");
  if (key === "tenant_deleted") throw new Error("A tenant of the operator key is being deleted.");
  return key;
}

/** Refuses a test key what concerns a live key. Null if it is allowed. */
export function refuseScope(author: Author, scope: Scope): Refusal<"live_key_required"> | null {
  return "caller" in author && author.caller.scope === "test" && scope === "live" ? refuse("live_key_required") : null;
}

interface NewKey extends KeySettings {
  readonly kind: "tenant" | "operator";
  readonly tenants: readonly TenantId[];
  readonly now: Millis;
}

async function mintApiKey(ports: KeyPorts, newKey: NewKey): Promise<CreatedKey | Exclude<KeyCreation, "created">> {
  const { kind, tenants, author, scope, label, now, strict = scope === "test" } = newKey;
  const secret = formatApiKey(scope, randomToken(API_KEY_RANDOM_BYTES));
  const strictness = strict ? ({ isStrict: true } as const) : {};
  const apiKey = { id: newUlid(now), prefix: apiKeyPrefix(secret), scope, ...strictness, label, createdAt: now };
  const action = kind === "operator" ? "operator_key.create" : "key.create";
  const result = await ports.apiKeys.create(
    { ...apiKey, tenants, kind },
    keyLookup((await ports.peppers()).current, secret),
    tenants.map((tenant) => ({
      tenant,
      entry: auditEntry(author, { action, resource: `key:${apiKey.id}`, detail: { scope }, at: now }),
    })),
    actingMember(author, "admin"),
  );
  return result === "created" ? { ...apiKey, secret } : result;
}
