import type { HealthEvent } from "../../../domain/accounts/account-health.ts";
import type { AccountStatus } from "../../../domain/accounts/accounts.ts";
import type { TenantId } from "../../../kernel/tenant.ts";
import type { CheckedAccount } from "../../../stores/accounts/account-health.ts";
import { mailOwners } from "../../mail-owners.ts";
import { publishAccountEvent } from "../call-consequences.ts";
import type { AccountCheckPorts } from "../ports.ts";
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
 * about the last one, if it still stands and needs a person. A repetition publishes the same events. One process removes
 * the notices, and it alone mails: if it dies before the mail, none is sent.
 */
export async function publishNotices(
  ports: AccountCheckPorts,
  { tenant, checked }: { readonly tenant: TenantId; readonly checked: CheckedAccount },
): Promise<void> {
  let current = checked;
  for (let pass = 1; pass <= PASSES_MAX && current.notices.length > 0; pass++) {
    const { account, notices } = current;
    for (const { eventUlid, type, reason } of notices) {
      const event = { eventUlid, type, reason, account: { ...account, status: statuses[type] } };
      await publishAccountEvent(ports, tenant, event);
    }
    const { cleared, checked: newChecked } = await ports.accounts.clearNotices(tenant, current);
    if (cleared) return mailAboutStatus(ports, tenant, current);
    if (!newChecked) return;
    current = newChecked;
  }
}

async function mailAboutStatus(
  ports: AccountCheckPorts,
  tenant: TenantId,
  { account, notices }: CheckedAccount,
): Promise<void> {
  const last = notices.at(-1)?.type;
  if (last === "account.needs_reauth" && account.status === "needs_reauth")
    await mailOwners(ports, tenant, needsReauthMail(tenant, account));
  if (last === "account.refresh_failing" && account.status === "refresh_failing")
    await mailOwners(ports, tenant, refreshFailingMail(tenant, account));
}
