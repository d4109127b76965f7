import type { Mail } from "#base/aws/mail.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import type { Millis } from "#base/kernel/time.ts";
import { mailTexts } from "#base/languages/all.ts";
import type { Language } from "#base/languages/languages.ts";
import { fillText } from "#base/languages/texts.ts";
import { DEFAULT_MAIL_LANGUAGE, formatMinute, joinParagraphs } from "../../mails.ts";
import type { Role } from "../../rules/callers.ts";

// A mail names a tenant by its slug, and no other person. A tenant's name, an inviter's name and an inviter's address are
// texts that a stranger chose: in a mail of the service they could ask for anything, or reorder it by control characters.

type MailText = Omit<Mail, "to">;

/** @param language that of the browser that requested the link; null: none is known */
export function signInMail(
  language: Language | null,
  { link, expiresAt }: { readonly link: string; readonly expiresAt: Millis },
): MailText {
  const texts = mailTexts[language ?? DEFAULT_MAIL_LANGUAGE];
  return {
    subject: texts.signInSubject,
    text: joinParagraphs(
      texts.signInIntro,
      link,
      fillText(texts.signInHow, { time: formatMinute(expiresAt) }),
      texts.signInIgnore,
    ),
  };
}

export interface InviteDetails {
  readonly tenant: TenantId;
  readonly role: Role;
  /** Null for an invite that does not expire. */
  readonly expiresAt: Millis | null;
  readonly signInUrl: string;
}

/** @param language that of the tenant */
export function inviteMail(language: Language, { tenant, role, expiresAt, signInUrl }: InviteDetails): MailText {
  const texts = mailTexts[language];
  return {
    subject: fillText(texts.inviteSubject, { tenant }),
    text: joinParagraphs(
      fillText(texts.inviteIntro, { tenant, role: texts[role] }),
      texts.inviteHow,
      signInUrl,
      ...(expiresAt === null ? [] : [fillText(texts.inviteEnds, { time: formatMinute(expiresAt) })]),
      texts.inviteIgnore,
    ),
  };
}
