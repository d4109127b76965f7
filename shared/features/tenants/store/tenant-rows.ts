import { ScanCommand } from "@aws-sdk/lib-dynamodb";
import { forEachConcurrent } from "#base/kernel/parallel.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import type { Millis } from "#base/kernel/time.ts";
import { dueItemAttributes as DueTask } from "#base/table/attributes.ts";
import { batchRemove } from "#base/table/batches.ts";
import type { Table } from "#base/table/client.ts";
import { conditionalWrite } from "#base/table/conditional-write.ts";
import {
  allOf,
  anyOf,
  differs,
  type Expression,
  equals,
  isOneOf,
  numberValues,
  setContains,
  startsWith,
} from "#base/table/expressions.ts";
import type { Key } from "#base/table/keys.ts";
import { remove } from "#base/table/writes.ts";
import { apiKeyAttributes as ApiKey } from "#features/access/store/attributes.ts";
import { tenantKey, userMembershipKey } from "#features/access/store/items.ts";
import { pageUseAttributes as PageUse, accountRouteAttributes as Route } from "#features/accounts/store/attributes.ts";
import { erasureAttributes as Erasure } from "#features/erasure/store/attributes.ts";
import { relatedKeys } from "#features/erasure/store/items.ts";
import { holdAttributes as Hold } from "#features/holds/store/attributes.ts";
import {
  socketTenantAttributes as SocketTenant,
  realtimeTicketAttributes as Ticket,
} from "#features/realtime/store/attributes.ts";
import { dueSendAttributes as DueSend } from "#features/sending/store/attributes.ts";
import { uploadAttributes as Upload } from "#features/uploads/store/attributes.ts";
import { releaseRoute } from "./tenant-deletions.ts";
import { tenantPartitions } from "./tenant-states.ts";

/** A page has at most 1 MB, which is 256 read units. */
const PAGE_SIZE = 2_000;
/** Requests in flight at once. */
const CONCURRENCY = 4;

/** Where a scan continues. */
export type ScanCursor = Readonly<Record<string, unknown>>;

export interface ScannedPage {
  /** Rows of all tenants that were read. */
  readonly scanned: number;
  /** Rows of the tenant that were removed or released, but routes that were released before. */
  readonly removed: number;
  /** Null at the end of the table. */
  readonly next: ScanCursor | null;
}

export type TenantRows = ReturnType<typeof tenantRowStore>;

/**
 * The rows of a tenant, found by a scan of the table. Many of them are in no list: idempotency keys, claims to count,
 * event bodies, due items, budgets, and rows of conversations that have no head. A kind of row that is not found here
 * must not contain a tenant.
 */
export function tenantRowStore(table: Table) {
  const { client, name: TableName } = table;
  return {
    /**
     * Reads a page of the table consistently, and removes the tenant's rows in it but the tenant's own. Safe to repeat.
     * @param removeUploads removes the rows of these keys, with the files that only they refer to
     */
    async removePage(
      tenant: TenantId,
      { after, now }: { readonly after: ScanCursor | null; readonly now: Millis },
      removeUploads: (keys: readonly Key[]) => Promise<void>,
    ): Promise<ScannedPage> {
      const { texts, values } = numberValues({ FilterExpression: isRowOf(tenant) });
      const { Items, ScannedCount, LastEvaluatedKey } = await client.send(
        new ScanCommand({
          TableName,
          ...texts,
          ExpressionAttributeValues: values,
          ProjectionExpression: "PK, SK",
          ConsistentRead: true,
          Limit: PAGE_SIZE,
          ...(after ? { ExclusiveStartKey: after } : {}),
        }),
      );
      const keys = (Items ?? []) as Key[];
      const routes = keys.filter(({ PK }) => PK.startsWith("ACC#"));
      let removedRoutes = 0;
      await forEachConcurrent(routes, CONCURRENCY, async (route) => {
        if (await releaseRoute(table, { tenant, route, now })) removedRoutes++;
      });
      // Another tenant may have connected the account since the scan.
      const pageUses = keys.filter(({ PK }) => PK.startsWith("PAGE#"));
      await forEachConcurrent(pageUses, CONCURRENCY, async (use) => {
        await conditionalWrite(table, remove(use, equals(PageUse.tenant, tenant)));
      });
      // A reference names its item, so the item is removed first.
      await removeUploads(distinct([...keys.filter(isUpload), ...keys.flatMap((key) => toRelatedKey(key, "upload"))]));
      await removeAll(keys.flatMap((key) => toRelatedKey(key, "hold")));
      const others = new Set([...routes, ...pageUses]);
      await removeAll(keys.filter((key) => !others.has(key) && !isUpload(key)));
      // A route that was released earlier receives nothing, so no pass has to follow it.
      return { scanned: ScannedCount ?? 0, removed: keys.length - removedRoutes, next: LastEvaluatedKey ?? null };
    },
  };

  function removeAll(keys: readonly Key[]): Promise<void> {
    return batchRemove(table, keys, { concurrency: CONCURRENCY });
  }
}

/** The rows of a tenant but the tenant's own. An attribute is compared only in the partitions where it has that meaning. */
function isRowOf(tenant: TenantId): Expression {
  const { whole, starts } = tenantPartitions(tenant);
  const inPartitions = (start: string, condition: Expression) => allOf(startsWith("PK", start), condition);
  const tenantRow = tenantKey(tenant);
  const conversationStart = `CONV#${tenant}#`;
  return anyOf(
    allOf(isOneOf("PK", whole), anyOf(differs("PK", tenantRow.PK), differs("SK", tenantRow.SK))),
    ...starts.map((start) => startsWith("PK", start)),
    inPartitions("Q#", equals(DueTask.tenant, tenant)),
    inPartitions("QS#", startsWith(DueSend.conversationId, conversationStart)),
    inPartitions("H#", startsWith(Hold.conversationId, conversationStart)),
    inPartitions("U#", startsWith(Upload.conversationId, conversationStart)),
    inPartitions("ER#", equals(Erasure.tenant, tenant)),
    inPartitions("ACC#", anyOf(equals(Route.tenant, tenant), equals(Route.former, tenant))),
    inPartitions("PAGE#", equals(PageUse.tenant, tenant)),
    inPartitions("WT#", equals(Ticket.tenant, tenant)),
    inPartitions("WS#", equals(SocketTenant.tenant, tenant)),
    inPartitions("AU#", startsWith("SK", `${tenant}#`)),
    inPartitions("DD#", startsWith("SK", `${tenant}#`)),
    inPartitions("OC#", equals("SK", tenant)),
    inPartitions("USR#", equals("SK", userMembershipKey("", tenant).SK)),
    inPartitions("INV#", equals("SK", tenant)),
    inPartitions("K#", allOf(equals(ApiKey.kind, "tenant"), setContains(ApiKey.tenants, tenant))),
  );
}

/** The item of a kind that a row of a conversation's partition refers to. */
function toRelatedKey({ SK }: Key, kind: keyof typeof relatedKeys): Key[] {
  const [letter, refKind, id] = SK.split("#");
  return letter === "A" && id && refKind === kind ? [relatedKeys[kind](id)] : [];
}

function isUpload({ PK }: Key): boolean {
  return PK.startsWith("U#");
}

function distinct(keys: readonly Key[]): Key[] {
  return [...new Map(keys.map((key) => [key.PK, key])).values()];
}
