import { QueryCommand } from "@aws-sdk/lib-dynamodb";
import { newUlid, ulidFloor, ulidTime } from "#base/kernel/ids.ts";
import { AUDIT_RETENTION } from "#base/kernel/limits.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import type { Millis } from "#base/kernel/time.ts";
import type { Table } from "#base/table/client.ts";
import { conditionalTransaction } from "#base/table/conditional-write.ts";
import { type Key, pageRange } from "#base/table/keys.ts";
import { assign, put, sendWrite } from "#base/table/writes.ts";
import type { AuditAction, AuditEntry } from "../rules/audit.ts";
import type { ChangeAuthor } from "../rules/callers.ts";
import { auditAttributes as A } from "./attributes.ts";
import { actorCheck, auditItem, auditKey } from "./items.ts";

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

    /** A tenant's rows of the last 400 days, newest first. @returns `next`: the ULID to continue after */
    async list(
      tenant: TenantId,
      query: { before: string | null; limit: number; now: Millis },
    ): Promise<{ rows: AuditRow[]; next: string | null }> {
      const range = pageRange(ulidFloor(query.now - AUDIT_RETENTION + 1), query.before, "~");
      if (!range) return { rows: [], next: null };
      const { Items = [] } = await client.send(
        new QueryCommand({
          TableName,
          KeyConditionExpression: "PK = :a AND SK BETWEEN :from AND :upTo",
          ExpressionAttributeValues: {
            ":a": auditKey(tenant, "").PK,
            ":from": range.from,
            ":upTo": range.upTo,
          },
          ScanIndexForward: false,
          Limit: query.limit + 1,
        }),
      );
      const rows = (Items as AuditItem[]).slice(0, query.limit).map(toAuditRow);
      return { rows, next: Items.length > query.limit ? (rows.at(-1)?.ulid ?? null) : null };
    },
  };
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
