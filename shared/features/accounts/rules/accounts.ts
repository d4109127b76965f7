import { sha256 } from "#base/kernel/bytes.ts";
import { RESTRICTION_RETRY_FIRST, RESTRICTION_RETRY_MAX } from "#base/kernel/limits.ts";
import { type Refusal, refuse } from "#base/kernel/refusals.ts";
import { DAY, HOUR, MINUTE, type Millis, SECOND } from "#base/kernel/time.ts";

export const platforms = ["instagram", "messenger"] as const;
export type PlatformName = (typeof platforms)[number];

export const connections = ["instagram_login", "instagram_page", "messenger"] as const;
/** How an account is connected. It determines the host, the token and the limits of API calls. */
export type Connection = (typeof connections)[number];

export type AccountStatus = "active" | "refresh_failing" | "needs_reauth" | "restricted";

/**
 * The public status of an account. The platform's policy action is stored beside the status, so that neither overwrites
 * the other. `needs_reauth` takes precedence over a block.
 */
export function effectiveStatus(storedStatus: AccountStatus, policyAction: "block" | "unblock" | null): AccountStatus {
  return storedStatus !== "needs_reauth" && policyAction === "block" ? "restricted" : storedStatus;
}

/** The stored status after a policy action. An unblock also lifts a restriction that a refused send reported. */
export function statusAfterPolicy(storedStatus: AccountStatus, policyAction: "block" | "unblock"): AccountStatus {
  return policyAction === "unblock" && storedStatus === "restricted" ? "active" : storedStatus;
}

/**
 * How long no send is tried after a refusal restricted the account: an hour, and twice as long after each refused try.
 * @param previousWait null for the first refusal
 */
export function restrictionWait(previousWait: Millis | null): Millis {
  return previousWait === null ? RESTRICTION_RETRY_FIRST : Math.min(2 * previousWait, RESTRICTION_RETRY_MAX);
}

/** An account on a platform. `externalId` contains no `#`. */
export interface AccountRef {
  readonly platform: PlatformName;
  readonly externalId: string;
}

/** A way of connecting that a later one replaced. The app may still be subscribed to its messages. */
export interface ReplacedConnection {
  readonly pageId: string | null;
  readonly connection: Connection;
  /** Encrypted as the account's token. */
  readonly sealedToken: Uint8Array;
}

/** The restore of the table to an earlier time, as it concerns an account. */
export interface AccountRestore {
  /** The time to which the table was restored. What came and went since is not in it, unless it was fetched. */
  readonly from: Millis;
  /** When the restore ended. Null while it is in progress: nothing is sent. */
  readonly until: Millis | null;
  /** `from`, or that of an earlier restore whose keys may still be repeated. */
  readonly answersFrom: Millis;
  /**
   * Whether the restore ended before the platform's history was read. Then nothing is sent until the history is read, for
   * a day at most: so long a send may be the repetition of one from before the restore.
   */
  readonly isUnread: boolean;
}

/** How long after a restore of the table a send may be one from before it: as long as an idempotency key is stored. */
const REPEATED_FOR: Millis = DAY;

/** Whether a send may be one from before the last restore of the table. */
export function isRepeatable({ until }: Pick<AccountRestore, "until">, now: Millis): boolean {
  return until === null || now < until + REPEATED_FOR;
}

export interface Account extends AccountRef {
  /** A ULID of its last connecting; empty for an account that was connected before there were any. */
  readonly connectionId: string;
  readonly connection: Connection;
  readonly handle: string;
  readonly displayName: string;
  /** The Facebook page: the Messenger account itself, or the page that an Instagram account is linked to. */
  readonly pageId: string | null;
  readonly status: AccountStatus;
  /** Why the account has its status: the platform's text. */
  readonly statusDetail: string | null;
  /** When sends are tried again, if a refused send restricted the account. Null for any other status or restriction. */
  readonly retryAt: Millis | null;
  /** The last failure of a token refresh. */
  readonly refreshError: string | null;
  readonly lastRefreshedAt: Millis | null;
  /** Null for a token that does not expire. */
  readonly tokenExpiresAt: Millis | null;
  /** The platform's ids of the person who connected it last. */
  readonly authorizedBy: readonly string[];
  /** When the platform last refused the human agent tag for this account. */
  readonly humanAgentBlockedAt: Millis | null;
  /** Grows each time a check subscribed the app again. Null when none did since the account was connected. */
  readonly resubscriptions: number | null;
  /** Until when its tenant may have sockets. Null when it has none. */
  readonly socketsUntil: Millis | null;
  /** Whose subscriptions are still to be ended, the newest first. */
  readonly replaced: readonly ReplacedConnection[];
  /** Null for an account that was connected since the table was last restored, or was never restored. */
  readonly restore: AccountRestore | null;
  /** The access token, encrypted with KMS for this tenant and account. */
  readonly sealedToken: Uint8Array;
}

/** `<platform>#<external_id>`, the public id of an account. */
export function accountKey(ref: AccountRef): string {
  return `${ref.platform}#${ref.externalId}`;
}

/** @returns null when the key is malformed */
export function parseAccountKey(key: string): AccountRef | null {
  const [platform = "", externalId = "", ...rest] = key.split("#");
  return rest.length === 0 && isPlatform(platform) && isExternalId(externalId) ? { platform, externalId } : null;
}

/** Platform ids become parts of keys: 1 to 64 visible ASCII characters without `#`. */
export function isExternalId(id: string): boolean {
  return /^[!-"$-~]{1,64}$/.test(id);
}

export function isPlatform(name: string): name is PlatformName {
  return (platforms as readonly string[]).includes(name);
}

/** Of the accounts of `smoke`. The platforms' own ids are digits. */
export const SMOKE_ACCOUNT_PREFIX = "smoke-";

/** Whether no platform knows the account: a smoke test made it, and its token is none. */
export function callsNoPlatform({ externalId }: AccountRef): boolean {
  return externalId.startsWith(SMOKE_ACCOUNT_PREFIX);
}

/** The account cannot send. The platform is not called. */
export type AccountRefusal = Refusal<"account_needs_reauth" | "account_restricted">;

/** The refusal of an account that cannot send; null when it can, or when its restriction is due for another try. */
export function checkAccount({ status, retryAt }: Account, now: Millis): AccountRefusal | null {
  if (status === "needs_reauth") return refuse("account_needs_reauth", status);
  if (status !== "restricted") return null;
  if (retryAt === null) return refuse("account_restricted", status);
  return now < retryAt ? refuse("account_restricted", status, Math.ceil((retryAt - now) / SECOND)) : null;
}

/** How long after a refusal the caller tries again. A restore takes some minutes. */
const RESTORE_RETRY: Millis = MINUTE;

/** The refusal of a send while the table is being restored: the platform may have the message already. */
export function checkRestore({ restore }: Pick<Account, "restore">): Refusal<"restoring"> | null {
  return restore?.until === null ? refuseRestoring() : null;
}

export function refuseRestoring(): Refusal<"restoring"> {
  return refuse("restoring", undefined, RESTORE_RETRY / SECOND);
}

/** Whether the platform may have sends of before the last restore that were not read when it ended, and may be repeated. */
export function mayBeUnread({ restore }: Pick<Account, "restore">, now: Millis): boolean {
  return restore?.isUnread === true && isRepeatable(restore, now);
}

/**
 * The first instant after `after` at the account's time of day. Its key's hash chooses that, which spreads the checks.
 * @param interval how often an account is checked. Default: once a day
 */
export function checkTimeAfter(ref: AccountRef, after: Millis, interval: Millis = DAY): Millis {
  const offset = sha256(accountKey(ref)).readUIntBE(0, 6) % interval;
  const inSame = after - (after % interval) + offset;
  return inSame > after ? inSame : inSame + interval;
}

/** How far the checks of accounts that are due together are spread: the longest delay of a queue message. */
const DELAY_MAX: Millis = 15 * MINUTE;
/** The part of a restriction's wait by which its check is later than its end. */
const RESTRICTION_SPREAD = 0.1;

/** What the checks know of an account's subscription. */
export const subscriptionStates = ["complete", "stale", "unchecked"] as const;

/** A check is made once a day. */
const SUBSCRIPTION_STALE_AFTER: Millis = 2 * DAY;

/** @param subscribedAt when a check last saw a complete subscription */
export function subscriptionState(subscribedAt: Millis | null, now: Millis): (typeof subscriptionStates)[number] {
  if (subscribedAt === null) return "unchecked";
  return now - subscribedAt <= SUBSCRIPTION_STALE_AFTER ? "complete" : "stale";
}

/**
 * When an account that was checked is checked again. Due checks are looked for once an hour, and each waits up to 15 minutes
 * after that: a check every hour is due by the time of the next look, however long this one waited.
 */
export function nextCheckTime(ref: AccountRef, checkedAt: Millis, interval: Millis = DAY): Millis {
  return checkTimeAfter(ref, interval > HOUR ? checkedAt : checkedAt - DELAY_MAX, interval);
}

/** How long the message of a due check waits in its queue, in whole seconds. */
export function checkDelay(ref: AccountRef): Millis {
  return Math.floor((spread(ref, "delay") * DELAY_MAX) / SECOND) * SECOND;
}

/** When a check asks whether a restriction is over: after its end, later by up to a tenth of the rest of the wait. */
export function restrictionCheckTime(ref: AccountRef, retryAt: Millis, now: Millis): Millis {
  return retryAt + Math.floor(spread(ref, "restriction") * RESTRICTION_SPREAD * Math.max(0, retryAt - now));
}

/** A number in [0, 1) that a hash of the account's key determines. */
function spread(ref: AccountRef, purpose: string): number {
  return sha256(`${purpose}\n${accountKey(ref)}`).readUIntBE(0, 6) / 2 ** 48;
}

/** A platform login that made a connection of an account. */
export interface ConnectionLogin {
  /** The platform's id of the person. */
  readonly platformUserId: string;
  readonly connectionId: string;
}

/** What a row of an account says of the logins that connected it. */
export interface LoginsOfRow {
  readonly connectionId: string;
  /** The platform's ids of the person who made the connection. */
  readonly authorizedBy: readonly string[];
  /** Logins of earlier connections whose rows may have no end. */
  readonly formerLogins?: readonly ConnectionLogin[];
}

/**
 * The logins whose rows need an end once an account is connected by `authorizedBy`: all that the rows name which the new
 * connection replaces. The row of a login that connects the account again has no end.
 */
export function formerLoginsAfter(
  replaced: readonly LoginsOfRow[],
  authorizedBy: readonly string[],
): readonly ConnectionLogin[] {
  const logins = new Map(
    replaced.flatMap(allLogins).map((login) => [`${login.connectionId} ${login.platformUserId}`, login] as const),
  );
  return [...logins.values()].filter(({ platformUserId }) => !authorizedBy.includes(platformUserId));
}

/** The logins of a row, of its own connection and of earlier ones. */
export function allLogins({ connectionId, authorizedBy, formerLogins = [] }: LoginsOfRow): readonly ConnectionLogin[] {
  return [...formerLogins, ...authorizedBy.map((platformUserId) => ({ platformUserId, connectionId }))];
}
