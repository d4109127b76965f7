import { newUlid } from "#base/kernel/ids.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import type { Millis } from "#base/kernel/time.ts";
import { mailOwners } from "#features/access/mails.ts";
import { publishAccountEvent } from "../../platform-calls.ts";
import type { AccountCheckPorts } from "../../ports.ts";
import type { HealthEvent } from "../../rules/account-health.ts";
import type { AccountStatus } from "../../rules/accounts.ts";
import type { CheckedAccount } from "../../store/account-health.ts";
import { needsReauthMail, refreshFailingMail } from "./mails.ts";

const PASSES_MAX = 3;

const statuses: Readonly<Record<HealthEvent["type"], AccountStatus>> = {
  "account.refresh_failing": "refresh_failing",
  "account.needs_reauth": "needs_reauth",
  "account.restricted": "restricted",
  "account.recovered": "active",
};

/**
 * Publishes the changes of the account's status that are stored and not known to be published, and mails the owners
 * about the last one, if it still stands and needs a person. A repetition publishes the same events. The notices stay
 * until the mail is sent, and one process at a time may send it: only one that dies between the mail and its end has it
 * sent twice.
 * @returns false while another process may be mailing
 */
export async function publishNotices(
  ports: AccountCheckPorts,
  { tenant, checked, now }: { readonly tenant: TenantId; readonly checked: CheckedAccount; readonly now: Millis },
): Promise<boolean> {
  let current = checked;
  for (let pass = 1; pass <= PASSES_MAX && current.notices.length > 0; pass++) {
    const { account, notices } = current;
    for (const { eventUlid, type, reason } of notices) {
      const event = { eventUlid, type, reason, account: { ...account, status: statuses[type] } };
      await publishAccountEvent(ports, tenant, event);
    }
    const mail = mailAboutStatus(tenant, current);
    if (mail) {
      if (!(await ports.accounts.claimMail(tenant, current, { id: newUlid(now), now }))) return false;
      await mailOwners(ports, tenant, mail);
    }
    const { cleared, checked: newChecked } = await ports.accounts.clearNotices(tenant, current);
    if (cleared || !newChecked) return true;
    current = newChecked;
  }
  return true;
}

/** @returns null for no mail */
function mailAboutStatus(tenant: TenantId, { account, notices }: CheckedAccount) {
  const last = notices.at(-1)?.type;
  if (last === "account.needs_reauth" && account.status === "needs_reauth") return needsReauthMail(tenant, account);
  if (last === "account.refresh_failing" && account.status === "refresh_failing")
    return refreshFailingMail(tenant, account);
  return null;
}
