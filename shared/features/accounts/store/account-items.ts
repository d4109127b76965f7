import type { Millis } from "#base/kernel/time.ts";
import { allOf, type Expression, equals, isAbsent, itemExists } from "#base/table/expressions.ts";
import type { Key } from "#base/table/keys.ts";
import type { HealthEvent } from "../rules/account-health.ts";
import {
  type Account,
  type AccountStatus,
  type Connection,
  effectiveStatus,
  isPlatform,
  type ReplacedConnection,
} from "../rules/accounts.ts";
import { accountAttributes as A } from "./attributes.ts";

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
  readonly [A.resubscribedAt]?: Millis;
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
    resubscribedAt: item[A.resubscribedAt] ?? null,
    socketsUntil: item[A.socketsUntil] ?? null,
    sealedToken: item[A.sealedToken],
  };
}

/** The replaced connections of an account, the newest first. */
export function replacedConnections(
  item: Pick<AccountItem, typeof A.replaced | typeof A.earlierReplaced>,
): ReplacedConnection[] {
  const { [A.replaced]: newest, [A.earlierReplaced]: earlier = [] } = item;
  return newest ? [newest, ...earlier] : [...earlier];
}
