import { openCursor, sealCursor } from "../../shared/kernel/cursors.ts";
import { type Refusal, refuse } from "../../shared/kernel/refusals.ts";
import type { TenantId } from "../../shared/kernel/tenant.ts";

/** What a paged route is asked for: `limit` is 1 to 100, `cursor` is still sealed. */
export interface Page {
  readonly limit: number;
  readonly cursor: string | null;
}

/** The scope a cursor is sealed to: a cursor of another route, tenant or set of filters does not open under it. */
export function pageScope(
  route: string,
  tenant: TenantId,
  filters: Readonly<Record<string, string | number | boolean | null | undefined>> = {},
): string {
  const activeFilters = Object.entries(filters).filter(([, value]) => value !== undefined && value !== null);
  return JSON.stringify([route, tenant, activeFilters.sort(([a], [b]) => (a < b ? -1 : 1))]);
}

/** Where the page starts: null for the first page. A cursor that does not open under `scope` is refused. */
export function openPage(
  cursorKey: Uint8Array,
  scope: string,
  page: Page,
): { position: string | null } | Refusal<"invalid_request"> {
  if (page.cursor === null) return { position: null };
  const position = openCursor(cursorKey, scope, page.cursor);
  return position === null
    ? refuse("invalid_request", "cursor: must be the next_cursor of an earlier answer to the same query")
    : { position };
}

/** The `next_cursor` of an answer: null on the last page. */
export function nextCursor(cursorKey: Uint8Array, scope: string, position: string | null): string | null {
  return position === null ? null : sealCursor(cursorKey, scope, position);
}
