import { GetCommand } from "@aws-sdk/lib-dynamodb";
import type { AuditEntry } from "../../domain/access/audit.ts";
import type { AccountRef } from "../../domain/accounts/accounts.ts";
import { DATA_DELETION_RETENTION } from "../../domain/limits.ts";
import type { TenantId } from "../../kernel/tenant.ts";
import type { Millis } from "../../kernel/time.ts";
import { auditItem } from "../access/audit.ts";
import { dataDeletionAttributes as A, dataDeletionAccountAttributes as Row } from "../attributes.ts";
import type { Table } from "../client.ts";
import { conditionalTransaction, conditionalWrite } from "../conditional-write.ts";
import { allOf, equals, itemDoesNotExist, itemExists } from "../expressions.ts";
import { type Key, timeToLive } from "../keys.ts";
import { queryAll } from "../query-all.ts";
import { put, remove, sendWrite, update } from "../writes.ts";
import { dataDeletionAccountKey, dataDeletionKey } from "./account-keys.ts";

/** A data deletion that a person requested from a platform. It names no person. */
export interface DataDeletion {
  readonly code: string;
  readonly status: "running" | "done";
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
  readonly requestedAt: Millis;
  /** When the account was first seen to be disconnected. Null before. */
  readonly goneAt: Millis | null;
  /** The erasure that was started last. Null before the first. */
  readonly erasureId: string | null;
}

export type DataDeletions = ReturnType<typeof dataDeletionStore>;

/** Data deletions by their confirmation codes, with a row for each account that still has conversations to erase. */
export function dataDeletionStore(table: Table) {
  const { client, name: TableName } = table;
  const keyOf = ({ code, tenant, account }: DataDeletionAccount) => dataDeletionAccountKey(code, tenant, account);
  /** A repeated request starts the account's erasures again. */
  const isOfRequest = ({ requestedAt }: PendingAccount) => equals(Row.requestedAt, requestedAt);

  async function read(Key: Key): Promise<Record<string, unknown> | undefined> {
    return (await client.send(new GetCommand({ TableName, Key, ConsistentRead: true }))).Item;
  }

  async function get(code: string): Promise<DataDeletion | null> {
    const item = (await read(dataDeletionKey(code))) as DataDeletionItem | undefined;
    if (!item) return null;
    return { code, status: item[A.status], requestedAt: item[A.requestedAt], doneAt: item[A.doneAt] ?? null };
  }

  return {
    /** Read consistently. Null when there is none, or none any more. */
    get,

    /**
     * Adds an account before its data deletion starts, with an audit row. An account that was added before starts again,
     * without another audit row.
     */
    async addAccount(account: DataDeletionAccount, now: Millis, audit: AuditEntry): Promise<void> {
      const ttl = timeToLive(now + DATA_DELETION_RETENTION);
      const row = { ...keyOf(account), [Row.requestedAt]: now, [Row.ttl]: ttl };
      // Each of the two fails only where another process did the other in between.
      for (;;) {
        const added = await conditionalTransaction(table, [
          put(row, itemDoesNotExist),
          put(auditItem(account.tenant, audit)),
        ]);
        if (added.applied) return;
        const changes = { set: { [Row.requestedAt]: now, [Row.ttl]: ttl }, remove: [Row.goneAt] };
        if ((await conditionalWrite(table, update(keyOf(account), changes, itemExists))).applied) return;
      }
    },

    /** Starts a data deletion whose accounts were added, or one of no account, which is done. */
    async start(code: string, status: DataDeletion["status"], now: Millis): Promise<void> {
      const doneAt = status === "done" ? { [A.doneAt]: now } : {};
      const ttl = timeToLive(now + DATA_DELETION_RETENTION);
      await sendWrite(
        table,
        put({ ...dataDeletionKey(code), [A.status]: status, [A.requestedAt]: now, ...doneAt, [A.ttl]: ttl }),
      );
    },

    /** Read consistently. Null when its conversations are erased. */
    async getAccount(account: DataDeletionAccount): Promise<PendingAccount | null> {
      const item = (await read(keyOf(account))) as PendingItem | undefined;
      if (!item) return null;
      return {
        ...account,
        requestedAt: item[Row.requestedAt],
        goneAt: item[Row.goneAt] ?? null,
        erasureId: item[Row.erasureId] ?? null,
      };
    },

    /** Records that the account is disconnected. */
    async markGone(pending: PendingAccount, now: Millis): Promise<void> {
      await conditionalWrite(table, update(keyOf(pending), { set: { [Row.goneAt]: now } }, isOfRequest(pending)));
    },

    /** Records an erasure before it starts. */
    async recordErasure(pending: PendingAccount, erasureId: string): Promise<void> {
      const set = { [Row.erasureId]: erasureId };
      await conditionalWrite(table, update(keyOf(pending), { set }, isOfRequest(pending)));
    },

    /** Removes an account whose conversations are erased, unless it was requested again since. */
    async removeAccount(pending: PendingAccount): Promise<void> {
      await conditionalWrite(table, remove(keyOf(pending), isOfRequest(pending)));
    },

    /** Ends a data deletion without further accounts. Safe to repeat. */
    async finish(code: string, now: Millis): Promise<void> {
      const deletion = await get(code);
      if (deletion?.status !== "running") return;
      const key = dataDeletionKey(code);
      const rows = await queryAll<Key>(table, { PK: key.PK, SK: "" });
      if (rows.some(({ SK }) => SK !== key.SK)) return;
      const isOfStart = allOf(equals(A.status, "running"), equals(A.requestedAt, deletion.requestedAt));
      await conditionalWrite(table, update(key, { set: { [A.status]: "done", [A.doneAt]: now } }, isOfStart));
    },
  };
}

interface DataDeletionItem {
  readonly [A.status]: DataDeletion["status"];
  readonly [A.requestedAt]: Millis;
  readonly [A.doneAt]?: Millis;
}

interface PendingItem {
  readonly [Row.requestedAt]: Millis;
  readonly [Row.goneAt]?: Millis;
  readonly [Row.erasureId]?: string;
}
