import { GetAccountCommand, GetEmailIdentityCommand, SESv2Client } from "@aws-sdk/client-sesv2";
import type { DoctorContext } from "../context.ts";
import { call, isError } from "../run-checks.ts";
import { blocking, ok, skipped, type Verdict, warning, worst } from "../verdict.ts";

/** Whether SES sends mails of the sender address, and to whom. */
export async function checkMail({ isLocal, settings, services }: DoctorContext): Promise<Verdict> {
  if (isLocal) return skipped("The local stack shows its mails instead of sending them.");
  if (settings === null) return skipped("Only with --stage, whose file has the settings.");
  const { mailFrom } = settings;
  if (mailFrom === null) {
    return warning("No mail is sent, because mailFrom is not set.", "Set mailFrom as docs/operate/mail.md describes.");
  }
  const client = new SESv2Client(services);
  const [sender, account] = await Promise.all([checkSender(client, mailFrom), checkSandbox(client)]);
  return worst([sender, account], `SES sends mails of ${mailFrom}.`);
}

/** SES sends for a verified address, its domain, or a parent of that. */
async function checkSender(client: SESv2Client, from: string): Promise<Verdict> {
  const labels = from.slice(from.indexOf("@") + 1).split(".");
  const domains = labels.slice(0, -1).map((_, index) => labels.slice(index).join("."));
  const identities = await Promise.all([from, ...domains].map((identity) => isVerified(client, identity)));
  if (identities.includes(true)) return ok("");
  return blocking(
    `SES has not verified ${from} or its domain, so that no mail is sent.`,
    "Verify it in the region of the stage, as docs/operate/mail.md describes.",
  );
}

async function isVerified(client: SESv2Client, EmailIdentity: string): Promise<boolean> {
  try {
    const request = client.send(new GetEmailIdentityCommand({ EmailIdentity }));
    return (await call("ses:GetEmailIdentity", request)).VerifiedForSendingStatus === true;
  } catch (error) {
    if (isError(error, "NotFoundException")) return false;
    throw error;
  }
}

async function checkSandbox(client: SESv2Client): Promise<Verdict> {
  const account = await call("ses:GetAccount", client.send(new GetAccountCommand({})));
  if (account.SendingEnabled === false) {
    return blocking("SES has paused the sending of this account.", "Open the SES console, which says why.");
  }
  if (account.ProductionAccessEnabled) return ok("");
  return warning(
    "SES is in its sandbox: it sends mails only to addresses that it has verified.",
    "Request production access for the account in Amazon SES.",
  );
}
