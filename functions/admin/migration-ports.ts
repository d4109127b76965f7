import type { MigrationPorts } from "#features/migrations/ports.ts";
import { migrationProgressStore } from "#features/migrations/store/progress.ts";
import { migrationSteps, SEGMENTS } from "#features/migrations/store/steps.ts";
import { compose } from "../compose.ts";
import { table } from "../ports/table.ts";
import { commandHost, type Environment } from "./tenant-ports.ts";

/** What `migrate` needs: only the table. */
export function migrationPorts(environment: Environment): MigrationPorts {
  const { table: opened } = compose(commandHost(environment), { table });
  return { progress: migrationProgressStore(opened), steps: migrationSteps(opened), segments: SEGMENTS };
}
