import { newUlid } from "#base/kernel/ids.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import type { Millis } from "#base/kernel/time.ts";
import { queueNotice } from "#features/access/mails.ts";
import type { AccountNotice } from "#features/access/queue.ts";
import { publishAccountEvent } from "../../platform-calls.ts";
import type { AccountCheckPorts } from "../../ports.ts";
import type { HealthEvent } from "../../rules/account-health.ts";
import { type AccountStatus, accountKey } from "../../rules/accounts.ts";
import type { CheckedAccount } from "../../store/account-health.ts";

const PASSES_MAX = 3;

const statuses: Readonly<Record<HealthEvent["type"], AccountStatus>> = {
  "account.refresh_failing": "refresh_failing",
  "account.needs_reauth": "needs_reauth",
  "account.restricted": "restricted",
  "account.recovered": "active",
};

const mailedStatuses = ["needs_reauth", "refresh_failing"] as const;

/**
 * Publishes the changes of the account's status that are stored and not known to be published, and queues a mail to the owners
 * about the last one, if it still stands and needs a person. A repetition publishes the same events. The notices stay
 * until the mail is queued, and one process at a time may queue it: only one that dies between the message and its end has
 * it sent twice.
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
    const notice = noticeOfStatus(current);
    if (notice) {
      if (!(await ports.accounts.claimMail(tenant, current, { id: newUlid(now), now }))) return false;
      await queueNotice(ports, tenant, notice);
    }
    const { cleared, checked: newChecked } = await ports.accounts.clearNotices(tenant, current);
    if (cleared || !newChecked) return true;
    current = newChecked;
  }
  return true;
}

/** @returns null for no mail */
function noticeOfStatus({ account, notices }: CheckedAccount): AccountNotice | null {
  const last = notices.at(-1)?.type;
  const what = mailedStatuses.find((status) => last === `account.${status}` && account.status === status);
  if (what === undefined) return null;
  const { connectionId } = account;
  return { kind: "account_notice", what, account: accountKey(account), connectionId, userId: null };
}
