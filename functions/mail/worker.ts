import { RETENTION, SIGN_IN_LINK_LIFETIME } from "#base/kernel/limits.ts";
import type { Millis } from "#base/kernel/time.ts";
import type { RecordOutcome } from "#base/queues/record-outcome.ts";
import { mailInvite } from "#features/access/flows/mails/mail-invite.ts";
import { mailNotice } from "#features/access/flows/mails/mail-notice.ts";
import { mailSignInLink } from "#features/access/flows/mails/mail-sign-in-link.ts";
import type { MailPorts } from "#features/access/flows/mails/ports.ts";
import { decodeMail, type MailMessage } from "#features/access/queue.ts";
import { type ReceivedRecord, recordWorker } from "../worker/record-worker.ts";

/** The mail worker. It sends the mails of a batch concurrently. */
export const mailWorker = recordWorker({ worker: "mail", decode: decodeMail, run: sendMail, life: mailLife });

function sendMail(ports: MailPorts, message: MailMessage, { now }: ReceivedRecord): Promise<RecordOutcome> {
  switch (message.kind) {
    case "sign_in":
      return mailSignInLink(ports, message.loginId, now());
    case "invite":
      return mailInvite(ports, message, now());
    default:
      return mailNotice(ports, message);
  }
}

/** A link of an earlier time opens nothing. */
function mailLife(body: string): Millis {
  return decodeMail(body)?.kind === "sign_in" ? SIGN_IN_LINK_LIFETIME : RETENTION;
}
