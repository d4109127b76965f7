import type { ReadKeyRing } from "#base/kernel/key-ring.ts";
import type { CutOffPorts } from "#features/realtime/ports.ts";
import type { JournalPorts } from "#features/recovery/journal.ts";
import type { TenantStatuses } from "#features/tenants/store/tenant-status.ts";
import type { Tenants } from "#features/tenants/store/tenants.ts";
import type { ApiKeys } from "./store/api-keys.ts";
import type { Invites } from "./store/invites.ts";
import type { Memberships } from "./store/memberships.ts";
import type { RequestQuota } from "./store/request-quota.ts";
import type { Users } from "./store/users.ts";

export interface KeyPorts {
  readonly apiKeys: ApiKeys;
  /** The peppers of API key hashes. */
  readonly peppers: ReadKeyRing;
}

export interface KeyListPorts {
  readonly apiKeys: Pick<ApiKeys, "list">;
}

export interface KeyRevocationPorts extends CutOffPorts, JournalPorts {
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

export interface TenantStatusPorts extends CutOffPorts, JournalPorts {
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

/** What a person reads of their tenants. */
export interface ListOwnTenantPorts {
  readonly tenants: Pick<Tenants, "list">;
  readonly memberships: Pick<Memberships, "ofUser">;
  readonly users: Pick<Users, "emails">;
}

/** How many tenants a person may have. */
export interface TenantLimits {
  /** Tenants that a person may own and still create another one. */
  readonly perOwner: number;
  /** Tenants that a person may create in a day of UTC. */
  readonly perDay: number;
}

export interface OwnTenantPorts extends ListOwnTenantPorts {
  readonly tenants: Pick<Tenants, "change" | "createOwned" | "get" | "list">;
  readonly users: Pick<Users, "readCreations" | "emails">;
  readonly tenantLimits: TenantLimits;
  /** Whether anyone who is signed in may create a tenant. */
  readonly isSignUpOpen: boolean;
}
