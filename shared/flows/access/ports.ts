import type { ReadKeyRing } from "../../kernel/key-ring.ts";
import type { ApiKeys } from "../../stores/access/api-keys.ts";
import type { TenantStatuses } from "../../stores/access/tenant-status.ts";
import type { Tenants } from "../../stores/access/tenants.ts";

export interface KeyPorts {
  readonly apiKeys: ApiKeys;
  /** The peppers of API key hashes. */
  readonly peppers: ReadKeyRing;
}

export interface KeyListPorts {
  readonly apiKeys: Pick<ApiKeys, "list" | "getListed" | "revoke">;
}

export interface TenantPorts {
  readonly tenants: Pick<Tenants, "create">;
}

export interface TenantStatusPorts {
  readonly tenantStatuses: TenantStatuses;
}
