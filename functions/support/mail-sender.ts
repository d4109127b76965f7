import type { Mailer } from "../../shared/aws/mail.ts";
import { mailSettings } from "../../shared/config/settings.ts";

/** The mailer, or null when no sender address is set. The first mail loads the large mail client. */
export function mailer(): Mailer | null {
  const settings = mailSettings();
  if (settings === null) return null;
  let mailerPromise: Promise<Mailer> | undefined;
  return {
    async send(mail) {
      mailerPromise ??= import("../../shared/aws/mail.ts").then(({ openMail }) => openMail(settings));
      return (await mailerPromise).send(mail);
    },
  };
}
