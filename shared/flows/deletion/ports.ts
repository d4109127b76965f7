import type { Quarantine } from "../../stores/dead-letters/quarantine.ts";
import type { TenantDeletions } from "../../stores/deletion/tenant-deletions.ts";
import type { TenantRows } from "../../stores/deletion/tenant-rows.ts";

export interface DeleteTenantPorts {
  readonly tenantDeletions: TenantDeletions;
  readonly tenantRows: TenantRows;
  readonly quarantine: Pick<Quarantine, "listStored" | "removeAll">;
}
