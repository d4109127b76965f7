import type { ApiKeys } from "../../stores/access/api-keys.ts";
import type { TenantStatuses } from "../../stores/access/tenant-status.ts";
import type { Tenants } from "../../stores/access/tenants.ts";

export interface KeyPorts {
  readonly apiKeys: ApiKeys;
  readonly pepper: () => Promise<Uint8Array>;
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
