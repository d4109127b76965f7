import { parseTenant, type TenantId } from "#base/kernel/tenant.ts";
import type { Millis } from "#base/kernel/time.ts";
import { type Key, t13 } from "#base/table/keys.ts";
import { type AccountRef, accountKey, parseAccountKey } from "../rules/accounts.ts";

// The keys of accounts, of their logins and of the platforms' own requests about them. docs/design/table-keys.md lists
// the items.

export function accountItemKey(tenant: TenantId, ref: AccountRef): Key {
  return { PK: `T#${tenant}`, SK: `ACC#${accountKey(ref)}` };
}

/** From a platform's account to the tenant that it is connected to. */
export function accountRouteKey(ref: AccountRef): Key {
  return { PK: `ACC#${accountKey(ref)}`, SK: "R" };
}

/** A connected account that uses a Facebook page. Each account is connected to one tenant. */
export function pageUseKey(pageId: string, ref: AccountRef): Key {
  return { PK: pageUsePartition(pageId), SK: accountKey(ref) };
}

export function pageUsePartition(pageId: string): string {
  return `PAGE#${pageId}`;
}

/** A platform login that connected an account. @param platformUserId the platform's id of the person */
export function authorizationKey(platformUserId: string, tenant: TenantId, ref: AccountRef): Key {
  return { PK: authorizationPartition(platformUserId), SK: accountOfTenant(tenant, ref) };
}

export function authorizationPartition(platformUserId: string): string {
  return `AU#${platformUserId}`;
}

/** The next check of an account. */
export function accountCheckKey(tenant: TenantId, ref: AccountRef): Key {
  return { PK: `T#${tenant}`, SK: `CHECK#${accountKey(ref)}` };
}

/** The values `:t` and `:check` of a query for the checks of a tenant. */
export function checkRange(tenant: TenantId) {
  return { ":t": `T#${tenant}`, ":check": "CHECK#" };
}

/** The partition of the next checks in the feed index, sorted by the instant when they are due. */
export const DUE_CHECKS = "QA";

/** A check's position in the feed index. */
export function checkPosition(dueAt: Millis, tenant: TenantId, ref: AccountRef): string {
  return `${t13(dueAt)}#${accountOfTenant(tenant, ref)}`;
}

/** A login's state that was used. @param nonceHash a hash of its nonce */
export function loginStateKey(nonceHash: string): Key {
  return { PK: `OS#${nonceHash}`, SK: "S" };
}

/** The pages that a person may connect to a tenant after a login. @param userId `usr_<ULID>` */
export function pageChoiceKey(userId: string, tenant: TenantId): Key {
  return { PK: `OC#${userId}`, SK: tenant };
}

/** A data deletion that a platform requested. */
export function dataDeletionKey(confirmationCode: string): Key {
  return { PK: `DD#${confirmationCode}`, SK: "D" };
}

/** An account whose conversations a data deletion has still to erase. */
export function dataDeletionAccountKey(confirmationCode: string, tenant: TenantId, ref: AccountRef): Key {
  return { PK: `DD#${confirmationCode}`, SK: accountOfTenant(tenant, ref) };
}

/** The partition of unfinished data deletions in the feed index, sorted by the instant when a sweep continues them. */
export const DUE_DELETIONS = "QDD";

/** A data deletion's position in the feed index, and that of each of its accounts. */
export function deletionPosition(dueAt: Millis, confirmationCode: string): string {
  return `${t13(dueAt)}#${confirmationCode}`;
}

/** The confirmation code of a data deletion, from the partition key of its rows. */
export function parseDeletionPartition(partition: string): string {
  return partition.slice("DD#".length);
}

/** `<tenant>#<account key>`. A slug contains no `#`. */
function accountOfTenant(tenant: TenantId, ref: AccountRef): string {
  return `${tenant}#${accountKey(ref)}`;
}

/** @throws Error when a stored key is malformed */
export function parseAccountOfTenant(text: string): { readonly tenant: TenantId; readonly account: AccountRef } {
  const end = text.indexOf("#");
  const tenant = parseTenant(text.slice(0, end));
  const account = parseAccountKey(text.slice(end + 1));
  if (!tenant || !account) throw new Error("The row names no account of a tenant.");
  return { tenant, account };
}
