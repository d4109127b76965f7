import type { Log } from "#base/aws/log.ts";
import type { Queue } from "#base/aws/queues.ts";
import type { Vault } from "#base/aws/vault.ts";
import type { Millis } from "#base/kernel/time.ts";
import type { Erasures } from "#features/erasure/store/erasures.ts";
import type { Conversations } from "#features/inbox/store/conversations.ts";
import type { Messages } from "#features/inbox/store/messages.ts";
import type { RestoredErasures } from "#features/recovery/store/restored-erasures.ts";
import type { AccountPlatform, ThreadMessage } from "#platforms/graph/account-platform.ts";
import type { AccountRef, Connection } from "../../rules/accounts.ts";
import type { AccountChecks } from "../../store/account-checks.ts";
import type { Accounts } from "../../store/accounts.ts";

/** What finds the messages of the history that are not stored, and queues them. */
export interface MissingMessagePorts {
  readonly messages: Pick<Messages, "sentTimes">;
  readonly conversations: Pick<Conversations, "snapshots">;
  readonly erasures: Pick<Erasures, "erasedAt">;
  readonly restoredErasures: Pick<RestoredErasures, "get" | "notePartlyRead">;
  /** A webhook's body with these messages of one account. */
  readonly renderWebhook: (account: AccountRef, messages: readonly ThreadMessage[]) => Uint8Array;
  /** Queues a webhook's body as intake does. */
  readonly queueWebhook: (raw: Uint8Array, now: Millis) => Promise<void>;
}

export interface BackfillPorts extends MissingMessagePorts {
  readonly accounts: Pick<Accounts, "get">;
  readonly accountChecks: Pick<AccountChecks, "endBackfill">;
  readonly vault: Pick<Vault, "open">;
  readonly accountPlatformFor: (connection: Connection) => Promise<Pick<AccountPlatform, "listThreads" | "readThread">>;
  /** The accounts queue. */
  readonly accountWork: Queue;
  readonly wait: (duration: Millis) => Promise<void>;
  readonly log: Log;
}
