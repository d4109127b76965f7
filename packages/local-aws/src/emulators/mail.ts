import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { z } from "zod";
import type { Millis } from "../support/time.ts";
import { Journal, readJournal } from "./journal.ts";

/** An accepted mail. The emulator does not deliver it: it stays in the outbox, where it can be read. */
export interface Mail {
  readonly id: string;
  readonly at: Millis;
  readonly from: string;
  readonly to: readonly string[];
  readonly cc: readonly string[];
  readonly bcc: readonly string[];
  readonly replyTo: readonly string[];
  readonly configurationSet: string | null;
  readonly subject: string;
  readonly text: string | null;
  readonly html: string | null;
}

export interface MailResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const SEND_PATH = "/v2/email/outbound-emails";

const addresses = z.array(z.string().min(3)).default([]);
const part = z.object({ Data: z.string() });
const sendInput = z.object({
  FromEmailAddress: z.string().min(3),
  Destination: z.object({ ToAddresses: addresses, CcAddresses: addresses, BccAddresses: addresses }),
  ReplyToAddresses: addresses,
  ConfigurationSetName: z.string().optional(),
  Content: z.object({
    Simple: z.object({ Subject: part, Body: z.object({ Text: part.optional(), Html: part.optional() }) }),
  }),
});

/** The mail service (SES v2, simple messages only). Its mails are stored in `mail.jsonl`. */
export class Mailbox {
  readonly #now: () => Millis;
  readonly #mails: Mail[];
  readonly #journal: Journal<Mail>;

  constructor(dataDir: string, now: () => Millis) {
    const file = join(dataDir, "mail.jsonl");
    this.#now = now;
    this.#mails = [...readJournal<Mail>(file)];
    this.#journal = new Journal(file, this.#mails);
  }

  /** All mails, newest first. */
  list(): Mail[] {
    return this.#mails.toReversed();
  }

  /** Answers a request to a path under `/v2/email/`. */
  handle(method: string, path: string, body: string): MailResponse {
    if (method !== "POST" || path !== SEND_PATH) {
      return toResponse(404, { message: `${method} ${path} is not emulated.` }, "UnknownOperationException");
    }
    const result = sendInput.safeParse(parse(body));
    if (!result.success) {
      const reason = `${z.prettifyError(result.error)}\nOnly Content.Simple is emulated.`;
      return toResponse(400, { message: reason }, "BadRequestException");
    }
    const mail = toMail(result.data, this.#now());
    if (mail.to.length + mail.cc.length + mail.bcc.length === 0) {
      return toResponse(
        400,
        { message: "Missing recipient. Name at least one in Destination." },
        "BadRequestException",
      );
    }
    this.#journal.append(mail);
    this.#mails.push(mail);
    return toResponse(200, { MessageId: mail.id });
  }

  close(): void {
    this.#journal.close();
  }
}

function toMail(input: z.infer<typeof sendInput>, at: Millis): Mail {
  const { Destination, Content } = input;
  return {
    id: randomUUID(),
    at,
    from: input.FromEmailAddress,
    to: Destination.ToAddresses,
    cc: Destination.CcAddresses,
    bcc: Destination.BccAddresses,
    replyTo: input.ReplyToAddresses,
    configurationSet: input.ConfigurationSetName ?? null,
    subject: Content.Simple.Subject.Data,
    text: Content.Simple.Body.Text?.Data ?? null,
    html: Content.Simple.Body.Html?.Data ?? null,
  };
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

function toResponse(status: number, content: object, error?: string): MailResponse {
  const headers = { "content-type": "application/json", ...(error ? { "x-amzn-errortype": error } : {}) };
  return { status, headers, body: JSON.stringify(content) };
}
