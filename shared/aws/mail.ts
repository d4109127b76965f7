import { SESv2Client, SendEmailCommand } from "@aws-sdk/client-sesv2";
import { callScopePlugin } from "../kernel/call-scope.ts";

/** A plain-text mail to one recipient. */
export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

export interface Mailer {
  /** Resolves when the mail service has accepted the mail. */
  send(mail: Mail): Promise<void>;
}

/** @param from the sender address, verified in SES */
export function openMail(from: string, client: SESv2Client = defaultClient()): Mailer {
  client.middlewareStack.use(callScopePlugin);
  return {
    async send({ to, subject, text }) {
      await client.send(
        new SendEmailCommand({
          FromEmailAddress: from,
          Destination: { ToAddresses: [to] },
          Content: { Simple: { Subject: { Data: subject }, Body: { Text: { Data: text } } } },
        }),
      );
    },
  };
}

function defaultClient(): SESv2Client {
  return new SESv2Client({ maxAttempts: 3, requestHandler: { connectionTimeout: 1_000, requestTimeout: 5_000 } });
}
