import {
  TOKEN_REFRESH_AGE,
  TOKEN_REFRESH_AGE_MIN,
  TOKEN_REFRESH_FAILING_AFTER,
  TOKEN_REFRESH_REMAINING,
} from "#base/kernel/limits.ts";
import type { Millis } from "#base/kernel/time.ts";
import type { Account } from "./accounts.ts";

/**
 * Whether to refresh the token: 30 days old, or at most 20 days before its end. The platform refuses that for a token
 * below 24 hours. Only the tokens of Instagram Login are refreshed; a page token has no end.
 * @param token `lastRefreshedAt`: when the platform issued it; null when that is unknown
 */
export function isRefreshDue(
  { connection, lastRefreshedAt, tokenExpiresAt }: Pick<Account, "connection" | "lastRefreshedAt" | "tokenExpiresAt">,
  now: Millis,
): boolean {
  if (connection !== "instagram_login") return false;
  const age = now - (lastRefreshedAt ?? 0);
  if (age < TOKEN_REFRESH_AGE_MIN) return false;
  return age >= TOKEN_REFRESH_AGE || (tokenExpiresAt !== null && tokenExpiresAt - now <= TOKEN_REFRESH_REMAINING);
}

/**
 * Whether refreshes fail for so long that the account is reported, also where the platform refuses none of them clearly.
 * @param failingSince the first failure after the last success; null for none
 */
export function isRefreshFailing(failingSince: Millis | null, now: Millis): boolean {
  return failingSince !== null && now - failingSince >= TOKEN_REFRESH_FAILING_AFTER;
}

/** A token past its end cannot be refreshed. */
export function isTokenExpired({ tokenExpiresAt }: Pick<Account, "tokenExpiresAt">, now: Millis): boolean {
  return tokenExpiresAt !== null && tokenExpiresAt <= now;
}
