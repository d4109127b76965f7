import type { Accounts } from "../../stores/accounts/accounts.ts";
import type { Quarantine } from "../../stores/dead-letters/quarantine.ts";
import type { TenantDeletions } from "../../stores/deletion/tenant-deletions.ts";
import type { TenantRows } from "../../stores/deletion/tenant-rows.ts";
import type { SubscriptionPorts } from "../accounts/ports.ts";
import type { CutOffPorts } from "../realtime/ports.ts";
import type { RemoveUploadsPorts } from "../uploads/ports.ts";

export interface DeleteTenantPorts extends RemoveUploadsPorts, SubscriptionPorts, CutOffPorts {
  readonly accounts: Pick<Accounts, "getRoute" | "listAll">;
  readonly tenantDeletions: TenantDeletions;
  readonly tenantRows: TenantRows;
  readonly quarantine: Pick<Quarantine, "listStored" | "removeAll">;
}
