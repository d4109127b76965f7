import type { Mailer } from "#base/aws/mail.ts";
import { mailSettings } from "#base/config/settings.ts";

/** The mailer, or null when no sender address is set. The first mail loads the large mail client. */
export function mailer(): Mailer | null {
  const settings = mailSettings();
  if (settings === null) return null;
  let mailerPromise: Promise<Mailer> | undefined;
  return {
    async send(mail) {
      mailerPromise ??= import("#base/aws/mail.ts").then(({ openMail }) => openMail(settings));
      return (await mailerPromise).send(mail);
    },
  };
}
