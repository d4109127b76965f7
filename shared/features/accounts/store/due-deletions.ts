import type { TenantId } from "#base/kernel/tenant.ts";
import type { Millis } from "#base/kernel/time.ts";
import type { Table } from "#base/table/client.ts";
import { conditionalWrite } from "#base/table/conditional-write.ts";
import { dueInIndex } from "#base/table/due-queue.ts";
import { equals } from "#base/table/expressions.ts";
import { type Key, positionTime } from "#base/table/keys.ts";
import { update } from "#base/table/writes.ts";
import type { AccountRef } from "../rules/accounts.ts";
import { dataDeletionAttributes as A, dataDeletionAccountAttributes as Row } from "./attributes.ts";
import {
  DUE_DELETIONS,
  dataDeletionAccountKey,
  dataDeletionKey,
  deletionPosition,
  parseAccountOfTenant,
  parseDeletionPartition,
} from "./items.ts";

/** An account of a data deletion that a sweep continues. */
export interface DueAccount {
  readonly kind: "account";
  /** The confirmation code of the data deletion. */
  readonly code: string;
  readonly tenant: TenantId;
  readonly account: AccountRef;
  readonly dueAt: Millis;
}

/** A data deletion that is running, with or without an account that is left. */
export interface DueStatus {
  readonly kind: "status";
  readonly code: string;
  readonly dueAt: Millis;
}

export type DueDeletion = DueAccount | DueStatus;

/** The unfinished rows of data deletions, in the index of what is due until they are removed or done. */
export function dueDeletions(table: Table) {
  const isDueAt = ({ code, dueAt }: DueDeletion) => equals(A.feedPosition, deletionPosition(dueAt, code));

  return {
    /** What is due, the earliest first, in pages. The index may be seconds behind. */
    async *listDue(now: Millis): AsyncGenerator<DueDeletion[]> {
      for await (const items of dueInIndex<DueItem>(table, DUE_DELETIONS, now)) yield items.map(toDueDeletion);
    },

    /**
     * Takes a due account for a new run, and makes it due again at `dueAt`, in case the run dies.
     * @param next `run`: unique
     * @returns false when another took it, it was requested again, or its conversations are erased
     */
    async claim(due: DueAccount, next: { readonly run: string; readonly dueAt: Millis }): Promise<boolean> {
      const set = { [Row.run]: next.run, ...toDue(next.dueAt, due.code) };
      const write = update(dataDeletionAccountKey(due.code, due.tenant, due.account), { set }, isDueAt(due));
      return (await conditionalWrite(table, write, { ownMark: { [Row.run]: next.run } })).applied;
    },

    /** Makes the status of a data deletion due again, unless it is already done. */
    async postponeStatus(due: DueStatus, dueAt: Millis): Promise<void> {
      await conditionalWrite(table, update(dataDeletionKey(due.code), { set: toDue(dueAt, due.code) }, isDueAt(due)));
    },
  };
}

/** The attributes by which a sweep finds a row. */
export function toDue(dueAt: Millis, code: string) {
  return { [A.feed]: DUE_DELETIONS, [A.feedPosition]: deletionPosition(dueAt, code) };
}

interface DueItem extends Key {
  readonly [A.feedPosition]: string;
}

function toDueDeletion({ PK, SK, [A.feedPosition]: position }: DueItem): DueDeletion {
  const code = parseDeletionPartition(PK);
  const dueAt = positionTime(position);
  if (SK === dataDeletionKey(code).SK) return { kind: "status", code, dueAt };
  return { kind: "account", code, ...parseAccountOfTenant(SK), dueAt };
}
