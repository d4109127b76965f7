import type { Mailer } from "#base/aws/mail.ts";
import { mailSettings } from "#base/config/settings.ts";
import type { Host } from "../host.ts";

/** The mailer, or null when no sender address is set. The first mail loads the large mail client. */
export function mailer({ settings, clients }: Host): Mailer | null {
  if (clients.mail !== undefined) return clients.mail;
  const mail = mailSettings(settings);
  if (mail === null) return null;
  let mailerPromise: Promise<Mailer> | undefined;
  return {
    async send(message) {
      mailerPromise ??= import("#base/aws/mail.ts").then(({ openMail }) => openMail(mail, clients.ses));
      return (await mailerPromise).send(message);
    },
  };
}
