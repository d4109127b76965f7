import type { Mail } from "#base/aws/mail.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { mailTexts } from "#base/languages/all.ts";
import type { Language } from "#base/languages/languages.ts";
import { done, drop, type RecordOutcome } from "#base/queues/record-outcome.ts";
import { accountNoticeMail } from "#features/accounts/account-notices.ts";
import { endpointNoticeMail } from "#features/delivery/endpoint-notices.ts";
import { DEFAULT_MAIL_LANGUAGE } from "../../mails.ts";
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
  const { tenant, recipient } = message;
  const logNotSent = (reason: string) => log({ event: "mail.not_sent", reason });
  if (!mailer) {
    logNotSent("no_sender");
    return done;
  }
  if (recipient === null) {
    // Only whether the notice is still true counts.
    if (!(await writeMail(ports, message, DEFAULT_MAIL_LANGUAGE))) return drop("stale");
    const recipients = await findRecipients(ports, message);
    if (recipients.length === 0) logNotSent("no_owner");
    await mails.sendAll(recipients.map((one) => ({ body: encodeMail({ ...message, recipient: one }), group: tenant })));
    return done;
  }
  const workspace = await ports.tenants.get(tenant);
  const mail = await writeMail(ports, message, workspace?.language ?? DEFAULT_MAIL_LANGUAGE);
  if (!mail) return drop("stale");
  const to = recipient === NAMED_OWNER ? (workspace?.ownerEmail ?? null) : await addressOf(ports, message, recipient);
  if (to === null) return drop("stale");
  const outcome = await mailer.send({ ...mail, to });
  if (outcome !== "accepted") logNotSent(outcome);
  return done;
}

function writeMail(
  ports: NoticeMailPorts,
  message: NoticeMessage,
  language: Language,
): Promise<Omit<Mail, "to"> | null> {
  const texts = mailTexts[language];
  return message.kind === "endpoint_notice"
    ? endpointNoticeMail(ports.endpoints, texts, message.tenant, message)
    : accountNoticeMail(ports.accounts, texts, message.tenant, message);
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

/** The address of a member. @returns null when they are not to get the mail any more */
async function addressOf(
  { memberships }: NoticeMailPorts,
  message: NoticeMessage,
  userId: string,
): Promise<string | null> {
  const member = await memberships.get(message.tenant, userId);
  return member && (member.role === "owner" || userId === personOf(message)) ? member.email : null;
}
