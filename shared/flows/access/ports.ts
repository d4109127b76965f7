import type { ReadKeyRing } from "../../kernel/key-ring.ts";
import type { ApiKeys } from "../../stores/access/api-keys.ts";
import type { Invites } from "../../stores/access/invites.ts";
import type { Memberships } from "../../stores/access/memberships.ts";
import type { RequestQuota } from "../../stores/access/request-quota.ts";
import type { TenantStatuses } from "../../stores/access/tenant-status.ts";
import type { Tenants } from "../../stores/access/tenants.ts";
import type { Users } from "../../stores/access/users.ts";
import type { CutOffPorts } from "../realtime/ports.ts";

export interface KeyPorts {
  readonly apiKeys: ApiKeys;
  /** The peppers of API key hashes. */
  readonly peppers: ReadKeyRing;
}

export interface KeyListPorts {
  readonly apiKeys: Pick<ApiKeys, "list">;
}

export interface KeyRevocationPorts extends CutOffPorts {
  readonly apiKeys: Pick<ApiKeys, "getListed" | "revoke">;
}

export interface TenantPorts {
  readonly tenants: Pick<Tenants, "create">;
  /** The keys of the hashes of addresses. */
  readonly addressKeys: ReadKeyRing;
}

export interface OwnerPorts {
  readonly tenants: Pick<Tenants, "get">;
  readonly invites: Pick<Invites, "list" | "create" | "revoke">;
  readonly memberships: Pick<Memberships, "get" | "changeRole">;
  readonly users: Pick<Users, "getIdByAddress">;
  readonly addressKeys: ReadKeyRing;
}

export interface TenantStatusPorts extends CutOffPorts {
  readonly tenantStatuses: TenantStatuses;
}

/** What the requests of a session need. */
export interface SessionPorts {
  readonly users: Pick<Users, "readSession">;
  /** Signs sessions. */
  readonly sessionKeys: ReadKeyRing;
}

export interface RequestQuotaPorts {
  readonly requestQuota: RequestQuota;
}
