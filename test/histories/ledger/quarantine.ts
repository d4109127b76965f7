import { RETENTION } from "#base/kernel/limits.ts";
import { HOUR } from "#base/kernel/time.ts";
import { quarantineAttributes as A } from "#features/dead-letters/store/attributes.ts";
import type { Evidence } from "./evidence.ts";

/** Why a letter may stay: what it is about is gone. */
const goneReasons: ReadonlySet<string | null> = new Set(["event_gone", "delivery_gone", "endpoint_gone"]);

/**
 * A record is in quarantine only if its message was made to fail: every other fault of a history passes. Each of those is
 * there, and the operator's last redrive sent it back, or found that nothing is left to do.
 */
export function judgeQuarantine({ changes, buried, redrives, deletions, calmAt }: Evidence): string[] {
  // Those of a deleted tenant are removed, or were never stored.
  const mustRemain = (body: string) => !deletions.some(({ tenant }) => body.includes(tenant));
  // The last state of each row, although a purge may have removed it.
  const states = changes.flatMap(({ after }) => (after?.PK.startsWith("QUAR#") ? [after] : []));
  const rows = [...new Map(states.map((row) => [`${row.PK} ${row.SK}`, row])).values()];
  const stored = new Set(rows.map((row) => String(row[A.body])));
  const missing = buried.filter((body) => !stored.has(body) && mustRemain(body));
  return [
    ...missing.map((body) => `a dead letter is not in quarantine: ${body.slice(0, 200)}`),
    ...rows.flatMap((row) => {
      const name = `${row.PK} ${String(row[A.body]).slice(0, 200)}`;
      if (!buried.includes(String(row[A.body]))) return [`a record is in quarantine: ${name}`];
      if (!mustRemain(String(row[A.body]))) return [];
      if (row[A.redrivenAt] !== undefined || Number(row[A.quarantinedAt]) + RETENTION < (calmAt ?? 0) + 2 * HOUR)
        return [];
      const last = redrives.findLast(({ letter }) => row.SK.includes(letter.id));
      if (last?.end === "refused" && goneReasons.has(last.reason)) return [];
      return [`a dead letter was not redriven (${last?.end} ${last?.reason}): ${name}`];
    }),
  ];
}
