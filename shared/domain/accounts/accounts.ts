import type { Millis } from "../../kernel/time.ts";

export const platforms = ["instagram", "messenger"] as const;
export type PlatformName = (typeof platforms)[number];

/** How an account is connected, which decides host, token and limits of its calls. */
export type Connection = "instagram_login" | "instagram_page" | "messenger";

export type AccountStatus = "active" | "refresh_failing" | "needs_reauth" | "restricted";

/**
 * The status that an account shows. What the platform decided stands beside what is known of the token, so that neither
 * is lost by the other; a dead token shows above a block.
 */
export function effectiveStatus(storedStatus: AccountStatus, policyAction: "block" | "unblock" | null): AccountStatus {
  return storedStatus !== "needs_reauth" && policyAction === "block" ? "restricted" : storedStatus;
}

/** What is known of an account once the platform has decided: an unblock lifts a restriction that was met otherwise. */
export function statusAfterPolicy(storedStatus: AccountStatus, policyAction: "block" | "unblock"): AccountStatus {
  return policyAction === "unblock" && storedStatus === "restricted" ? "active" : storedStatus;
}

/** The platform's account that an update or a send is about. `externalId` holds no `#`. */
export interface AccountRef {
  readonly platform: PlatformName;
  readonly externalId: string;
}

export interface Account extends AccountRef {
  readonly connection: Connection;
  readonly handle: string;
  readonly displayName: string;
  /** The page an account rides on: Messenger's own page, or the one an Instagram account is linked to. */
  readonly pageId: string | null;
  readonly status: AccountStatus;
  readonly refreshError: string | null;
  readonly lastRefreshedAt: Millis | null;
  /** The access token, sealed under KMS for this tenant and account. */
  readonly sealedToken: Uint8Array;
}

/** `<platform>#<external_id>`, the account's public key. */
export function accountKey(ref: AccountRef): string {
  return `${ref.platform}#${ref.externalId}`;
}

/** The account that a public key names; null when it is malformed. */
export function parseAccountKey(key: string): AccountRef | null {
  const [platform = "", externalId = "", ...rest] = key.split("#");
  return rest.length === 0 && isPlatform(platform) && isExternalId(externalId) ? { platform, externalId } : null;
}

/** Platform ids become parts of keys: 1 to 64 visible characters, no `#`. */
export function isExternalId(id: string): boolean {
  return /^[!-"$-~]{1,64}$/.test(id);
}

export function isPlatform(name: string): name is PlatformName {
  return (platforms as readonly string[]).includes(name);
}
