import { GetCommand } from "@aws-sdk/lib-dynamodb";
import { MINUTE, type Millis } from "#base/kernel/time.ts";
import type { Table } from "#base/table/client.ts";
import { conditionalWrite } from "#base/table/conditional-write.ts";
import { absentOr, atMost, equals } from "#base/table/expressions.ts";
import type { Key } from "#base/table/keys.ts";
import { update } from "#base/table/writes.ts";

/** The stored names, which never change. */
const A = {
  completed: "c",
  leaseUntil: "le",
  position: "p",
  run: "o",
} as const;

/** How long a run that was stopped keeps others from starting. A run in progress renews it. */
export const MIGRATION_LEASE: Millis = MINUTE;

export const migrationKey: Key = { PK: "MIGRATION", SK: "M" };

/** How far the migration of the table has come. */
export interface MigrationProgress {
  /** The number of the last step that is complete; 0 before the first. */
  readonly completed: number;
  /** How many segments of the table the step after it has processed. */
  readonly position: number;
}

export type MigrationStart =
  | { readonly kind: "started"; readonly progress: MigrationProgress }
  | { readonly kind: "busy"; readonly leaseUntil: Millis };

export type MigrationProgressStore = ReturnType<typeof migrationProgressStore>;

/** One row of the table: the progress, and a lease, so that of several runs one works. */
export function migrationProgressStore({ client, name: TableName }: Table) {
  const table = { client, name: TableName };
  return {
    /** Read consistently. */
    async read(): Promise<MigrationProgress> {
      const { Item } = await client.send(new GetCommand({ TableName, Key: migrationKey, ConsistentRead: true }));
      return toProgress(Item as MigrationItem | undefined);
    },

    /** Takes the lease, unless another run has it. @param run unique */
    async start(run: string, now: Millis): Promise<MigrationStart> {
      const set = { [A.run]: run, [A.leaseUntil]: now + MIGRATION_LEASE };
      const isFree = absentOr(atMost, A.leaseUntil, now);
      const write = update(migrationKey, { set }, isFree, "ALL_NEW");
      const result = await conditionalWrite<MigrationItem>(table, write, { ownMark: set });
      if (result.applied) return { kind: "started", progress: toProgress(result.item) };
      return { kind: "busy", leaseUntil: result.current?.[A.leaseUntil] ?? now };
    },

    /** Stores the progress and renews the lease. Safe to repeat. @returns false when another run has the lease */
    async save(run: string, { completed, position }: MigrationProgress, now: Millis): Promise<boolean> {
      const set = { [A.completed]: completed, [A.position]: position, [A.leaseUntil]: now + MIGRATION_LEASE };
      return (await conditionalWrite(table, update(migrationKey, { set }, equals(A.run, run)))).applied;
    },

    /** Gives the lease back. Nothing when another run has it. */
    async end(run: string): Promise<void> {
      await conditionalWrite(table, update(migrationKey, { remove: [A.run, A.leaseUntil] }, equals(A.run, run)));
    },
  };
}

interface MigrationItem {
  readonly [A.completed]?: number;
  readonly [A.position]?: number;
  readonly [A.leaseUntil]?: Millis;
}

function toProgress(item: MigrationItem | undefined): MigrationProgress {
  return { completed: item?.[A.completed] ?? 0, position: item?.[A.position] ?? 0 };
}
