import { API_KEY_RANDOM_BYTES, apiKeyPrefix, formatApiKey } from "../../domain/access/api-keys.ts";
import type { Account } from "../../domain/accounts/accounts.ts";
import { accountKey } from "../../domain/accounts/accounts.ts";
import type { Scope } from "../../domain/inbox/messages.ts";
import { randomToken } from "../../kernel/bytes.ts";
import { newUlid } from "../../kernel/ids.ts";
import type { TenantId } from "../../kernel/tenant.ts";
import type { Millis } from "../../kernel/time.ts";
import type { KeyPorts, TenantPorts } from "../ports.ts";
import { apiKeyHash } from "./authenticate.ts";

export interface CreatedKey {
  readonly id: string;
  readonly prefix: string;
  /** Shown this once: only its hash is kept. */
  readonly secret: string;
  readonly scope: Scope;
  readonly label: string;
  readonly createdAt: Millis;
}

/** Who did it, as the audit trail names them, and from which address where a gateway saw one. */
interface AuditActor {
  readonly actor: string;
  readonly ip?: string | null;
}

/** A new workspace. @returns false when the slug is taken */
export function createTenant(
  ports: Pick<TenantPorts, "tenants">,
  tenant: TenantId,
  settings: AuditActor & { name: string; ownerEmail: string | null },
  now: Millis,
): Promise<boolean> {
  const { name, ownerEmail, actor, ip = null } = settings;
  return ports.tenants.create(
    { id: tenant, name, status: "active", ownerEmail, createdAt: now },
    { action: "tenant.create", resource: `tenant:${tenant}`, actor, ip, detail: {}, at: now },
  );
}

/** A key bound to one tenant. */
export function createKey(
  ports: KeyPorts,
  tenant: TenantId,
  settings: AuditActor & { scope: Scope; label: string },
  now: Millis,
): Promise<CreatedKey> {
  return mintApiKey(ports, "tenant", [tenant], settings, now);
}

/** A key that opens several tenants, each of which it must name. */
export function createOperatorKey(
  ports: KeyPorts,
  tenants: readonly TenantId[],
  settings: AuditActor & { scope: Scope; label: string },
  now: Millis,
): Promise<CreatedKey> {
  return mintApiKey(ports, "operator", tenants, settings, now);
}

async function mintApiKey(
  ports: KeyPorts,
  kind: "tenant" | "operator",
  tenants: readonly TenantId[],
  settings: AuditActor & { scope: Scope; label: string },
  now: Millis,
): Promise<CreatedKey> {
  const { scope, label, actor, ip = null } = settings;
  const secret = formatApiKey(scope, randomToken(API_KEY_RANDOM_BYTES));
  const apiKey = { id: newUlid(now), prefix: apiKeyPrefix(secret), scope, label, createdAt: now };
  const action = kind === "operator" ? "operator_key.create" : "key.create";
  await ports.apiKeys.create(
    { ...apiKey, tenants, kind, status: "active" },
    apiKeyHash(await ports.pepper(), secret),
    tenants.map((tenant) => ({
      tenant,
      entry: { action, resource: `key:${apiKey.id}`, actor, ip, detail: { scope }, at: now },
    })),
  );
  return { ...apiKey, secret };
}

/** Writes a connected account with its token sealed. The platform is not asked. */
export async function connectAccount(
  ports: Pick<TenantPorts, "accounts" | "vault">,
  tenant: TenantId,
  account: Omit<Account, "status" | "refreshError" | "lastRefreshedAt" | "sealedToken">,
  settings: AuditActor & { token: string },
  now: Millis,
): Promise<void> {
  const { token, actor, ip = null } = settings;
  const key = accountKey(account);
  const sealedToken = await ports.vault.seal(token, { purpose: "account-token", tenant, owner: key });
  await ports.accounts.connect(
    tenant,
    { ...account, status: "active", refreshError: null, lastRefreshedAt: now, sealedToken },
    {
      action: "account.connect",
      resource: `account:${key}`,
      actor,
      ip,
      detail: { connection: account.connection },
      at: now,
    },
  );
}
