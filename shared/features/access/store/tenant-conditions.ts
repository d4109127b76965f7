import type { Millis } from "#base/kernel/time.ts";
import {
  anyOf,
  atMost,
  type Expression,
  equals,
  isAbsent,
  isOneOf,
  itemDoesNotExist,
} from "#base/table/expressions.ts";
import { timeToLive } from "#base/table/keys.ts";
import { tenantAttributes as A } from "./attributes.ts";

// Beside `active` and `suspended`, a tenant's row has two more statuses: `deleting` while the tenant is deleted, and
// `deleted`, when only the row is left, so that its slug stays taken for a time. Only `tenantDeletionStore` writes them.

/** For each transaction that makes something for a tenant. A tenant without a row is accepted. */
export const isNotDeleted: Expression = anyOf(isAbsent(A.status), isOneOf(A.status, ["active", "suspended"]));

/** As `isNotDeleted`, and the tenant is not suspended. */
export const isNotSuspended: Expression = anyOf(isAbsent(A.status), equals(A.status, "active"));

export const isSuspended: Expression = equals(A.status, "suspended");

/** Whether a tenant's row is that of a tenant that is being deleted, or was. */
export function isDeletedTenant(item: { readonly [A.status]?: unknown }): boolean {
  return item[A.status] === "deleting" || item[A.status] === "deleted";
}

/** Whether a slug is free: the time to live deletes its row hours or days late. */
export function isSlugFree(now: Millis): Expression {
  return anyOf(itemDoesNotExist, atMost(A.ttl, timeToLive(now)));
}
