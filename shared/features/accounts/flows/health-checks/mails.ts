import type { Mail } from "#base/aws/mail.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { formatMinute, joinParagraphs } from "#features/access/mails.ts";
import { type Account, accountKey } from "../../rules/accounts.ts";

// A mail names an account by its key. Its handle and name are texts that a stranger chose, and so may be the platform's
// words about it.

type MailText = Omit<Mail, "to">;

export function needsReauthMail(tenant: TenantId, account: Account): MailText {
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

export function refreshFailingMail(tenant: TenantId, account: Account): MailText {
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
