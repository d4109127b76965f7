import type { Mail } from "#base/aws/mail.ts";
import { done, type RecordOutcome } from "#base/queues/record-outcome.ts";
import type { MailPorts } from "./ports.ts";

interface ClaimedMail {
  readonly mail: Mail;
  /** Gives the claim back, so that the repeated message sends the mail. */
  readonly release: () => Promise<void>;
}

/**
 * Sends a mail whose row is claimed. SES does not recognize a repeated mail, so a mail that it may have accepted is not
 * sent again. When SES certainly did not take it, the claim is given back and the message comes again.
 */
export async function sendClaimed(
  { mail: mailer, log }: Pick<MailPorts, "log"> & { readonly mail: NonNullable<MailPorts["mail"]> },
  { mail, release }: ClaimedMail,
): Promise<RecordOutcome> {
  try {
    const outcome = await mailer.send(mail);
    if (outcome !== "accepted") log({ event: "mail.not_sent", reason: outcome });
    return done;
  } catch (error) {
    await release();
    throw error;
  }
}
