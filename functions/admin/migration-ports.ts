import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { setting } from "#base/config/settings.ts";
import { openTable } from "#base/table/client.ts";
import type { MigrationPorts } from "#features/migrations/ports.ts";
import { migrationProgressStore } from "#features/migrations/store/progress.ts";
import { migrationSteps, SEGMENTS } from "#features/migrations/store/steps.ts";
import { clientSettings, type Environment } from "./tenant-ports.ts";

/** What `migrate` needs: only the table. */
export function migrationPorts(environment: Environment): MigrationPorts {
  const { tableService } = clientSettings(environment);
  const table = openTable(setting("table", environment), new DynamoDBClient(tableService));
  return { progress: migrationProgressStore(table), steps: migrationSteps(table), segments: SEGMENTS };
}
