import type { TenantId } from "#base/kernel/tenant.ts";
import type { Millis } from "#base/kernel/time.ts";
import { type AccountRef, accountKey } from "../rules/accounts.ts";
import type { AccountChecks } from "../store/account-checks.ts";

export interface WebhookStatePorts {
  readonly accountChecks: Pick<AccountChecks, "list">;
}

/** What the checks of an account know of its webhooks. */
export interface WebhookState {
  /** When a check last saw a complete subscription; null before the first one did. */
  readonly subscribedAt: Millis | null;
  /** From when messages may be missing, because no webhook brought them and they are not fetched yet; null for nothing. */
  readonly missingSince: Millis | null;
}

const UNCHECKED: WebhookState = { subscribedAt: null, missingSince: null };

/**
 * Reads the states of the webhooks of a tenant's accounts, in one query.
 * @returns the state of an account
 */
export async function readWebhookStates(
  { accountChecks }: WebhookStatePorts,
  tenant: TenantId,
): Promise<(account: AccountRef) => WebhookState> {
  const checks = await accountChecks.list(tenant);
  const states = new Map(
    checks.map(({ account, subscribedAt, backfill }): [string, WebhookState] => [
      accountKey(account),
      { subscribedAt, missingSince: backfill?.since ?? null },
    ]),
  );
  return (account) => states.get(accountKey(account)) ?? UNCHECKED;
}
