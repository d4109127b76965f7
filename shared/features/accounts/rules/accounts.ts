import { RESTRICTION_RETRY_FIRST, RESTRICTION_RETRY_MAX } from "#base/kernel/limits.ts";
import type { Millis } from "#base/kernel/time.ts";

export const platforms = ["instagram", "messenger"] as const;
export type PlatformName = (typeof platforms)[number];

/** How an account is connected. It determines the host, the token and the limits of API calls. */
export type Connection = "instagram_login" | "instagram_page" | "messenger";

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
  /** When a check last subscribed the app again. Null when none did since it was connected. */
  readonly resubscribedAt: Millis | null;
  /** Until when its tenant may have sockets. Null when it has none. */
  readonly socketsUntil: Millis | null;
  /** Whose subscriptions are still to be ended, the newest first. */
  readonly replaced: readonly ReplacedConnection[];
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
