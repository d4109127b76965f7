import { SESv2Client, SendEmailCommand } from "@aws-sdk/client-sesv2";
import { requestOptions, requestTimeouts } from "../config/request-times.ts";
import { callScopePlugin } from "../kernel/call-scope.ts";
import { OutOfTime } from "../kernel/deadline.ts";
import { printableLine, printableText } from "../kernel/text/printable.ts";

/** A plain-text mail to one recipient. */
export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

/**
 * - `accepted`: SES accepted the mail. It accepts a mail to an address on the suppression list too, and sends nothing
 * - `rejected`: SES will never send this mail
 * - `unknown`: the answer was lost, so SES may have accepted the mail
 */
export type MailOutcome = "accepted" | "rejected" | "unknown";

export interface Mailer {
  /**
   * Sends a mail at most once: SES does not recognize a repeated request.
   * @throws an error of AWS, or OutOfTime, when nothing was sent and a later call may succeed
   */
  send(mail: Mail): Promise<MailOutcome>;
}

export interface MailSettings {
  /** The sender address, verified in SES. */
  readonly from: string;
  readonly configurationSet: string;
}

/** The mail itself is refused: its recipient or content. Every other refusal an operator can correct. */
const REJECTIONS: ReadonlySet<string> = new Set(["MessageRejected", "BadRequestException"]);

/** The connection was never opened. */
const UNREACHED: ReadonlySet<unknown> = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH"]);

export function openMail({ from, configurationSet }: MailSettings, client: SESv2Client = defaultClient()): Mailer {
  client.middlewareStack.use(callScopePlugin);
  return {
    async send({ to, subject, text }) {
      const command = new SendEmailCommand({
        FromEmailAddress: from,
        Destination: { ToAddresses: [to] },
        Content: {
          Simple: { Subject: { Data: printableLine(subject) }, Body: { Text: { Data: printableText(text) } } },
        },
        ConfigurationSetName: configurationSet,
      });
      sendAtMostOnce(command);
      try {
        await client.send(command);
        return "accepted";
      } catch (error) {
        if (error instanceof UnknownOutcome) return "unknown";
        if (error instanceof Error && REJECTIONS.has(error.name)) return "rejected";
        throw error;
      }
    },
  };
}

class UnknownOutcome extends Error {
  override readonly name = "UnknownOutcome";
}

/** The SDK retries only what SES certainly did not accept. After a time-out SES may have accepted the mail. */
function sendAtMostOnce(command: SendEmailCommand): void {
  command.middlewareStack.add(
    (next) => async (args) => {
      try {
        return await next(args);
      } catch (error) {
        if (isNotSent(error)) throw error;
        throw new UnknownOutcome("The response of SES was lost, so the mail may have been sent.");
      }
    },
    // Around each attempt, inside the SDK's retries.
    { step: "finalizeRequest", priority: "normal", name: "atMostOnce" },
  );
}

function isNotSent(error: unknown): boolean {
  if (error instanceof OutOfTime) return true;
  const { code, $metadata } = error as { code?: unknown; $metadata?: { httpStatusCode?: number } };
  const status = $metadata?.httpStatusCode ?? 0;
  return UNREACHED.has(code) || (status >= 400 && status < 500);
}

function defaultClient(): SESv2Client {
  return new SESv2Client(requestOptions(requestTimeouts.mail));
}
