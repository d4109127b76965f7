import type { Mailer } from "../../shared/aws/mail.ts";

/** A mailer for a sender address, or null without one. The first mail loads the large mail client. */
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
