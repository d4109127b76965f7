import { paginateScan } from "@aws-sdk/lib-dynamodb";
import type { TenantId } from "#base/kernel/tenant.ts";
import type { Millis } from "#base/kernel/time.ts";
import type { Table } from "#base/table/client.ts";
import { decodeEvent } from "#features/delivery/event-queue.ts";
import type { EndpointTask, RetryMessage } from "#features/delivery/queue.ts";
import { isWaiting } from "#features/delivery/rules/deliveries.ts";
import { type DeliveryItem, type DeliveryRow, toDeliveryRow } from "#features/delivery/store/items.ts";
import type { Endpoint } from "#features/webhooks/rules/endpoints.ts";
import { type EndpointItem, toEndpoint } from "#features/webhooks/store/items.ts";
import { decodeEndpointTask, decodeRetry } from "../pipeline/deliveries-messages.ts";

/** A table, and the bodies of all messages on its `Events`, `Deliveries` and `SlowDeliveries` queues: visible, delayed and in flight. */
interface DeliveryState {
  readonly table: Table;
  readonly queued: readonly string[];
  readonly now: Millis;
  /** Default: all tenants. */
  readonly tenant?: TenantId;
}

/**
 * The deliveries that wait for an attempt that nothing will make: no queue message, no due item that a sweep has yet to
 * reach, and no probe or drain of their endpoint. Must be empty at any time, also right after a crash.
 */
export async function unscheduledDeliveries({ table, queued, now, tenant }: DeliveryState): Promise<DeliveryRow[]> {
  const items = await scanTable(table);
  const endpoints = items
    .filter(({ SK }) => SK.startsWith("WH#"))
    .map((item) => toEndpoint(item as unknown as EndpointItem));
  const rows = items
    .filter(({ PK }) => PK.startsWith(tenant ? `D#${tenant}#` : "D#"))
    .map((item) => toDeliveryRow(item as unknown as DeliveryItem));
  const scheduled = scheduledWork(queued, items);
  return rows
    .filter(({ status }) => status === "pending" || status === "retrying" || status === "attempting")
    .filter((row) => {
      const endpoint = endpoints.find(({ id }) => id === row.endpointId);
      return !hasAttempt(row, scheduled) && !hasEndpointTask(row, endpoint, scheduled, now);
    });
}

interface StoredItem {
  readonly PK: string;
  readonly SK: string;
  readonly [attribute: string]: unknown;
}

async function scanTable({ client, name: TableName }: Table): Promise<StoredItem[]> {
  const items: StoredItem[] = [];
  for await (const { Items = [] } of paginateScan({ client }, { TableName, ConsistentRead: true }))
    items.push(...(Items as StoredItem[]));
  return items;
}

interface ScheduledWork {
  readonly eventUlids: ReadonlySet<string>;
  readonly retries: readonly Pick<RetryMessage, "endpointId" | "eventUlid" | "attempt">[];
  readonly tasks: readonly EndpointTask[];
}

function scheduledWork(queued: readonly string[], items: readonly StoredItem[]): ScheduledWork {
  const sweptUntil = String(items.find(({ PK, SK }) => PK === "Q" && SK === "SWEPT")?.p ?? "");
  const dueItems = items.filter(({ PK, SK }) => PK.startsWith("Q#") && SK > sweptUntil);
  const dueTasks = dueItems.flatMap(({ b }) => (typeof b === "string" ? [b] : []));
  const dueRetries = dueItems.map(({ SK }) => {
    const [, endpointId = "", eventUlid = "", attempt = ""] = SK.split("#");
    return { endpointId, eventUlid, attempt: Number(attempt) };
  });
  const decode = <T>(bodies: readonly string[], decoder: (body: string) => T | null): T[] =>
    bodies.flatMap((body) => decoder(body) ?? []);
  return {
    eventUlids: new Set(decode(queued, decodeEvent).map(({ eventUlid }) => eventUlid)),
    retries: [...decode(queued, decodeRetry), ...dueRetries],
    tasks: decode([...queued, ...dueTasks], decodeEndpointTask),
  };
}

/** Whether the row's next attempt, the one in progress, or its event will come. */
function hasAttempt(row: DeliveryRow, { eventUlids, retries }: ScheduledWork): boolean {
  const next = row.status === "attempting" ? row.attempt : row.attempt + 1;
  if (eventUlids.has(row.eventUlid)) return true;
  return retries.some(
    ({ endpointId, eventUlid, attempt }) =>
      endpointId === row.endpointId && eventUlid === row.eventUlid && attempt === next,
  );
}

/** Whether a probe or drain will find the row. A row with an attempt in the future is not looked for. */
function hasEndpointTask(
  row: DeliveryRow,
  endpoint: Endpoint | undefined,
  { tasks }: ScheduledWork,
  now: Millis,
): boolean {
  if (row.status !== "attempting" && !isWaiting(row, now)) return false;
  return tasks.some((task) => {
    if (task.endpointId !== row.endpointId) return false;
    if (task.kind === "drain") return task.after === null || task.after < row.eventUlid;
    const { openUntil = null, closedBy = null } = endpoint?.breaker ?? {};
    return task.kind === "probe" && (task.probe === openUntil || (openUntil === null && task.probe === closedBy));
  });
}
