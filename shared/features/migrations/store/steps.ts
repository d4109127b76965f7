import { ScanCommand } from "@aws-sdk/lib-dynamodb";
import type { Millis } from "#base/kernel/time.ts";
import type { Table } from "#base/table/client.ts";
import { conditionalWrite } from "#base/table/conditional-write.ts";
import { allOf, equals, isAbsent, itemExists } from "#base/table/expressions.ts";
import type { Key } from "#base/table/keys.ts";
import { update, type Write } from "#base/table/writes.ts";
import {
  dataDeletionAttributes as Deletion,
  accountRouteAttributes as Route,
} from "#features/accounts/store/attributes.ts";
import {
  type AccountRouteItem,
  accountRouteKey,
  DUE_DELETIONS,
  dataDeletionKey,
  deletionPosition,
  parseDeletionPartition,
  toHolders,
  toHoldersAttribute,
} from "#features/accounts/store/items.ts";

/** A scan of the table is divided into so many segments. A run that is killed repeats at most one of them. */
export const SEGMENTS = 64;

/** A step of the migration of the table. */
export interface MigrationStep {
  /** From 1, without gaps. A number is never given to another step. */
  readonly number: number;
  /** What holds when the step is complete. */
  readonly name: string;
  /**
   * The rows of a segment that the step has to change, in pages. A segment without such a row has pages, too: each ends a
   * request.
   * @param segment from 0, below `SEGMENTS`
   */
  pages(segment: number): AsyncGenerator<readonly MigrationRow[]>;
  /** Changes a row, unless it has changed since it was read. Safe to repeat. @returns whether it changed the row */
  apply(row: MigrationRow, now: Millis): Promise<boolean>;
}

export type MigrationRow = Key & Readonly<Record<string, unknown>>;

interface Definition {
  readonly number: number;
  readonly name: string;
  /** Which rows of the table the step changes. */
  readonly filter: { readonly text: string; readonly values: Readonly<Record<string, unknown>> };
  readonly change: (row: MigrationRow, now: Millis) => Write;
}

const deletionKey = dataDeletionKey("");
/** The start of the partition key of every route, and their sort key. */
const routeKey = { PK: "ACC#", SK: accountRouteKey({ platform: "instagram", externalId: "" }).SK };

/**
 * Every step, in order. A step is never changed or removed once it is released: append another one. It must be safe while
 * the release before it still runs.
 */
const definitions: readonly Definition[] = [
  {
    // A route of the first release names the present holder alone, which every reader has to add.
    number: 1,
    name: "each route of an account names its holders",
    filter: {
      text: `begins_with(PK, :route) AND SK = :r AND attribute_exists(${Route.tenant}) AND attribute_not_exists(${Route.holders})`,
      values: { ":route": routeKey.PK, ":r": routeKey.SK },
    },
    change: (row) => {
      const set = toHoldersAttribute(toHolders(row as AccountRouteItem));
      const isAsRead = allOf(equals(Route.tenant, row[Route.tenant]), isAbsent(Route.holders));
      return update({ PK: row.PK, SK: row.SK }, { set }, isAsRead);
    },
  },
  {
    // Without it only a queue message continues a data deletion of the first release, or a repeated request.
    number: 2,
    name: "each unfinished data deletion is due",
    filter: {
      text: `begins_with(PK, :deletion) AND attribute_not_exists(${Deletion.feedPosition}) AND (SK <> :status OR ${Deletion.status} = :running)`,
      values: { ":deletion": deletionKey.PK, ":status": deletionKey.SK, ":running": "running" },
    },
    change: (row, now) => {
      const isRunning = row.SK === deletionKey.SK ? equals(Deletion.status, "running") : itemExists;
      const position = deletionPosition(now, parseDeletionPartition(row.PK));
      const set = { [Deletion.feed]: DUE_DELETIONS, [Deletion.feedPosition]: position };
      return update({ PK: row.PK, SK: row.SK }, { set }, allOf(isRunning, isAbsent(Deletion.feedPosition)));
    },
  },
];

/** The steps of this release. @param segments of the table */
export function migrationSteps(table: Table, segments = SEGMENTS): readonly MigrationStep[] {
  return definitions.map(({ number, name, filter, change }) => ({
    number,
    name,
    pages: (segment) => scanSegment(table, { segment, segments }, filter),
    apply: async (row, now) => (await conditionalWrite(table, change(row, now))).applied,
  }));
}

async function* scanSegment(
  { client, name: TableName }: Table,
  { segment, segments }: { readonly segment: number; readonly segments: number },
  { text, values }: Definition["filter"],
): AsyncGenerator<readonly MigrationRow[]> {
  let ExclusiveStartKey: Record<string, unknown> | undefined;
  do {
    const { Items = [], LastEvaluatedKey } = await client.send(
      new ScanCommand({
        TableName,
        Segment: segment,
        TotalSegments: segments,
        FilterExpression: text,
        ExpressionAttributeValues: values,
        // What a function of the release before wrote a moment ago.
        ConsistentRead: true,
        ExclusiveStartKey,
      }),
    );
    yield Items as MigrationRow[];
    ExclusiveStartKey = LastEvaluatedKey;
  } while (ExclusiveStartKey);
}
