import { ulidTime } from "#base/kernel/ids.ts";
import { allDone } from "#base/kernel/parallel.ts";
import type { AccountCheck, AccountChecks } from "../store/account-checks.ts";
import type { Authorizations } from "../store/authorizations.ts";

interface FormerLoginPorts {
  readonly accountChecks: Pick<AccountChecks, "clearFormerLogins">;
  readonly authorizations: Pick<Authorizations, "expire">;
}

/**
 * Gives the rows of earlier connections' logins their end, eight days after the connection that replaced them. A data
 * deletion needs them so long. The check names them until each has its end, so that every later run completes what a
 * process that died left. Safe to repeat.
 */
export async function endFormerLogins(
  { accountChecks, authorizations }: FormerLoginPorts,
  check: Pick<AccountCheck, "tenant" | "account" | "connectionId" | "formerLogins">,
): Promise<void> {
  const { tenant, account, connectionId, formerLogins } = check;
  if (formerLogins.length === 0) return;
  const replacedAt = ulidTime(connectionId);
  await allDone(formerLogins.map((login) => authorizations.expire({ tenant, account, ...login }, replacedAt)));
  await accountChecks.clearFormerLogins(check);
}
