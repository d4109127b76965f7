import type { Mailer } from "../../shared/aws/mail.ts";

/**
 * Sends mails from an address, or null where there is none. The mail client is large and rarely needed: it is loaded
 * with the first mail.
 */
export function mailer(from: string | null): Mailer | null {
  if (from === null) return null;
  let mailerPromise: Promise<Mailer> | undefined;
  return {
    async send(mail) {
      mailerPromise ??= import("../../shared/aws/mail.ts").then(({ openMail }) => openMail(from));
      await (await mailerPromise).send(mail);
    },
  };
}
