import type { Files } from "../../aws/files.ts";
import type { Log } from "../../aws/log.ts";
import type { Queue } from "../../aws/queues.ts";
import type { PlatformSecrets, ReadSecret } from "../../aws/secrets.ts";
import type { Vault } from "../../aws/vault.ts";
import type { Account } from "../../domain/accounts/accounts.ts";
import type { Update } from "../../domain/inbox/updates.ts";
import type { Millis } from "../../kernel/time.ts";
import type { Platform } from "../../platforms/platform.ts";
import type { TenantStates } from "../../stores/access/tenant-states.ts";
import type { Accounts } from "../../stores/accounts/accounts.ts";
import type { EventBodies } from "../../stores/delivery/event-bodies.ts";
import type { Erasures } from "../../stores/erasure/erasures.ts";
import type { Conversations } from "../../stores/inbox/conversations.ts";
import type { MessageChanges } from "../../stores/inbox/message-changes.ts";
import type { Messages } from "../../stores/inbox/messages.ts";
import type { OutboundMessages } from "../../stores/inbox/outbound-messages.ts";
import type { PendingChanges } from "../../stores/inbox/pending-changes.ts";
import type { Profiles } from "../../stores/inbox/profiles.ts";
import type { SendRecords } from "../../stores/sending/send-records.ts";
import type { PushRequestPorts } from "../realtime/ports.ts";
import type { CountingPorts } from "../stats/ports.ts";

export interface IntakePorts {
  readonly platformSecrets: ReadSecret<PlatformSecrets>;
  readonly verifySignature: (raw: Uint8Array, header: string | undefined, secrets: readonly string[]) => boolean;
  readonly verifyHandshake: (
    query: { mode?: string; token?: string; challenge?: string },
    verifyToken: string,
  ) => string | null;
  readonly inbound: Queue;
  readonly files: Pick<Files, "put">;
  readonly log: Log;
}

export interface IngestPorts extends CountingPorts {
  readonly parseUpdates: (raw: Uint8Array, receivedAt: Millis) => Update[];
  /** Bodies of webhooks with some updates of one each, by their positions in it. */
  readonly selectUpdates: (raw: Uint8Array, selections: readonly (readonly number[])[]) => Uint8Array[];
  readonly files: Pick<Files, "put" | "get" | "remove">;
  readonly accounts: Pick<Accounts, "listHolders" | "setPolicy">;
  readonly tenantStates: Pick<TenantStates, "get" | "growShards">;
  readonly erasures: Pick<Erasures, "erasedAt" | "saveEvents" | "saveMark" | "isRemoved">;
  readonly messages: Messages;
  readonly outboundMessages: OutboundMessages;
  readonly sendRecords: Pick<SendRecords, "get" | "startedBetween" | "matchEcho">;
  readonly conversations: Conversations;
  readonly messageChanges: MessageChanges;
  readonly pendingChanges: PendingChanges;
  readonly eventBodies: Pick<EventBodies, "recordRef" | "save" | "deleteBodies" | "removeChanges">;
  /** The queue of the webhooks, for their parts. */
  readonly inbound: Queue;
  readonly events: Queue;
  readonly profiles: Queue;
}

export interface PurgePorts {
  readonly files: Pick<Files, "list" | "removeAll">;
  readonly log: Log;
}

export interface ProfilePorts extends PushRequestPorts {
  readonly conversations: Pick<Conversations, "get">;
  readonly accounts: Pick<Accounts, "get">;
  readonly vault: Pick<Vault, "open">;
  readonly platformFor: (account: Account) => Promise<Pick<Platform, "fetchProfile">>;
  readonly profiles: Profiles;
  readonly log: Log;
}

export interface InboxPorts {
  readonly conversations: Pick<Conversations, "get" | "getWithMessages" | "inbox">;
  readonly messages: Pick<Messages, "listByConversation" | "feed" | "getById">;
}
