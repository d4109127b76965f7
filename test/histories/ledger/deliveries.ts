import { ulidTime } from "#base/kernel/ids.ts";
import { ATTEMPTS_MAX, RETENTION, RETRY_DELAYS, RETRY_JITTER } from "#base/kernel/limits.ts";
import type { Millis } from "#base/kernel/time.ts";
import type { KnownEndpoint } from "../deeds.ts";
import { deliveryRow } from "./endpoints.ts";
import type { Evidence, StoredItem } from "./evidence.ts";
import { DONE_WITHIN } from "./outages.ts";

const isDeliveryRow = ({ PK }: StoredItem) => PK.startsWith("D#");

/**
 * A delivery has at most ten attempts, and is abandoned after all of them, or if the next one is after its retention.
 */
export function judgeAttempts({ items, buried }: Evidence): string[] {
  const violations: string[] = [];
  for (const row of items.filter(isDeliveryRow)) {
    const name = `the delivery ${row.SK} to ${row.PK}`;
    const attempts = Number(row.n ?? 0);
    if (attempts > ATTEMPTS_MAX) violations.push(`${name} had ${attempts} attempts`);
    if (row.st !== "dlq" || attempts >= ATTEMPTS_MAX || latestRetry(row, attempts) >= ulidTime(row.SK) + RETENTION)
      continue;
    // A delivery is also abandoned when the message of an attempt failed ten times.
    const endpointId = row.PK.split("#")[2] ?? "";
    if (!buried.some((body) => body.includes(row.SK) && body.includes(endpointId)))
      violations.push(`${name} was abandoned after ${attempts} attempts`);
  }
  return violations;
}

/** The latest time of the attempt after this many. */
function latestRetry({ ua }: StoredItem, attempts: number): Millis {
  return Number(ua) + (RETRY_DELAYS[attempts - 1] ?? 0) * (1 + RETRY_JITTER);
}

/**
 * Nothing waits when nothing more happens, and nothing ever waited for the daily check. A check in an outage finds what
 * is postponed until its end.
 */
export function judgeDeliveries({ items, rescheduled, outages }: Evidence): string[] {
  const found = rescheduled
    .filter(({ at }) => !outages.some(({ from, until }) => from <= at && at <= until + DONE_WITHIN))
    .map(({ deliveries }) => `${deliveries} deliveries waited without anything that would attempt them`);
  return found.concat(waitingForEver(items));
}

function waitingForEver(items: readonly StoredItem[]): string[] {
  return items.filter(isDeliveryRow).flatMap((row) => {
    const name = `the delivery ${row.SK} to ${row.PK}`;
    if (row.lu !== undefined) return [`${name} is being attempted for ever`];
    return row.st === "pending" || row.st === "retrying" ? [`${name} is ${row.st} for ever`] : [];
  });
}

/** Whether a row explains why its event was not delivered: all attempts were made, or the receiver or we refuse. */
export function mayLackDelivery(evidence: Evidence, endpoint: KnownEndpoint, eventUlid: string): boolean {
  const row = deliveryRow(evidence, endpoint, eventUlid);
  return row?.st === "dlq" || (row?.st === "failed" && row.lr === 410) || row?.st === "blocked";
}
