import { parseTenant, type TenantId } from "#base/kernel/tenant.ts";
import type { Millis } from "#base/kernel/time.ts";
import { allOf, type Expression, equals, isAbsent, itemExists } from "#base/table/expressions.ts";
import { type Key, t13 } from "#base/table/keys.ts";
import type { HealthEvent } from "../rules/account-health.ts";
import {
  type Account,
  type AccountRef,
  type AccountRestore,
  type AccountStatus,
  accountKey,
  type Connection,
  effectiveStatus,
  isPlatform,
  parseAccountKey,
  type ReplacedConnection,
} from "../rules/accounts.ts";
import type { AccountHolder } from "../rules/holders.ts";
import { accountAttributes as A, accountRouteAttributes as Route } from "./attributes.ts";

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

/** An account as stored. */
export interface AccountItem extends Key {
  readonly [A.connectedMailOf]?: string;
  readonly [A.connectionId]?: string;
  readonly [A.connection]: Connection;
  readonly [A.handle]: string;
  readonly [A.displayName]: string;
  readonly [A.pageId]?: string;
  readonly [A.status]: AccountStatus;
  readonly [A.statusDetail]?: string;
  readonly [A.refreshError]?: string;
  /** The first failure of a refresh after the last success. */
  readonly [A.refreshFailingSince]?: Millis;
  readonly [A.lastRefreshedAt]?: Millis;
  readonly [A.sealedToken]: Uint8Array;
  readonly [A.tokenExpiresAt]?: Millis;
  readonly [A.authorizedBy]?: readonly string[];
  readonly [A.humanAgentRefusedAt]?: Millis;
  readonly [A.replaced]?: ReplacedConnection;
  /** The connections that were replaced before `replaced`, the newest first. */
  readonly [A.earlierReplaced]?: readonly ReplacedConnection[];
  readonly [A.restoredFrom]?: Millis;
  readonly [A.restoredUntil]?: Millis;
  readonly [A.restoredAnswersFrom]?: Millis;
  readonly [A.restoredUnread]?: true;
  readonly [A.resubscriptions]?: number;
  readonly [A.socketsUntil]?: Millis;
  readonly [A.policy]?: StoredDecision;
  /** Decisions before `policy` that have an event, newest first. */
  readonly [A.earlierPolicies]?: readonly StoredDecision[];
  /** The event of the last status change by a send. */
  readonly [A.statusEvent]?: string;
  /** The events before `statusEvent`, newest first. */
  readonly [A.earlierStatusEvents]?: readonly string[];
  readonly [A.retryAt]?: Millis;
  readonly [A.retryWait]?: Millis;
  /** The account was connected when this connection was made. */
  readonly [A.reconnected]?: true;
  /** When a check last made the account active. */
  readonly [A.recoveredAt]?: Millis;
  /** `<ULID> <type> <reason>` */
  readonly [A.notices]?: readonly string[];
  /** `<t13>#<ULID>`: when a process started to mail about the notices. */
  readonly [A.mailClaim]?: string;
}

/** A change of the status whose event may not be published yet, and about which no owner was mailed. */
export interface AccountNotice extends HealthEvent {
  readonly eventUlid: string;
}

/** Notices of an account that no check has published yet. */
const NOTICES_MAX = 5;
/** Events stored beside that of the newest change of the status. The sweep repeats a change within minutes. */
const EARLIER_EVENTS_MAX = 2;

/** A decision of the platform. `eventUlid` is null when it changed nothing that is shown. */
export interface StoredDecision {
  readonly action: "block" | "unblock";
  readonly at: Millis;
  readonly eventUlid: string | null;
}

export function itemStatus(item: AccountItem): AccountStatus {
  return effectiveStatus(item[A.status], item[A.policy]?.action ?? null);
}

/** Null unless a refused send restricted the account, and while the platform blocks it. */
export function itemRetryAt(item: AccountItem): Millis | null {
  return item[A.status] === "restricted" && item[A.policy]?.action !== "block" ? (item[A.retryAt] ?? 0) : null;
}

/** The events of the last changes of the status, newest first. */
export function statusEvents(item: AccountItem): string[] {
  const { [A.statusEvent]: newest, [A.earlierStatusEvents]: earlier = [] } = item;
  return newest === undefined ? [] : [newest, ...earlier];
}

/** The attributes that store the event of a new change of the status. */
export function newStatusEvent(item: AccountItem, eventUlid: string) {
  const earlier = statusEvents(item).slice(0, EARLIER_EVENTS_MAX);
  return {
    [A.statusEvent]: eventUlid,
    ...(earlier.length > 0 ? { [A.earlierStatusEvents]: earlier } : {}),
  };
}

/** The attribute that has the next check publish a change, in the order of the changes. */
export function newNotice(item: AccountItem, notice: AccountNotice) {
  return { [A.notices]: [...(item[A.notices] ?? []), formatNotice(notice)].slice(-NOTICES_MAX) };
}

export function formatNotice({ eventUlid, type, reason }: AccountNotice): string {
  return `${eventUlid} ${type} ${reason}`;
}

export function toNotices(item: AccountItem): AccountNotice[] {
  return (item[A.notices] ?? []).map((text) => {
    const [eventUlid = "", type, reason] = text.split(" ");
    return { eventUlid, type, reason } as AccountNotice;
  });
}

/** Whether the item is still that of the connection. @param connectionId empty for an account from before there were any */
export function isOfConnection(connectionId: string): Expression {
  return connectionId === "" ? allOf(itemExists, isAbsent(A.connectionId)) : equals(A.connectionId, connectionId);
}

export function toAccount(item: AccountItem): Account {
  const [, platform = "", externalId = ""] = item.SK.split("#");
  if (!isPlatform(platform)) throw new Error("Account has an unknown platform.");
  return {
    platform,
    externalId,
    connectionId: item[A.connectionId] ?? "",
    connection: item[A.connection],
    handle: item[A.handle],
    displayName: item[A.displayName],
    pageId: item[A.pageId] ?? null,
    status: itemStatus(item),
    statusDetail: item[A.statusDetail] ?? null,
    retryAt: itemRetryAt(item),
    refreshError: item[A.refreshError] ?? null,
    lastRefreshedAt: item[A.lastRefreshedAt] ?? null,
    tokenExpiresAt: item[A.tokenExpiresAt] ?? null,
    authorizedBy: item[A.authorizedBy] ?? [],
    humanAgentBlockedAt: item[A.humanAgentRefusedAt] ?? null,
    replaced: replacedConnections(item),
    resubscriptions: item[A.resubscriptions] ?? null,
    socketsUntil: item[A.socketsUntil] ?? null,
    restore: toAccountRestore(item),
    sealedToken: item[A.sealedToken],
  };
}

/** What a row says of the last restore; null without one. */
export function toAccountRestore(
  item: Pick<AccountItem, (typeof A)["restoredFrom" | "restoredUntil" | "restoredAnswersFrom" | "restoredUnread"]>,
): AccountRestore | null {
  const { [A.restoredFrom]: from, [A.restoredUntil]: until = null, [A.restoredAnswersFrom]: earlier } = item;
  if (from === undefined) return null;
  return { from, until, answersFrom: earlier ?? from, isUnread: item[A.restoredUnread] ?? false };
}

/** The replaced connections of an account, the newest first. */
export function replacedConnections(
  item: Pick<AccountItem, typeof A.replaced | typeof A.earlierReplaced>,
): ReplacedConnection[] {
  const { [A.replaced]: newest, [A.earlierReplaced]: earlier = [] } = item;
  return newest ? [newest, ...earlier] : [...earlier];
}

/** The row from a platform's account to the tenants that have, or had, it. */
export interface AccountRouteItem extends Key {
  readonly [Route.tenant]?: string;
  /** The tenant that had the account last, of a route that is no tenant's. */
  readonly [Route.former]?: string;
  /** From when on any tenant may connect the account, of a route that is no tenant's. */
  readonly [Route.freeAt]?: Millis;
  readonly [Route.handle]?: string;
  readonly [Route.holders]?: readonly StoredHolder[];
}

/** A holder as it is stored: tenant, handle, from, until; 0 while the tenant has the account. */
type StoredHolder = readonly [string, string, Millis, Millis];

/** A row of an earlier release names the present holder alone. */
export function toHolders(item: AccountRouteItem): AccountHolder[] {
  const { [Route.holders]: holders, [Route.tenant]: current, [Route.handle]: handle = "" } = item;
  const stored = holders ?? (current === undefined ? [] : [[current, handle, 0, 0] as const]);
  return stored.flatMap(([slug, holderHandle, from, until]) => {
    const tenant = parseTenant(slug);
    return tenant ? [{ tenant, handle: holderHandle, from, until: until === 0 ? null : until }] : [];
  });
}

/** The attribute of a route with its holders. */
export function toHoldersAttribute(holders: readonly AccountHolder[]) {
  const stored = holders.map(({ tenant, handle, from, until }): StoredHolder => [tenant, handle, from, until ?? 0]);
  return { [Route.holders]: stored };
}
