import type { TenantId } from "#base/kernel/tenant.ts";
import type { Picture } from "#base/kernel/text/pictures.ts";
import type { Millis } from "#base/kernel/time.ts";
import { type AccountRef, accountKey } from "../rules/accounts.ts";
import type { AccountChecks } from "../store/account-checks.ts";

export interface CheckStatePorts {
  readonly accountChecks: Pick<AccountChecks, "list">;
}

/** What the checks of an account know of it. */
export interface CheckState {
  /** When a check last saw a complete subscription; null before the first one did. */
  readonly subscribedAt: Millis | null;
  /** From when messages may be missing, because no webhook brought them and they are not fetched yet; null for nothing. */
  readonly missingSince: Millis | null;
  /** The account's profile picture; null for none. Its address may have ended. */
  readonly picture: Picture | null;
}

const UNCHECKED: CheckState = { subscribedAt: null, missingSince: null, picture: null };

/**
 * Reads what the checks know of a tenant's accounts, in one query.
 * @returns the state of an account
 */
export async function readCheckStates(
  { accountChecks }: CheckStatePorts,
  tenant: TenantId,
): Promise<(account: AccountRef) => CheckState> {
  const checks = await accountChecks.list(tenant);
  const states = new Map(
    checks.map(({ account, subscribedAt, backfill, picture }): [string, CheckState] => [
      accountKey(account),
      { subscribedAt, missingSince: backfill?.since ?? null, picture },
    ]),
  );
  return (account) => states.get(accountKey(account)) ?? UNCHECKED;
}
