import type { MigrationProgressStore } from "./store/progress.ts";
import type { MigrationStep } from "./store/steps.ts";

export interface MigrationPorts {
  readonly progress: MigrationProgressStore;
  /** The steps of this release, in order. */
  readonly steps: readonly MigrationStep[];
  /** The number of segments of the table. */
  readonly segments: number;
}
