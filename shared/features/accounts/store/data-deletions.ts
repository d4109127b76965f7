import { GetCommand } from "@aws-sdk/lib-dynamodb";
import { DATA_DELETION_OVERDUE, DATA_DELETION_RETENTION } from "#base/kernel/limits.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { type Millis, SECOND } from "#base/kernel/time.ts";
import type { Table } from "#base/table/client.ts";
import { conditionalTransaction, conditionalWrite } from "#base/table/conditional-write.ts";
import { allOf, equals, isUnchanged, itemDoesNotExist, itemExists } from "#base/table/expressions.ts";
import { type Key, positionTime, timeToLive } from "#base/table/keys.ts";
import { queryAll } from "#base/table/query-all.ts";
import { assign, put, remove, sendWrite, update } from "#base/table/writes.ts";
import type { AuditEntry } from "#features/access/rules/audit.ts";
import { auditItem } from "#features/access/store/items.ts";
import type { AccountRef } from "../rules/accounts.ts";
import { dataDeletionAttributes as A, dataDeletionAccountAttributes as Row } from "./attributes.ts";
import { dueDeletions, toDue } from "./due-deletions.ts";
import { dataDeletionAccountKey, dataDeletionKey, parseAccountOfTenant } from "./items.ts";

export type { DueDeletion } from "./due-deletions.ts";

/** A data deletion that a person requested from a platform. It names no person. */
export interface DataDeletion {
  readonly code: string;
  readonly status: "running" | "done";
  /** When the platform issued the request. In a row of the previous release, when it arrived. */
  readonly requestedAt: Millis;
  /** Null while it is running. */
  readonly doneAt: Millis | null;
}

/** An account of a data deletion. */
export interface DataDeletionAccount {
  /** The confirmation code of the data deletion. */
  readonly code: string;
  readonly tenant: TenantId;
  readonly account: AccountRef;
}

/** An account whose conversations are still to be erased. */
export interface PendingAccount extends DataDeletionAccount {
  /** As that of its data deletion. */
  readonly requestedAt: Millis;
  /** The login connected the account again after the request was issued: newer conversations stay. */
  readonly keepsNewer: boolean;
  /** When the account was first seen to be disconnected, or connected again since the request. Null before. */
  readonly goneAt: Millis | null;
  /** The erasure that was started last. Null before the first. */
  readonly erasureId: string | null;
  /** The last run that a sweep queued. Null before the first. */
  readonly run: string | null;
  /** When a sweep continues it. Null in a row of the previous release. */
  readonly dueAt: Millis | null;
}

/** When a request arrived, and when the platform issued it. */
interface RequestTimes {
  readonly now: Millis;
  readonly issuedAt: Millis;
}

/** A data deletion as it is stored. */
export interface StoredDeletion {
  /** Null when it never started, or has expired. */
  readonly deletion: DataDeletion | null;
  /** The accounts that have still conversations to erase. */
  readonly accounts: readonly DataDeletionAccount[];
}

export type DataDeletions = ReturnType<typeof dataDeletionStore>;

/**
 * Data deletions by their confirmation codes, with a row for each account that still has conversations to erase. A row
 * that is not finished is in the index of what is due, so that a sweep finds it in any case.
 */
export function dataDeletionStore(table: Table) {
  const { client, name: TableName } = table;
  const keyOf = ({ code, tenant, account }: DataDeletionAccount) => dataDeletionAccountKey(code, tenant, account);
  /** A repeated request starts the account's erasures again. */
  const isOfRequest = ({ requestedAt }: PendingAccount) => equals(Row.requestedAt, requestedAt);
  /** Neither a repeated request nor another run has taken over. */
  const isOfRun = (pending: PendingAccount) =>
    allOf(isOfRequest(pending), isUnchanged(Row.run, pending.run ?? undefined));

  async function read(Key: Key): Promise<Record<string, unknown> | undefined> {
    return (await client.send(new GetCommand({ TableName, Key, ConsistentRead: true }))).Item;
  }

  async function get(code: string, now: Millis): Promise<DataDeletion | null> {
    return toDeletion(code, (await read(dataDeletionKey(code))) as DataDeletionItem | undefined, now);
  }

  /** Read consistently. */
  async function load(code: string, now: Millis): Promise<StoredDeletion> {
    const key = dataDeletionKey(code);
    const items = await queryAll<Key>(table, { PK: key.PK, SK: "" });
    const item = items.find(({ SK }) => SK === key.SK) as DataDeletionItem | undefined;
    return {
      deletion: toDeletion(code, item, now),
      accounts: items.filter(({ SK }) => SK !== key.SK).map(({ SK }) => ({ code, ...parseAccountOfTenant(SK) })),
    };
  }

  return {
    ...dueDeletions(table),

    /** Read consistently. Null when there is none, or none any more. */
    get,

    load,

    /**
     * Adds an account before its data deletion starts, with an audit row. An account that was added before starts again,
     * without another audit row.
     */
    async addAccount(
      account: DataDeletionAccount & Pick<PendingAccount, "keepsNewer">,
      { now, issuedAt, dueAt }: RequestTimes & { readonly dueAt: Millis },
      audit: AuditEntry,
    ): Promise<void> {
      const ttl = timeToLive(now + DATA_DELETION_RETENTION);
      const set = { [Row.requestedAt]: issuedAt, [Row.ttl]: ttl, ...toDue(dueAt, account.code) };
      const keepsNewer = account.keepsNewer ? { [Row.keepsNewer]: true } : {};
      const row = { ...keyOf(account), ...set, ...keepsNewer };
      // Each of the two fails only where another process did the other in between.
      for (;;) {
        const added = await conditionalTransaction(table, [
          put(row, itemDoesNotExist),
          put(auditItem(account.tenant, audit)),
        ]);
        if (added.applied) return;
        const remove = account.keepsNewer ? [Row.goneAt] : [Row.goneAt, Row.keepsNewer];
        const changes = { set: { ...set, ...keepsNewer }, remove };
        if ((await conditionalWrite(table, update(keyOf(account), changes, itemExists))).applied) return;
      }
    },

    /** Makes an account due that was added before. One whose conversations are erased is not added again. */
    async makeDue(account: DataDeletionAccount, dueAt: Millis): Promise<void> {
      await conditionalWrite(table, update(keyOf(account), { set: toDue(dueAt, account.code) }, itemExists));
    },

    /** Starts a data deletion whose accounts were added, or one of no account, which is done. */
    async start(code: string, status: DataDeletion["status"], { now, issuedAt }: RequestTimes): Promise<void> {
      const notDue = { [A.feed]: undefined, [A.feedPosition]: undefined };
      const progress =
        status === "done"
          ? { [A.doneAt]: now, ...notDue }
          : { [A.doneAt]: undefined, ...toDue(now + DATA_DELETION_OVERDUE, code) };
      const ttl = timeToLive(now + DATA_DELETION_RETENTION);
      await sendWrite(
        table,
        assign({ ...dataDeletionKey(code), [A.status]: status, [A.requestedAt]: issuedAt, ...progress, [A.ttl]: ttl }),
      );
    },

    /** Read consistently. Null when its conversations are erased. */
    async getAccount(account: DataDeletionAccount): Promise<PendingAccount | null> {
      const item = (await read(keyOf(account))) as PendingItem | undefined;
      if (!item) return null;
      const { [Row.feedPosition]: position } = item;
      return {
        ...account,
        requestedAt: item[Row.requestedAt],
        keepsNewer: item[Row.keepsNewer] ?? false,
        goneAt: item[Row.goneAt] ?? null,
        erasureId: item[Row.erasureId] ?? null,
        run: item[Row.run] ?? null,
        dueAt: position === undefined ? null : positionTime(position),
      };
    },

    /** Makes an account that is worked on due later. @returns false when a repeated request or another run took over */
    async postpone(pending: PendingAccount, dueAt: Millis): Promise<boolean> {
      const write = update(keyOf(pending), { set: toDue(dueAt, pending.code) }, isOfRun(pending));
      return (await conditionalWrite(table, write)).applied;
    },

    /** Records that the account is disconnected, or was connected again. */
    async markGone(pending: PendingAccount, now: Millis): Promise<void> {
      await conditionalWrite(table, update(keyOf(pending), { set: { [Row.goneAt]: now } }, isOfRequest(pending)));
    },

    /** Records an erasure before it starts. @returns false when a repeated request or another run took over */
    async recordErasure(pending: PendingAccount, erasureId: string): Promise<boolean> {
      const set = { [Row.erasureId]: erasureId };
      return (await conditionalWrite(table, update(keyOf(pending), { set }, isOfRun(pending)))).applied;
    },

    /** Removes an account whose conversations are erased, unless it was requested again since. */
    async removeAccount(pending: PendingAccount): Promise<void> {
      await conditionalWrite(table, remove(keyOf(pending), isOfRequest(pending)));
    },

    /** Ends a data deletion without further accounts. Safe to repeat. */
    async finish(code: string, now: Millis): Promise<void> {
      const { deletion, accounts } = await load(code, now);
      if (deletion?.status !== "running" || accounts.length > 0) return;
      const isOfStart = allOf(equals(A.status, "running"), equals(A.requestedAt, deletion.requestedAt));
      const set = { [A.status]: "done", [A.doneAt]: now };
      const changes = { set, remove: [A.feed, A.feedPosition] };
      await conditionalWrite(table, update(dataDeletionKey(code), changes, isOfStart));
    },
  };
}

interface DataDeletionItem {
  readonly [A.status]: DataDeletion["status"];
  readonly [A.requestedAt]: Millis;
  readonly [A.doneAt]?: Millis;
  readonly [A.ttl]: number;
}

interface PendingItem {
  readonly [Row.requestedAt]: Millis;
  readonly [Row.keepsNewer]?: boolean;
  readonly [Row.goneAt]?: Millis;
  readonly [Row.erasureId]?: string;
  readonly [Row.run]?: string;
  readonly [Row.feedPosition]?: string;
}

/** A row may outlive its end by days. */
function toDeletion(code: string, item: DataDeletionItem | undefined, now: Millis): DataDeletion | null {
  if (!item || item[A.ttl] * SECOND <= now) return null;
  return { code, status: item[A.status], requestedAt: item[A.requestedAt], doneAt: item[A.doneAt] ?? null };
}
