import type { Log } from "#base/aws/log.ts";
import type { Mailer } from "#base/aws/mail.ts";
import type { Queue } from "#base/aws/queues.ts";
import type { ReadKeyRing } from "#base/kernel/key-ring.ts";
import type { Accounts } from "#features/accounts/store/accounts.ts";
import type { Tenants } from "#features/tenants/store/tenants.ts";
import type { Endpoints } from "#features/webhooks/store/endpoints.ts";
import type { Invites } from "../../store/invites.ts";
import type { LoginTokens } from "../../store/login-tokens.ts";
import type { Memberships } from "../../store/memberships.ts";
import type { EligibilityPorts } from "../sign-in-eligibility.ts";

/** What the mails to the owners of tenants need. */
export interface NoticeMailPorts {
  readonly endpoints: Pick<Endpoints, "get">;
  readonly accounts: Pick<Accounts, "getConnection">;
  readonly memberships: Pick<Memberships, "list" | "get">;
  readonly tenants: Pick<Tenants, "get">;
  /** The queue of the mails themselves: each recipient gets a message. */
  readonly mails: Pick<Queue, "sendAll">;
  /** Null when no sender address is set: no mails are sent. */
  readonly mail: Mailer | null;
  readonly log: Log;
}

export interface MailPorts extends EligibilityPorts, NoticeMailPorts {
  readonly loginTokens: Pick<LoginTokens, "get" | "claimMail" | "releaseMail">;
  readonly invites: Pick<Invites, "pendingFor" | "claimMail" | "releaseMail">;
  /** Opens the addresses and tokens of sign-in links. */
  readonly loginKeys: ReadKeyRing;
  readonly addressKeys: ReadKeyRing;
  /** The public URL of the API, without a trailing slash. */
  readonly baseUrl: string;
}
