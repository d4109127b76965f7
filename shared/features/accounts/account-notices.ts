import type { Mail } from "#base/aws/mail.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { formatMinute, joinParagraphs } from "#features/access/mails.ts";
import type { AccountNotice } from "#features/access/queue.ts";
import { type Account, accountKey, parseAccountKey } from "./rules/accounts.ts";
import type { Accounts } from "./store/accounts.ts";

// A mail names an account by its key. Its handle and name are texts that a stranger chose, and so may be the platform's
// words about it.

type MailText = Omit<Mail, "to">;

/**
 * The mail of a notice, from the row of its account.
 * @returns null when it is not true any more: the account was disconnected or connected again, or its status changed
 */
export async function accountNoticeMail(
  accounts: Pick<Accounts, "getConnection">,
  tenant: TenantId,
  { what, account: key, connectionId }: AccountNotice,
): Promise<MailText | null> {
  const ref = parseAccountKey(key);
  const stored = ref && (await accounts.getConnection({ tenant, ref, connectionId }));
  if (!stored) return null;
  const { account, isReconnection } = stored;
  if (what === "connected") return connectedMail(tenant, account, isReconnection);
  if (account.status !== what) return null;
  return what === "needs_reauth" ? needsReauthMail(tenant, account) : refreshFailingMail(tenant, account);
}

function needsReauthMail(tenant: TenantId, account: Account): MailText {
  const key = accountKey(account);
  return {
    subject: `Connect ${key} again`,
    text: joinParagraphs(
      `Parley can no longer access a channel account of "${tenant}".`,
      `Account: ${key}`,
      "Its messages are still received while the platform sends them, but nothing can be sent.",
      "What to do: connect the account again. The field status_detail of GET /v1/accounts has the platform's reason.",
    ),
  };
}

function refreshFailingMail(tenant: TenantId, account: Account): MailText {
  const key = accountKey(account);
  const { tokenExpiresAt } = account;
  return {
    subject: `The access of ${key} cannot be extended`,
    text: joinParagraphs(
      `The platform refuses to refresh the access token of a channel account of "${tenant}".`,
      `Account: ${key}`,
      tokenExpiresAt === null
        ? "The account works until the token expires. Parley tries again each day."
        : `The account works until ${formatMinute(tokenExpiresAt)}. Parley tries again each day.`,
      "What to do: connect the account again before that. The field refresh_error of GET /v1/accounts has the platform's reason.",
    ),
  };
}

function connectedMail(tenant: TenantId, account: Account, isReconnection: boolean): MailText {
  const key = accountKey(account);
  return {
    subject: `${key} is connected to "${tenant}"`,
    text: joinParagraphs(
      `A channel account was connected to the workspace "${tenant}" on Parley${isReconnection ? " again" : ""}.`,
      `Account: ${key}`,
      "The members of the workspace read and answer its messages.",
      "You get this mail as an owner of the workspace, or because you connected the account. If you did not expect it, disconnect the account. GET /v1/audit says who connected it.",
    ),
  };
}
