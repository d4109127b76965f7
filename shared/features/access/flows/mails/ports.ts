import type { Log } from "#base/aws/log.ts";
import type { Mailer } from "#base/aws/mail.ts";
import type { ReadKeyRing } from "#base/kernel/key-ring.ts";
import type { Invites } from "../../store/invites.ts";
import type { LoginTokens } from "../../store/login-tokens.ts";
import type { EligibilityPorts } from "../sign-in-eligibility.ts";

export interface MailPorts extends EligibilityPorts {
  readonly loginTokens: Pick<LoginTokens, "get" | "claimMail" | "releaseMail">;
  readonly invites: Pick<Invites, "pendingFor" | "claimMail" | "releaseMail">;
  /** Opens the addresses and tokens of sign-in links. */
  readonly loginKeys: ReadKeyRing;
  readonly addressKeys: ReadKeyRing;
  /** Null when no sender address is set: no mails are sent. */
  readonly mail: Mailer | null;
  /** The public URL of the API, without a trailing slash. */
  readonly baseUrl: string;
  readonly log: Log;
}
