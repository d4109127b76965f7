import type { Mail } from "#base/aws/mail.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import type { Millis } from "#base/kernel/time.ts";
import { formatMinute, joinParagraphs } from "../../mails.ts";
import type { Role } from "../../rules/callers.ts";

// A mail names a tenant by its slug, and no other person. A tenant's name, an inviter's name and an inviter's address are
// texts that a stranger chose: in a mail of the service they could ask for anything, or reorder it by control characters.

type MailText = Omit<Mail, "to">;

const roleNames: Readonly<Record<Role, string>> = { agent: "an agent", admin: "an admin", owner: "an owner" };

export function signInMail({ link, expiresAt }: { readonly link: string; readonly expiresAt: Millis }): MailText {
  return {
    subject: "Sign in to Parley",
    text: joinParagraphs(
      "Open this link to sign in to Parley:",
      link,
      `It works once, until ${formatMinute(expiresAt)}. In another browser than the one in which you requested it, a page asks you to confirm. Do not forward it.`,
      "If you did not request it, ignore this mail.",
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

export function inviteMail({ tenant, role, expiresAt, signInUrl }: InviteDetails): MailText {
  return {
    subject: `Invite to "${tenant}" on Parley`,
    text: joinParagraphs(
      `You are invited to join "${tenant}" on Parley as ${roleNames[role]}.`,
      "To accept, open this page and sign in with this email address:",
      signInUrl,
      ...(expiresAt === null ? [] : [`The invite ends at ${formatMinute(expiresAt)}.`]),
      "If you did not expect it, ignore this mail.",
    ),
  };
}
