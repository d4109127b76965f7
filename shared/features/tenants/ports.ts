import type { ReadKeyRing } from "#base/kernel/key-ring.ts";
import type { Invites } from "#features/access/store/invites.ts";
import type { Memberships } from "#features/access/store/memberships.ts";
import type { Users } from "#features/access/store/users.ts";
import type { ReconcilePorts } from "#features/accounts/ports.ts";
import type { Accounts } from "#features/accounts/store/accounts.ts";
import type { Quarantine } from "#features/dead-letters/store/quarantine.ts";
import type { CutOffPorts } from "#features/realtime/ports.ts";
import type { JournalPorts } from "#features/recovery/journal.ts";
import type { RemoveUploadsPorts } from "#features/uploads/ports.ts";
import type { TenantDeletions } from "./store/tenant-deletions.ts";
import type { TenantRows } from "./store/tenant-rows.ts";
import type { TenantStatuses } from "./store/tenant-status.ts";
import type { Tenants } from "./store/tenants.ts";

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

export interface DeleteTenantPorts extends RemoveUploadsPorts, ReconcilePorts, CutOffPorts, JournalPorts {
  readonly accounts: ReconcilePorts["accounts"] & Pick<Accounts, "listAll">;
  readonly tenantDeletions: TenantDeletions;
  readonly tenantRows: TenantRows;
  readonly quarantine: Pick<Quarantine, "listStored" | "removeAll">;
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
