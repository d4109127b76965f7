import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { S3Client } from "@aws-sdk/client-s3";
import { openFiles } from "../../shared/aws/files.ts";
import { setting } from "../../shared/config/settings.ts";
import type { DeleteTenantPorts } from "../../shared/flows/deletion/ports.ts";
import { openTable } from "../../shared/stores/client.ts";
import { quarantineStore } from "../../shared/stores/dead-letters/quarantine.ts";
import { tenantDeletionStore } from "../../shared/stores/deletion/tenant-deletions.ts";
import { tenantRowStore } from "../../shared/stores/deletion/tenant-rows.ts";
import { uploadRemovalStore } from "../../shared/stores/uploads/upload-removals.ts";
import { clientSettings, type Environment } from "./tenant-ports.ts";

/** The ports of the deletion of a tenant: the table and the bucket of uploads. */
export function deletionPorts(environment: Environment): DeleteTenantPorts {
  const { services, tableService } = clientSettings(environment);
  const table = openTable(setting("table", environment), new DynamoDBClient(tableService));
  return {
    tenantDeletions: tenantDeletionStore(table),
    tenantRows: tenantRowStore(table),
    quarantine: quarantineStore(table),
    uploadRemovals: uploadRemovalStore(table),
    uploadFiles: openFiles(
      setting("uploadBucket", environment),
      // An emulator at an IP address has no host name per bucket.
      new S3Client({ ...services, forcePathStyle: services.endpoint !== undefined }),
    ),
  };
}
