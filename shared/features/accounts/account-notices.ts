import type { Mail } from "#base/aws/mail.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { fillText, type MailTexts } from "#base/languages/texts.ts";
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
  texts: MailTexts,
  tenant: TenantId,
  { what, account: key, connectionId }: AccountNotice,
): Promise<MailText | null> {
  const ref = parseAccountKey(key);
  const stored = ref && (await accounts.getConnection({ tenant, ref, connectionId }));
  if (!stored) return null;
  const { account, isReconnection } = stored;
  if (what === "connected") return connectedMail(texts, tenant, { account, isReconnection });
  if (account.status !== what) return null;
  return what === "needs_reauth" ? needsReauthMail(texts, tenant, account) : refreshFailingMail(texts, tenant, account);
}

function needsReauthMail(texts: MailTexts, tenant: TenantId, account: Account): MailText {
  const values = { tenant, account: accountKey(account) };
  return {
    subject: fillText(texts.reauthSubject, values),
    text: joinParagraphs(
      fillText(texts.reauth, values),
      fillText(texts.accountFact, values),
      texts.reauthMeaning,
      texts.reauthFix,
    ),
  };
}

function refreshFailingMail(texts: MailTexts, tenant: TenantId, account: Account): MailText {
  const values = { tenant, account: accountKey(account) };
  const { tokenExpiresAt } = account;
  return {
    subject: fillText(texts.refreshSubject, values),
    text: joinParagraphs(
      fillText(texts.refresh, values),
      fillText(texts.accountFact, values),
      tokenExpiresAt === null
        ? texts.refreshUnknown
        : fillText(texts.refreshUntil, { time: formatMinute(tokenExpiresAt) }),
      texts.refreshFix,
    ),
  };
}

function connectedMail(
  texts: MailTexts,
  tenant: TenantId,
  { account, isReconnection }: { readonly account: Account; readonly isReconnection: boolean },
): MailText {
  const values = { tenant, account: accountKey(account) };
  return {
    subject: fillText(texts.connectedSubject, values),
    text: joinParagraphs(
      fillText(isReconnection ? texts.connectedAgain : texts.connected, values),
      fillText(texts.accountFact, values),
      texts.connectedMeaning,
      texts.connectedWhy,
    ),
  };
}
