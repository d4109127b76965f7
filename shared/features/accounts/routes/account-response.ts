import * as z from "zod/mini";
import { isoOrNull, type Millis } from "#base/kernel/time.ts";
import { once } from "#http/lazy-schemas.ts";
import type { CheckState } from "../flows/check-states.ts";
import {
  type Account,
  accountKey,
  connections,
  platforms,
  subscriptionState,
  subscriptionStates,
} from "../rules/accounts.ts";

export const accountSchema = once(() =>
  z
    .object({
      account_key: z.string(),
      platform: z.enum(platforms),
      external_id: z.string(),
      handle: z.string(),
      display_name: z.string(),
      picture: z.nullable(z.string()),
      page_id: z.nullable(z.string()),
      connection: z.enum(connections),
      status: z.enum(["active", "refresh_failing", "needs_reauth", "restricted"]),
      status_detail: z.nullable(z.string()),
      refresh_error: z.nullable(z.string()),
      last_refreshed_at: z.nullable(z.iso.datetime()),
      token_expires_at: z.nullable(z.iso.datetime()),
      human_agent_blocked_at: z.nullable(z.iso.datetime()),
      subscribed_at: z.nullable(z.iso.datetime()),
      subscription: z.object({
        state: z.enum(subscriptionStates),
        checked_at: z.nullable(z.iso.datetime()),
      }),
      missing_since: z.nullable(z.iso.datetime()),
    })
    .register(z.globalRegistry, { id: "Account" }),
);

export function toAccountResponse(
  account: Account,
  { subscribedAt, missingSince, picture }: CheckState,
  now: Millis,
): z.infer<ReturnType<typeof accountSchema>> {
  return {
    account_key: accountKey(account),
    platform: account.platform,
    external_id: account.externalId,
    handle: account.handle,
    display_name: account.displayName,
    picture: picture && picture.expiresAt > now ? picture.url : null,
    page_id: account.pageId,
    connection: account.connection,
    status: account.status,
    status_detail: account.statusDetail,
    refresh_error: account.refreshError,
    last_refreshed_at: isoOrNull(account.lastRefreshedAt),
    token_expires_at: isoOrNull(account.tokenExpiresAt),
    human_agent_blocked_at: isoOrNull(account.humanAgentBlockedAt),
    subscribed_at: isoOrNull(subscribedAt),
    subscription: { state: subscriptionState(subscribedAt, now), checked_at: isoOrNull(subscribedAt) },
    missing_since: isoOrNull(missingSince),
  };
}
