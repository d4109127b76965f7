import type { Log } from "../../aws/log.ts";
import type { Queue } from "../../aws/queues.ts";
import type { Vault } from "../../aws/vault.ts";
import type { Account } from "../../domain/accounts/accounts.ts";
import type { Scope } from "../../domain/inbox/messages.ts";
import type { TenantId } from "../../kernel/tenant.ts";
import type { Millis } from "../../kernel/time.ts";
import type { Platform } from "../../platforms/platform.ts";
import type { Accounts } from "../../stores/accounts/accounts.ts";
import type { EventBodies } from "../../stores/delivery/event-bodies.ts";
import type { Erasures } from "../../stores/erasure/erasures.ts";
import type { Conversations } from "../../stores/inbox/conversations.ts";
import type { Messages } from "../../stores/inbox/messages.ts";
import type { OutboundMessages } from "../../stores/inbox/outbound-messages.ts";
import type { AttachmentOwners } from "../../stores/sending/attachment-owners.ts";
import type { Budgets } from "../../stores/sending/budgets.ts";
import type { DueSends } from "../../stores/sending/due-sends.ts";
import type { IdempotencyKeys } from "../../stores/sending/idempotency-keys.ts";
import type { SendRecords } from "../../stores/sending/send-records.ts";

/** What settling a send needs, in the process that sent it and in the sweep. */
export interface SettlePorts {
  readonly conversations: Pick<Conversations, "get" | "advanceHead">;
  readonly accounts: Pick<Accounts, "get" | "setStatus" | "endRestriction" | "recordHumanAgentRefusal">;
  readonly budgets: Budgets;
  readonly sendRecords: Pick<SendRecords, "start" | "settleSend" | "giveUp" | "get" | "remove">;
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

export interface AttachmentPorts {
  readonly attachmentOwners: Pick<AttachmentOwners, "getAccountKeys">;
}

export interface IdempotencyPorts {
  readonly idempotencyKeys: IdempotencyKeys;
  readonly log: Log;
}
