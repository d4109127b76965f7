import { ATTEMPTS_MAX, RETENTION } from "../../../shared/domain/limits.ts";
import { ulidTime } from "../../../shared/kernel/ids.ts";
import { deliveryRow, type Evidence, type StoredItem } from "./evidence.ts";

const isDeliveryRow = ({ PK }: StoredItem) => PK.startsWith("D#");

/** Nothing waits when nothing more happens, and a delivery that is given up has had all its attempts. */
export function judgeDeliveries({ items }: Evidence): string[] {
  const violations: string[] = [];
  for (const row of items.filter(isDeliveryRow)) {
    const name = `the delivery ${row.SK} to ${row.PK}`;
    if (row.lu !== undefined) violations.push(`${name} is being attempted for ever`);
    if (row.st === "pending" || row.st === "retrying") violations.push(`${name} is ${row.st} for ever`);
    const attempts = Number(row.n ?? 0);
    if (attempts > ATTEMPTS_MAX) violations.push(`${name} had ${attempts} attempts`);
    if (row.st === "dlq" && attempts < ATTEMPTS_MAX && Number(row.ua) < ulidTime(row.SK) + RETENTION)
      violations.push(`${name} was given up after ${attempts} attempts`);
  }
  return violations;
}

/** Whether a row explains why its event was not delivered: all attempts were made, or the receiver or we refuse. */
export function mayLackDelivery(evidence: Evidence, endpointId: string, eventUlid: string): boolean {
  const row = deliveryRow(evidence, endpointId, eventUlid);
  return row?.st === "dlq" || (row?.st === "failed" && row.lr === 410) || row?.st === "blocked";
}

/** No record ends in quarantine: every fault of a history passes. */
export function judgeQuarantine({ items }: Evidence): string[] {
  return items
    .filter(({ PK }) => PK.startsWith("QUAR#"))
    .map(({ PK, b }) => `a record is in quarantine: ${PK} ${String(b).slice(0, 200)}`);
}
