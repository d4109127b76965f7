import type { AuditEntry } from "#client";

const HEAD = ["at", "actor", "name", "action", "resource", "ip", "detail", "id"] as const;

/**
 * Entries as CSV of RFC 4180, with a head. A value that a spreadsheet would take for a formula begins with an apostrophe.
 * @param nameOf who an actor is
 */
export function toCsv(entries: readonly AuditEntry[], nameOf: (actor: string) => string): string {
  const rows = entries.map((entry) => [
    entry.at,
    entry.actor,
    nameOf(entry.actor),
    entry.action,
    entry.resource,
    entry.ip ?? "",
    JSON.stringify(entry.detail),
    entry.id,
  ]);
  return [HEAD, ...rows].map((row) => `${row.map(toCell).join(",")}\r\n`).join("");
}

function toCell(value: string): string {
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
