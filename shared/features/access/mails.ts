import type { Queue } from "#base/aws/queues.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { iso, type Millis } from "#base/kernel/time.ts";
import type { Language } from "#base/languages/languages.ts";
import type { Tenants } from "#features/tenants/store/tenants.ts";
import { type AccountNotice, type EndpointNotice, encodeMail } from "./queue.ts";

const MINUTE_CHARS = "2026-01-01T00:00".length;

/** "2026-11-21 15:12 UTC" */
export function formatMinute(at: Millis): string {
  return `${iso(at).slice(0, MINUTE_CHARS).replace("T", " ")} UTC`;
}

export function joinParagraphs(...paragraphs: readonly string[]): string {
  return `${paragraphs.join("\n\n")}\n`;
}

/** The language of mails to people of whom none is known. */
export const DEFAULT_MAIL_LANGUAGE: Language = "en";

/** The language of the mails to the people of a tenant. */
export async function mailLanguage(tenants: Pick<Tenants, "get">, tenant: TenantId): Promise<Language> {
  return (await tenants.get(tenant))?.language ?? DEFAULT_MAIL_LANGUAGE;
}

export interface NoticePorts {
  /** The queue of the mail worker, the only function that sends mail. */
  readonly mails: Pick<Queue, "send">;
}

/** Queues a mail to each owner of a tenant. Queued twice, it is mailed twice. */
export function queueNotice(
  { mails }: NoticePorts,
  tenant: TenantId,
  notice: EndpointNotice | AccountNotice,
): Promise<void> {
  return mails.send({ body: encodeMail({ ...notice, tenant, recipient: null }), group: tenant });
}
