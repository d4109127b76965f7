import { PutCommand, QueryCommand } from "@aws-sdk/lib-dynamodb";
import type { AuditAction, AuditEntry } from "../../domain/access/audit.ts";
import { AUDIT_RETENTION } from "../../domain/limits.ts";
import { newUlid, ulidFloor, ulidTime } from "../../kernel/ids.ts";
import type { TenantId } from "../../kernel/tenant.ts";
import type { Millis } from "../../kernel/time.ts";
import type { Table } from "../client.ts";
import { auditKey, type Key, pageRange, timeToLive } from "../keys.ts";

/** An entry as it is kept. */
export interface AuditRow extends AuditEntry {
  readonly ulid: string;
}

export type Audit = ReturnType<typeof auditStore>;

/** The row of an entry, to be written in the transaction of what it tells of. */
export function auditItem(tenant: TenantId, entry: AuditEntry) {
  return {
    ...auditKey(tenant, newUlid(entry.at)),
    ac: entry.action,
    rs: entry.resource,
    by: entry.actor,
    ip: entry.ip ?? undefined,
    dt: entry.detail,
    x: timeToLive(entry.at + AUDIT_RETENTION),
  };
}

/** Reads the rows that others write along with what they tell of. */
export function auditStore({ client, name: TableName }: Table) {
  return {
    /** A row of what was done in another write. */
    async add(tenant: TenantId, entry: AuditEntry): Promise<void> {
      await client.send(new PutCommand({ TableName, Item: auditItem(tenant, entry) }));
    },

    /**
     * A row of what takes several writes, before the first of them.
     * @returns adds to the row what came of it
     */
    async start(tenant: TenantId, entry: AuditEntry): Promise<(result: AuditEntry["detail"]) => Promise<void>> {
      const Item = auditItem(tenant, entry);
      await client.send(new PutCommand({ TableName, Item }));
      return async (result) => {
        await client.send(new PutCommand({ TableName, Item: { ...Item, dt: { ...entry.detail, ...result } } }));
      };
    },

    /** A tenant's rows of the last 400 days, newest first. `next` is the ULID to go on below. */
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
  readonly ac: AuditAction;
  readonly rs: string;
  readonly by: string;
  readonly ip?: string;
  readonly dt: AuditEntry["detail"];
}

function toAuditRow(item: AuditItem): AuditRow {
  return {
    ulid: item.SK,
    action: item.ac,
    resource: item.rs,
    actor: item.by,
    ip: item.ip ?? null,
    at: ulidTime(item.SK),
    detail: item.dt,
  };
}
