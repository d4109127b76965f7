import { isRefusal, type Refusal, refuse } from "#base/kernel/refusals.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { iso, type Millis } from "#base/kernel/time.ts";
import { currentTrace } from "#base/kernel/trace.ts";
import { type Author, changeAuthor } from "#features/access/rules/callers.ts";
import { getLiveEndpoint } from "../live-endpoint.ts";
import type { ReplayPorts } from "../ports.ts";
import { deliveriesWithBody } from "../replay.ts";
import type { ReplayableStatus } from "../rules/deliveries.ts";
import { retryMessage, scheduleSafetyNet } from "../schedule.ts";
import type { DeliveryRestart } from "../store/delivery-starts.ts";
import type { DeliveryRow } from "../store/items.ts";

/** The events created within [from, to], and the statuses of the deliveries to replay. */
export interface ReplayWindow {
  readonly from: Millis;
  readonly to: Millis;
  readonly statuses: readonly ReplayableStatus[];
  readonly force: boolean;
  /** The ULID of the last event of the previous page. */
  readonly after: string | null;
  /** Rows to read, including those that do not match. */
  readonly limit: number;
}

/** A request to replay a window of an endpoint's deliveries. */
interface ReplayWindowRequest {
  readonly tenant: TenantId;
  readonly endpointId: string;
  readonly window: ReplayWindow;
  readonly author: Author;
  readonly now: Millis;
}

export interface ReplayWindowResult {
  /** Of the rows read: those with a requested status. */
  readonly matched: number;
  readonly enqueued: number;
  /** Matched rows that were not restarted, and rows that are being attempted, which match no status. */
  readonly skipped: number;
  readonly next: string | null;
}

/** Rows written concurrently. */
const CONCURRENCY = 10;

/**
 * Restarts the deliveries of a window, oldest event first, one page at a time. Safe to repeat: a restarted delivery has
 * none of the statuses that can be requested. The audit row is written before the first delivery restarts, if the person
 * is still an admin; after that the page is completed.
 */
export async function replayWindow(
  ports: ReplayPorts,
  { tenant, endpointId, window, author, now }: ReplayWindowRequest,
): Promise<ReplayWindowResult | Refusal<"endpoint_not_found" | "replay_conflict" | "role_forbidden">> {
  const endpoint = await getLiveEndpoint(ports, tenant, endpointId);
  if (isRefusal(endpoint)) return endpoint;
  const includesDelivered = window.statuses.includes("delivered");
  if (includesDelivered && !window.force) {
    return refuse("replay_conflict", "status includes delivered. Add force=true to send those deliveries again.");
  }

  const { rows, next } = await ports.deliveries.listWindow(tenant, {
    ...window,
    endpointId,
    delivered: includesDelivered,
    now,
  });
  const matchingRows = rows.filter(({ status }) =>
    window.statuses.some((requestedStatus) => requestedStatus === status),
  );
  const inProgress = rows.filter(({ status }) => status === "attempting");
  const replayable = await deliveriesWithBody(ports, tenant, matchingRows, now);
  const { from, to, statuses } = window;
  const detail = { from: iso(from), to: iso(to), statuses: statuses.join(",") };
  const change = { action: "webhook.bulk_replay", resource: `webhook:${endpointId}`, detail, at: now } as const;
  const completeAudit = await ports.audit.start(tenant, changeAuthor(author, "admin", change));
  if (completeAudit === "actor_changed") return refuse("role_forbidden");
  const trigger = includesDelivered ? "forced_replay" : "replay";
  const resetRows = await resetDeliveries(ports, tenant, replayable, { trigger, author: null, now });
  const matchCount = matchingRows.length;
  const enqueued = resetRows.length;
  const counts = { matched: matchCount, enqueued, skipped: matchCount - enqueued + inProgress.length };
  await completeAudit(counts);
  await ports.retries.sendAll(
    resetRows.map((row) => retryMessage({ tenant, endpointId, eventUlid: row.eventUlid, attempt: 1 })),
  );
  return { ...counts, next };
}

/** @returns the rows whose status still allowed it */
async function resetDeliveries(
  ports: ReplayPorts,
  tenant: TenantId,
  rows: readonly DeliveryRow[],
  restart: DeliveryRestart,
): Promise<DeliveryRow[]> {
  const resetRows: DeliveryRow[] = [];
  for (let i = 0; i < rows.length; i += CONCURRENCY) {
    // A failure stops the page. The sweep makes the first attempts of the rows that were reset before it.
    const results = await Promise.allSettled(
      rows.slice(i, i + CONCURRENCY).map(async (row) => {
        await scheduleSafetyNet(ports, tenant, row, restart.now);
        const result = await ports.deliveries.reset(tenant, { ...row, ...currentTrace() }, restart);
        if (result === "reset") resetRows.push(row);
      }),
    );
    const rejection = results.find((result) => result.status === "rejected");
    if (rejection) throw rejection.reason;
  }
  return resetRows;
}
