import type { ReconcilePorts } from "#features/accounts/ports.ts";
import type { Accounts } from "#features/accounts/store/accounts.ts";
import type { Quarantine } from "#features/dead-letters/store/quarantine.ts";
import type { CutOffPorts } from "#features/realtime/ports.ts";
import type { JournalPorts } from "#features/recovery/journal.ts";
import type { RemoveUploadsPorts } from "#features/uploads/ports.ts";
import type { TenantDeletions } from "./store/tenant-deletions.ts";
import type { TenantRows } from "./store/tenant-rows.ts";

export interface DeleteTenantPorts extends RemoveUploadsPorts, ReconcilePorts, CutOffPorts, JournalPorts {
  readonly accounts: ReconcilePorts["accounts"] & Pick<Accounts, "listAll">;
  readonly tenantDeletions: TenantDeletions;
  readonly tenantRows: TenantRows;
  readonly quarantine: Pick<Quarantine, "listStored" | "removeAll">;
}
