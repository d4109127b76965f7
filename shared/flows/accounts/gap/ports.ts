import type { Log } from "../../../aws/log.ts";
import type { Queue } from "../../../aws/queues.ts";
import type { Vault } from "../../../aws/vault.ts";
import type { AccountRef, Connection } from "../../../domain/accounts/accounts.ts";
import type { Millis } from "../../../kernel/time.ts";
import type { AccountPlatform, ThreadMessage } from "../../../platforms/accounts/account-platform.ts";
import type { AccountChecks } from "../../../stores/accounts/account-checks.ts";
import type { Accounts } from "../../../stores/accounts/accounts.ts";
import type { Erasures } from "../../../stores/erasure/erasures.ts";
import type { Conversations } from "../../../stores/inbox/conversations.ts";
import type { Messages } from "../../../stores/inbox/messages.ts";

/** What finds the messages of the history that are not stored, and queues them. */
export interface MissingMessagePorts {
  readonly messages: Pick<Messages, "sentTimes">;
  readonly conversations: Pick<Conversations, "snapshots">;
  readonly erasures: Pick<Erasures, "erasedAt">;
  /** A webhook's body with these messages of one account. */
  readonly renderWebhook: (account: AccountRef, messages: readonly ThreadMessage[]) => Uint8Array;
  /** Queues a webhook's body as intake does. */
  readonly queueWebhook: (raw: Uint8Array, now: Millis) => Promise<void>;
}

export interface FillGapPorts extends MissingMessagePorts {
  readonly accounts: Pick<Accounts, "get">;
  readonly accountChecks: Pick<AccountChecks, "endGap">;
  readonly vault: Pick<Vault, "open">;
  readonly accountPlatformFor: (connection: Connection) => Promise<Pick<AccountPlatform, "listThreads" | "readThread">>;
  /** The accounts queue. */
  readonly accountWork: Queue;
  readonly wait: (duration: Millis) => Promise<void>;
  readonly log: Log;
}
