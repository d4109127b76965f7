import type { Files } from "#base/aws/files.ts";
import type { Log } from "#base/aws/log.ts";
import type { Queue } from "#base/aws/queues.ts";
import type { PlatformSecrets, ReadSecret } from "#base/aws/secrets.ts";
import type { Vault } from "#base/aws/vault.ts";
import type { Millis } from "#base/kernel/time.ts";
import type { Account } from "#features/accounts/rules/accounts.ts";
import type { Accounts } from "#features/accounts/store/accounts.ts";
import type { EventBodies } from "#features/delivery/store/event-bodies.ts";
import type { Erasures } from "#features/erasure/store/erasures.ts";
import type { PushRequestPorts } from "#features/realtime/ports.ts";
import type { DueSends, SendRecords } from "#features/sending/store/send-records.ts";
import type { CountingPorts } from "#features/stats/ports.ts";
import type { TenantStates } from "#features/tenants/store/tenant-states.ts";
import type { Endpoints } from "#features/webhooks/store/endpoints.ts";
import type { Platform } from "#platforms/graph/platform.ts";
import type { Update } from "./rules/updates.ts";
import type { Conversations } from "./store/conversations.ts";
import type { MessageChanges } from "./store/message-changes.ts";
import type { Messages } from "./store/messages.ts";
import type { NameWaits } from "./store/name-waits.ts";
import type { OutboundMessages } from "./store/outbound-messages.ts";
import type { PendingChanges } from "./store/pending-changes.ts";
import type { Profiles } from "./store/profiles.ts";
import type { RawCopyStore } from "./store/raw-copies.ts";

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
  readonly rawCopies: RawCopyStore;
  readonly accounts: Pick<Accounts, "listHolders" | "setPolicy">;
  readonly tenantStates: Pick<TenantStates, "get">;
  readonly erasures: Pick<Erasures, "erasedAt" | "saveEvents" | "saveMark" | "isRemoved">;
  readonly messages: Messages;
  readonly outboundMessages: OutboundMessages;
  readonly sendRecords: Pick<SendRecords, "get" | "startedBetween" | "matchEcho">;
  readonly dueSends: Pick<DueSends, "isDue">;
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

/** What publishes a change of a conversation beside its messages. */
export interface ConversationChangePorts {
  readonly endpoints: Pick<Endpoints, "list">;
  readonly eventBodies: Pick<EventBodies, "recordRef" | "save">;
  readonly events: Queue;
}

export interface ProfilePorts extends PushRequestPorts, ConversationChangePorts {
  readonly eventBodies: Pick<EventBodies, "recordRef" | "save" | "findRef">;
  readonly conversations: Pick<Conversations, "get">;
  readonly accounts: Pick<Accounts, "get">;
  readonly vault: Pick<Vault, "open">;
  readonly platformFor: (account: Account) => Promise<Pick<Platform, "fetchProfile">>;
  readonly profiles: Profiles;
  readonly nameWaits: NameWaits;
  readonly log: Log;
}

export interface DonePorts extends PushRequestPorts, ConversationChangePorts {
  readonly conversations: Pick<Conversations, "setDone">;
}

export interface InboxPorts {
  readonly conversations: Pick<Conversations, "get" | "getWithMessages" | "inbox" | "closingInbox">;
  readonly messages: Pick<Messages, "listByConversation" | "feed" | "getById">;
}
