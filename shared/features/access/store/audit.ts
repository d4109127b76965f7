import { QueryCommand } from "@aws-sdk/lib-dynamodb";
import { newUlid, ulidCeiling, ulidFloor, ulidTime } from "#base/kernel/ids.ts";
import { AUDIT_RETENTION } from "#base/kernel/limits.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import type { Millis } from "#base/kernel/time.ts";
import type { Table } from "#base/table/client.ts";
import { conditionalTransaction } from "#base/table/conditional-write.ts";
import { justBelow, type Key } from "#base/table/keys.ts";
import { assign, put, sendWrite } from "#base/table/writes.ts";
import {
  type AuditAction,
  type AuditEntry,
  type AuditFilter,
  matchesAuditFilter,
  NO_AUDIT_FILTER,
} from "../rules/audit.ts";
import type { ChangeAuthor } from "../rules/callers.ts";
import { auditAttributes as A } from "./attributes.ts";
import { actorCheck, auditItem, auditKey } from "./items.ts";

/** Rows that a filtered page examines at most: 5 read units, or 6 where they have 240 bytes each. */
const EXAMINED_MAX = 200;

/** A stored entry. */
export interface AuditRow extends AuditEntry {
  readonly ulid: string;
}

export type Audit = ReturnType<typeof auditStore>;

export function auditStore(table: Table) {
  const { client, name: TableName } = table;
  return {
    /** Adds a row for an action that no transaction records. */
    async add(tenant: TenantId, entry: AuditEntry): Promise<void> {
      await sendWrite(table, put(auditItem(tenant, entry)));
    },

    /**
     * Adds a row before the first write of an action that takes several.
     * @returns a function that adds the action's result to the row; `actor_changed`: the acting member has lost the
     *   roles, and no row was added
     */
    async start(
      tenant: TenantId,
      { audit: entry, actor }: ChangeAuthor,
    ): Promise<((result: AuditEntry["detail"]) => Promise<void>) | "actor_changed"> {
      const item = auditItem(tenant, entry);
      const actorItems = actorCheck(tenant, actor);
      if (actorItems.length === 0) await sendWrite(table, put(item));
      else {
        const { applied } = await conditionalTransaction(table, [put(item), ...actorItems], {
          token: newUlid(entry.at),
        });
        if (!applied) return "actor_changed";
      }
      return async (result) => {
        await sendWrite(table, assign({ ...item, [A.detail]: { ...entry.detail, ...result } }));
      };
    },

    /**
     * A tenant's rows of the last 400 days, newest first. With actions or an actor a page examines at most 200 rows, and may
     * be short or empty although there are more.
     * @returns `next`: the ULID to continue after
     */
    async list(
      tenant: TenantId,
      query: { before: string | null; limit: number; now: Millis; filter?: AuditFilter },
    ): Promise<{ rows: AuditRow[]; next: string | null }> {
      const { before, limit, now, filter = NO_AUDIT_FILTER } = query;
      const oldest = ulidFloor(Math.max(now - AUDIT_RETENTION + 1, filter.from ?? 0));
      const newest = filter.to === null ? "~" : ulidCeiling(filter.to);
      const upTo = before === null ? newest : earlier(justBelow(before), newest);
      if (upTo < oldest) return { rows: [], next: null };
      const examinedMax = filter.actions || filter.actor !== null ? EXAMINED_MAX : limit;
      const { Items = [] } = await client.send(
        new QueryCommand({
          TableName,
          KeyConditionExpression: "PK = :a AND SK BETWEEN :from AND :upTo",
          ExpressionAttributeValues: {
            ":a": auditKey(tenant, "").PK,
            ":from": oldest,
            ":upTo": upTo,
          },
          ScanIndexForward: false,
          Limit: examinedMax + 1,
        }),
      );
      const examined = (Items as AuditItem[]).slice(0, examinedMax).map(toAuditRow);
      const matching = examined.filter((row) => matchesAuditFilter(filter, row));
      const rows = matching.slice(0, limit);
      if (matching.length > limit) return { rows, next: rows.at(-1)?.ulid ?? null };
      return { rows, next: Items.length > examinedMax ? (examined.at(-1)?.ulid ?? null) : null };
    },
  };
}

function earlier(a: string, b: string): string {
  return a < b ? a : b;
}

interface AuditItem extends Key {
  readonly [A.action]: AuditAction;
  readonly [A.resource]: string;
  readonly [A.actor]: string;
  readonly [A.ip]?: string;
  readonly [A.detail]: AuditEntry["detail"];
}

function toAuditRow(item: AuditItem): AuditRow {
  return {
    ulid: item.SK,
    action: item[A.action],
    resource: item[A.resource],
    actor: item[A.actor],
    ip: item[A.ip] ?? null,
    at: ulidTime(item.SK),
    detail: item[A.detail],
  };
}
