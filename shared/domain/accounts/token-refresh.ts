import type { Millis } from "../../kernel/time.ts";
import {
  TOKEN_REFRESH_AGE,
  TOKEN_REFRESH_AGE_MIN,
  TOKEN_REFRESH_FAILING_AFTER,
  TOKEN_REFRESH_REMAINING,
} from "../limits.ts";
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
  return connection === "instagram_login" && now >= refreshDueSince({ lastRefreshedAt, tokenExpiresAt });
}

/**
 * Whether refreshes fail for so long that the account is reported, also where the platform refuses none of them clearly:
 * an earlier one failed, and the refresh is due for two days.
 * @param refreshError the failure that is stored; null for none
 */
export function isRefreshFailing(
  token: Pick<Account, "lastRefreshedAt" | "tokenExpiresAt">,
  refreshError: string | null,
  now: Millis,
): boolean {
  return refreshError !== null && now - refreshDueSince(token) >= TOKEN_REFRESH_FAILING_AFTER;
}

function refreshDueSince({ lastRefreshedAt, tokenExpiresAt }: Pick<Account, "lastRefreshedAt" | "tokenExpiresAt">) {
  const issuedAt = lastRefreshedAt ?? 0;
  const dueBeforeEnd = tokenExpiresAt === null ? Number.POSITIVE_INFINITY : tokenExpiresAt - TOKEN_REFRESH_REMAINING;
  return Math.max(issuedAt + TOKEN_REFRESH_AGE_MIN, Math.min(issuedAt + TOKEN_REFRESH_AGE, dueBeforeEnd));
}

/** A token past its end cannot be refreshed. */
export function isTokenExpired({ tokenExpiresAt }: Pick<Account, "tokenExpiresAt">, now: Millis): boolean {
  return tokenExpiresAt !== null && tokenExpiresAt <= now;
}
