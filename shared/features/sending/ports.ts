import type { Log } from "#base/aws/log.ts";
import type { Queue } from "#base/aws/queues.ts";
import type { Vault } from "#base/aws/vault.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import type { Millis } from "#base/kernel/time.ts";
import type { Scope } from "#features/access/rules/scope.ts";
import type { Account } from "#features/accounts/rules/accounts.ts";
import type { Accounts } from "#features/accounts/store/accounts.ts";
import type { EventBodies } from "#features/delivery/store/event-bodies.ts";
import type { Erasures } from "#features/erasure/store/erasures.ts";
import type { Conversations } from "#features/inbox/store/conversations.ts";
import type { Messages } from "#features/inbox/store/messages.ts";
import type { OutboundMessages } from "#features/inbox/store/outbound-messages.ts";
import type { RestoredErasures } from "#features/recovery/store/restored-erasures.ts";
import type { Platform } from "#platforms/graph/platform.ts";
import type { AttachmentOwners } from "./store/attachment-owners.ts";
import type { Budgets } from "./store/budgets.ts";
import type { FetchedMessages } from "./store/fetched-messages.ts";
import type { IdempotencyKeys } from "./store/idempotency-keys.ts";
import type { DueSends, SendRecords } from "./store/send-records.ts";

/** What settling a send needs, in the process that sent it and in the sweep. */
export interface SettlePorts {
  readonly conversations: Pick<Conversations, "get" | "advanceHead">;
  readonly accounts: Pick<
    Accounts,
    "get" | "hasUnreadHistory" | "setStatus" | "endRestriction" | "recordHumanAgentRefusal"
  >;
  readonly budgets: Budgets;
  readonly sendRecords: Pick<SendRecords, "start" | "settleSend" | "abandon" | "get" | "remove">;
  readonly dueSends: DueSends;
  readonly outboundMessages: Pick<OutboundMessages, "record" | "removeMarker">;
  readonly messages: Pick<Messages, "remove" | "removeParticipantNames">;
  readonly erasures: Pick<Erasures, "erasedAt" | "saveEvents" | "saveMark" | "isRemoved">;
  readonly eventBodies: Pick<EventBodies, "saveSendFailed" | "save">;
  readonly events: Queue;
  readonly accountWork: Queue;
  /** The number of shards of a tenant's feeds, up to a minute old. */
  readonly feedShards: (tenant: TenantId, now: Millis) => Promise<number>;
  readonly log: Log;
}

export interface SendPorts extends SettlePorts {
  readonly vault: Pick<Vault, "open">;
  readonly platformFor: (account: Account, scope: Scope) => Promise<Pick<Platform, "send">>;
}

/** What finds the messages that were sent before a restore of the table. */
export interface FetchedPorts {
  readonly erasures: Pick<Erasures, "erasedAt">;
  readonly restoredErasures: Pick<RestoredErasures, "get">;
  readonly fetchedMessages: FetchedMessages;
}

export interface AttachmentPorts {
  readonly attachmentOwners: Pick<AttachmentOwners, "getAccountKeys">;
}

export interface IdempotencyPorts {
  readonly idempotencyKeys: IdempotencyKeys;
  readonly log: Log;
}
