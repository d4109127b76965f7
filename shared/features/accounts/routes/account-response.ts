import * as z from "zod/mini";
import { isoOrNull, type Millis } from "#base/kernel/time.ts";
import { type Account, accountKey, platforms } from "../rules/accounts.ts";

export const accountSchema = z
  .object({
    account_key: z.string(),
    platform: z.enum(platforms),
    external_id: z.string(),
    handle: z.string(),
    display_name: z.string(),
    page_id: z.nullable(z.string()),
    status: z.enum(["active", "refresh_failing", "needs_reauth", "restricted"]),
    status_detail: z.nullable(z.string()),
    refresh_error: z.nullable(z.string()),
    last_refreshed_at: z.nullable(z.string()),
    human_agent_blocked_at: z.nullable(z.string()),
    missing_since: z.nullable(z.string()).register(z.globalRegistry, {
      description:
        "Since when messages may be missing that no webhook brought. Null when nothing is missing, and again when they were fetched.",
    }),
  })
  .register(z.globalRegistry, { id: "Account" });

/** @param missingSince from when messages may be missing; null for nothing */
export function toAccountResponse(account: Account, missingSince: Millis | null): z.infer<typeof accountSchema> {
  return {
    account_key: accountKey(account),
    platform: account.platform,
    external_id: account.externalId,
    handle: account.handle,
    display_name: account.displayName,
    page_id: account.pageId,
    status: account.status,
    status_detail: account.statusDetail,
    refresh_error: account.refreshError,
    last_refreshed_at: isoOrNull(account.lastRefreshedAt),
    human_agent_blocked_at: isoOrNull(account.humanAgentBlockedAt),
    missing_since: isoOrNull(missingSince),
  };
}
