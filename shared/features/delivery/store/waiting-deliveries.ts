import { GetCommand, ScanCommand } from "@aws-sdk/lib-dynamodb";
import { table as names } from "#base/config/names.ts";
import { parseTenant, type TenantId } from "#base/kernel/tenant.ts";
import { checkpointAttributes as Checkpoint } from "#base/table/attributes.ts";
import { batchGet } from "#base/table/batches.ts";
import type { Table } from "#base/table/client.ts";
import type { Key } from "#base/table/keys.ts";
import { assign, sendWrite } from "#base/table/writes.ts";
import { deliveryAttributes as A } from "./attributes.ts";
import { type DeliveryItem, type DeliveryRow, deliveryKey, deliveryScanCheckpointKey, toDeliveryRow } from "./items.ts";

/** Index entries that one request reads: about 140 KB. */
const PAGE_SIZE = 1_000;

/** A key of the index, after which a scan continues. */
export type ScanCursor = Readonly<Record<string, string>>;

/** The index entry of a delivery that waits for an attempt. */
export interface WaitingDelivery {
  readonly tenant: TenantId;
  readonly endpointId: string;
  readonly eventUlid: string;
}

export interface WaitingPage {
  readonly deliveries: readonly WaitingDelivery[];
  /** Index entries read, including those of deliveries that do not wait. */
  readonly examined: number;
  /** Where the next page starts; null after the last one. */
  readonly next: ScanCursor | null;
}

export type WaitingDeliveries = ReturnType<typeof waitingDeliveryStore>;

/** The deliveries of all tenants that wait for an attempt, from a scan of the index of undelivered events. */
export function waitingDeliveryStore(table: Table) {
  const { client, name: TableName } = table;
  return {
    /** A page of the index, in no particular order. */
    async page(after: ScanCursor | null): Promise<WaitingPage> {
      const { Items, ScannedCount, LastEvaluatedKey } = await client.send(
        new ScanCommand({
          TableName,
          IndexName: names.failingIndex.name,
          FilterExpression: `${A.status} IN (:pending, :retrying)`,
          ExpressionAttributeValues: { ":pending": "pending", ":retrying": "retrying" },
          Limit: PAGE_SIZE,
          ...(after ? { ExclusiveStartKey: after } : {}),
        }),
      );
      return {
        deliveries: ((Items ?? []) as Key[]).flatMap(({ PK, SK: eventUlid }) => {
          const [, slug = "", endpointId = ""] = PK.split("#");
          const tenant = parseTenant(slug);
          return tenant ? [{ tenant, endpointId, eventUlid }] : [];
        }),
        examined: ScannedCount ?? 0,
        next: (LastEvaluatedKey as ScanCursor | undefined) ?? null,
      };
    },

    /** The rows of these deliveries. One that no longer exists is left out. */
    async rows(deliveries: readonly WaitingDelivery[]): Promise<{ tenant: TenantId; row: DeliveryRow }[]> {
      const keys = deliveries.map(({ tenant, endpointId, eventUlid }) => deliveryKey(tenant, endpointId, eventUlid));
      const items = await batchGet<DeliveryItem>(table, keys);
      const tenants = new Map(deliveries.map(({ tenant, endpointId }) => [endpointId, tenant]));
      return items.map(toDeliveryRow).flatMap((row) => {
        const tenant = tenants.get(row.endpointId);
        return tenant ? [{ tenant, row }] : [];
      });
    },

    /** Where the last scan stopped for lack of time; null when it was complete. */
    async cursor(): Promise<ScanCursor | null> {
      const { Item } = await client.send(new GetCommand({ TableName, Key: deliveryScanCheckpointKey }));
      return (Item?.[Checkpoint.cursor] as ScanCursor | undefined) ?? null;
    },

    async saveCursor(cursor: ScanCursor | null): Promise<void> {
      await sendWrite(table, assign({ ...deliveryScanCheckpointKey, [Checkpoint.cursor]: cursor ?? undefined }));
    },
  };
}
