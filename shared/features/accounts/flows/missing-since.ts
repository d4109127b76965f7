import type { TenantId } from "#base/kernel/tenant.ts";
import type { Millis } from "#base/kernel/time.ts";
import { type AccountRef, accountKey } from "../rules/accounts.ts";
import type { AccountChecks } from "../store/account-checks.ts";

export interface MissingSincePorts {
  readonly accountChecks: Pick<AccountChecks, "list">;
}

/**
 * Reads from when messages of a tenant's accounts may be missing, because no webhook brought them and they are not
 * fetched yet.
 * @returns the time of an account; null where nothing is missing
 */
export async function readMissingSince(
  { accountChecks }: MissingSincePorts,
  tenant: TenantId,
): Promise<(account: AccountRef) => Millis | null> {
  const checks = await accountChecks.list(tenant);
  const times = new Map(checks.map(({ account, backfill }) => [accountKey(account), backfill?.since ?? null]));
  return (account) => times.get(accountKey(account)) ?? null;
}
