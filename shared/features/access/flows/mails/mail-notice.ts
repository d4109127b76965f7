import type { Mail } from "#base/aws/mail.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { mailTexts } from "#base/languages/all.ts";
import { done, drop, type RecordOutcome } from "#base/queues/record-outcome.ts";
import { accountNoticeMail } from "#features/accounts/account-notices.ts";
import { endpointNoticeMail } from "#features/delivery/endpoint-notices.ts";
import { DEFAULT_MAIL_LANGUAGE, mailLanguage } from "../../mails.ts";
import { encodeMail, type MailMessage, NAMED_OWNER } from "../../queue.ts";
import type { NoticeMailPorts } from "./ports.ts";

export type NoticeMessage = Extract<MailMessage, { recipient: string | null }>;

/**
 * Mails a notice, which is written from the rows of now, or drops it when it is not true any more. A message without a
 * recipient becomes one for each: a mail that SES does not take is repeated alone. A repeated message mails again. Nothing
 * records the mails: they open nothing.
 */
export async function mailNotice(ports: NoticeMailPorts, message: NoticeMessage): Promise<RecordOutcome> {
  const { mail: mailer, mails, log } = ports;
  const { tenant } = message;
  const logNotSent = (reason: string) => log({ event: "mail.not_sent", reason });
  if (!mailer) {
    logNotSent("no_sender");
    return done;
  }
  const mail = await writeMail(ports, message);
  if (!mail) return drop("stale");
  if (message.recipient === null) {
    const recipients = await findRecipients(ports, message);
    if (recipients.length === 0) logNotSent("no_owner");
    await mails.sendAll(
      recipients.map((recipient) => ({ body: encodeMail({ ...message, recipient }), group: tenant })),
    );
    return done;
  }
  const to = await addressOf(ports, message, message.recipient);
  if (to === null) return drop("stale");
  const outcome = await mailer.send({ ...mail, to });
  if (outcome !== "accepted") logNotSent(outcome);
  return done;
}

async function writeMail(ports: NoticeMailPorts, message: NoticeMessage): Promise<Omit<Mail, "to"> | null> {
  const { tenant } = message;
  // Before the recipients are known, only whether the notice is still true counts.
  const language = message.recipient === null ? DEFAULT_MAIL_LANGUAGE : await mailLanguage(ports.tenants, tenant);
  const texts = mailTexts[language];
  return message.kind === "endpoint_notice"
    ? endpointNoticeMail(ports.endpoints, texts, tenant, message)
    : accountNoticeMail(ports.accounts, texts, tenant, message);
}

/** The person of a notice who is no owner, too. */
function personOf(message: NoticeMessage): string | null {
  return message.kind === "account_notice" ? message.userId : null;
}

/**
 * The owners of the tenant, and the person of the notice. Before the owner whom the operator named has signed in, the tenant
 * has no members; after that, an owner always remains.
 */
async function findRecipients(ports: NoticeMailPorts, message: NoticeMessage): Promise<readonly string[]> {
  const person = personOf(message);
  const owners = await listOwners(ports, message.tenant);
  return [...new Set(person === null ? owners : [...owners, person])];
}

async function listOwners({ memberships, tenants }: NoticeMailPorts, tenant: TenantId): Promise<readonly string[]> {
  const owners = (await memberships.list(tenant)).filter(({ role }) => role === "owner");
  if (owners.length > 0) return owners.map(({ userId }) => userId);
  return (await tenants.get(tenant))?.ownerEmail ? [NAMED_OWNER] : [];
}

/** @returns null when the recipient is not to get the mail any more */
async function addressOf(
  { memberships, tenants }: NoticeMailPorts,
  message: NoticeMessage,
  recipient: string,
): Promise<string | null> {
  const { tenant } = message;
  if (recipient === NAMED_OWNER) return (await tenants.get(tenant))?.ownerEmail ?? null;
  const member = await memberships.get(tenant, recipient);
  return member && (member.role === "owner" || recipient === personOf(message)) ? member.email : null;
}
