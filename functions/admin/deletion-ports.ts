import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { setting } from "../../shared/config/settings.ts";
import type { DeleteTenantPorts } from "../../shared/flows/deletion/ports.ts";
import { openTable } from "../../shared/stores/client.ts";
import { quarantineStore } from "../../shared/stores/dead-letters/quarantine.ts";
import { tenantDeletionStore } from "../../shared/stores/deletion/tenant-deletions.ts";
import { tenantRowStore } from "../../shared/stores/deletion/tenant-rows.ts";
import { clientSettings, type Environment } from "./tenant-ports.ts";

/** The ports of the deletion of a tenant: the table. */
export function deletionPorts(environment: Environment): DeleteTenantPorts {
  const { tableService } = clientSettings(environment);
  const table = openTable(setting("table", environment), new DynamoDBClient(tableService));
  return {
    tenantDeletions: tenantDeletionStore(table),
    tenantRows: tenantRowStore(table),
    quarantine: quarantineStore(table),
  };
}
