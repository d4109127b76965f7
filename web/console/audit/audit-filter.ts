import type { AuditEntry } from "#client";
import { anyTime, isInRange, rangeQuery, type TimeRange } from "../admin/time-range.ts";
import type { Action } from "./sentences.ts";

/** Which entries are listed. */
export interface AuditFilter {
  readonly action: Action | null;
  readonly actor: string | null;
  readonly range: TimeRange;
}

export const everything: AuditFilter = { action: null, actor: null, range: anyTime };

/** The parameters of the list for a filter. */
export function auditQuery({ action, actor, range }: AuditFilter) {
  return {
    ...(action === null ? {} : { action }),
    ...(actor === null ? {} : { actor }),
    ...rangeQuery(range),
  };
}

/** Whether an entry is one that the filter asks for, also where the API does not filter. */
export function isMatch({ action, actor, range }: AuditFilter, entry: AuditEntry): boolean {
  return (
    (action === null || entry.action === action) &&
    (actor === null || entry.actor === actor) &&
    isInRange(range, Date.parse(entry.at))
  );
}
