import type { ReplayableStatus } from "../../domain/delivery/deliveries.ts";
import { isRefusal, type Refusal, refuse } from "../../kernel/refusals.ts";
import type { TenantId } from "../../kernel/tenant.ts";
import { iso, type Millis } from "../../kernel/time.ts";
import type { DeliveryRow } from "../../stores/delivery/delivery-items.ts";
import { type AskedBy, entryOf } from "../access/audit-entry.ts";
import type { ApiPorts } from "../ports.ts";
import { readWebhook } from "../webhooks/get.ts";
import { firstAttempt, standBy } from "./first-attempt.ts";
import { stillKept } from "./replayable.ts";

type ReplayPorts = Pick<
  ApiPorts,
  "endpoints" | "deliveries" | "messages" | "eventBodies" | "due" | "retries" | "audit"
>;

/** The events that came within [from, to], and which of their deliveries are meant. */
export interface ReplayWindow {
  readonly from: Millis;
  readonly to: Millis;
  readonly statuses: readonly ReplayableStatus[];
  readonly force: boolean;
  /** The last event's ULID of the page before. */
  readonly after: string | null;
  /** Rows looked at, whether they are meant or not. */
  readonly limit: number;
}

export interface Replayed {
  /** Of the rows looked at: those of the statuses asked for, and those that an attempt is being made of. */
  readonly matched: number;
  readonly enqueued: number;
  readonly skipped: number;
  readonly next: string | null;
}

/** Rows that are written at once. */
const AT_ONCE = 10;

/**
 * Lets the deliveries of a window begin anew, oldest event first, a page at a time. Safe to repeat: what has begun anew
 * is in none of the statuses that may be asked for. The audit row is there before the first of them has begun.
 */
export async function replayWindow(
  ports: ReplayPorts,
  tenant: TenantId,
  endpointId: string,
  window: ReplayWindow,
  by: AskedBy,
  now: Millis,
): Promise<Replayed | Refusal<"endpoint_not_found" | "replay_conflict">> {
  const endpoint = await readWebhook(ports, tenant, endpointId);
  if (isRefusal(endpoint)) return endpoint;
  const delivered = window.statuses.includes("delivered");
  if (delivered && !window.force) {
    return refuse("replay_conflict", "status names delivered: add force=true to send those again");
  }

  const { rows, next } = await ports.deliveries.ofWindow(tenant, { ...window, endpointId, delivered, now });
  const meant = rows.filter(({ status }) => window.statuses.some((wanted) => wanted === status));
  const midAttempt = rows.filter(({ status }) => status === "attempting");
  const ready = await stillKept(ports, tenant, meant, now);
  const { from, to, statuses } = window;
  const detail = { from: iso(from), to: iso(to), statuses: statuses.join(",") };
  const audited = await ports.audit.begin(tenant, entryOf("webhook.bulk_replay", endpointId, by, detail, now));
  const begun = await beginAnew(ports, tenant, ready, delivered ? "forced_replay" : "replay", now);
  const matched = meant.length + midAttempt.length;
  const counts = { matched, enqueued: begun.length, skipped: matched - begun.length };
  await audited(counts);
  await ports.retries.sendAll(begun.map((row) => firstAttempt(tenant, row, now)));
  return { ...counts, next };
}

/** @returns those whose status was still one that may */
async function beginAnew(
  ports: ReplayPorts,
  tenant: TenantId,
  rows: readonly DeliveryRow[],
  trigger: "replay" | "forced_replay",
  now: Millis,
): Promise<DeliveryRow[]> {
  const begun: DeliveryRow[] = [];
  for (let i = 0; i < rows.length; i += AT_ONCE) {
    // Nothing goes on behind a failure: what has begun by then stands by for the sweep.
    const settled = await Promise.allSettled(
      rows.slice(i, i + AT_ONCE).map(async (row) => {
        await standBy(ports, tenant, row, now);
        if (await ports.deliveries.reset(tenant, row, trigger, null, now)) begun.push(row);
      }),
    );
    const failed = settled.find((result) => result.status === "rejected");
    if (failed) throw failed.reason;
  }
  return begun;
}
