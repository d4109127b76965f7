import { RETENTION, SIGN_IN_LINK_LIFETIME } from "#base/kernel/limits.ts";
import type { Millis } from "#base/kernel/time.ts";
import { runWithTrace } from "#base/kernel/trace.ts";
import { type RecordOutcome, unreadable } from "#base/queues/record-outcome.ts";
import { mailInvite } from "#features/access/flows/mails/mail-invite.ts";
import { mailNotice } from "#features/access/flows/mails/mail-notice.ts";
import { mailSignInLink } from "#features/access/flows/mails/mail-sign-in-link.ts";
import type { MailPorts } from "#features/access/flows/mails/ports.ts";
import { decodeMail, type MailMessage } from "#features/access/queue.ts";
import { processRecords, type WorkerPorts } from "../worker/batch.ts";
import { queueWorker } from "../worker/middleware.ts";

const worker = "mail";

/** The mail worker. It sends the mails of a batch concurrently. */
export function mailWorker(ports: MailPorts & WorkerPorts, now: () => Millis) {
  return queueWorker(worker, ports.log, (event, context) =>
    processRecords(event, context, { worker, ports, outage: { now, life: mailLife } }, (records) => {
      const outcomes = records.map(({ messageId, body }): [string, Promise<RecordOutcome>] => {
        const message = decodeMail(body);
        if (!message) return [messageId, Promise.resolve(unreadable)];
        return [messageId, runWithTrace(message.traceId ?? null, () => sendMail(ports, message, now()))];
      });
      return new Map(outcomes);
    }),
  );
}

function sendMail(ports: MailPorts, message: MailMessage, now: Millis): Promise<RecordOutcome> {
  switch (message.kind) {
    case "sign_in":
      return mailSignInLink(ports, message.loginId, now);
    case "invite":
      return mailInvite(ports, message, now);
    default:
      return mailNotice(ports, message);
  }
}

/** A link of an earlier time opens nothing. */
function mailLife(body: string): Millis {
  return decodeMail(body)?.kind === "sign_in" ? SIGN_IN_LINK_LIFETIME : RETENTION;
}
