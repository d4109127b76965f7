// What the flows need from the rooms above the rules: types only. functions/wiring.ts supplies the real ones.

import type { Files } from "../aws/files.ts";
import type { Log } from "../aws/log.ts";
import type { Mailer } from "../aws/mail.ts";
import type { Queue } from "../aws/queues.ts";
import type { PlatformSecrets } from "../aws/secrets.ts";
import type { Vault } from "../aws/vault.ts";
import type { QueueName } from "../config/names.ts";
import type { Account } from "../domain/accounts/accounts.ts";
import type { Scope } from "../domain/inbox/messages.ts";
import type { Update } from "../domain/inbox/updates.ts";
import type { TenantId } from "../kernel/tenant.ts";
import type { Millis } from "../kernel/time.ts";
import type { Gate } from "../net/egress-gate.ts";
import type { WebhookClient } from "../net/webhook-client.ts";
import type { Platform } from "../platforms/platform.ts";
import type { ApiKeys } from "../stores/access/api-keys.ts";
import type { Audit } from "../stores/access/audit.ts";
import type { TenantStates } from "../stores/access/tenant-states.ts";
import type { Tenants } from "../stores/access/tenants.ts";
import type { Accounts } from "../stores/accounts/accounts.ts";
import type { Quarantine } from "../stores/dead-letters/quarantine.ts";
import type { ConcurrencySlots } from "../stores/delivery/concurrency-slots.ts";
import type { Deliveries } from "../stores/delivery/deliveries.ts";
import type { DueAttempts } from "../stores/delivery/due-attempts.ts";
import type { EventBodies } from "../stores/delivery/event-bodies.ts";
import type { Erasures } from "../stores/erasure/erasures.ts";
import type { Traces } from "../stores/erasure/traces.ts";
import type { Holds } from "../stores/holds/holds.ts";
import type { VerificationAttempts } from "../stores/holds/verification-attempts.ts";
import type { Conversations } from "../stores/inbox/conversations.ts";
import type { MessageChanges } from "../stores/inbox/message-changes.ts";
import type { Messages } from "../stores/inbox/messages.ts";
import type { OutboundMessages } from "../stores/inbox/outbound-messages.ts";
import type { PendingChanges } from "../stores/inbox/pending-changes.ts";
import type { Profiles } from "../stores/inbox/profiles.ts";
import type { Budgets } from "../stores/sending/budgets.ts";
import type { DueSends } from "../stores/sending/due-sends.ts";
import type { IdempotencyKeys } from "../stores/sending/idempotency-keys.ts";
import type { SendRecords } from "../stores/sending/send-records.ts";
import type { Counters } from "../stores/stats/counters.ts";
import type { DnsQuota } from "../stores/webhooks/dns-quota.ts";
import type { Endpoints } from "../stores/webhooks/endpoints.ts";

export interface IntakePorts {
  readonly platformSecrets: () => Promise<PlatformSecrets>;
  readonly verifySignature: (raw: Uint8Array, header: string | undefined, secrets: readonly string[]) => boolean;
  readonly verifyHandshake: (
    query: { mode?: string; token?: string; challenge?: string },
    verifyToken: string,
  ) => string | null;
  readonly inbound: Queue;
  readonly files: Files;
  readonly log: Log;
}

/** What adds to the counters behind the statistics. */
export interface CountingPorts {
  readonly counters: Pick<Counters, "add">;
  readonly log: Log;
}

export interface IngestPorts extends CountingPorts {
  readonly parseUpdates: (raw: Uint8Array) => Update[];
  readonly files: Files;
  readonly accounts: Pick<Accounts, "getRoute" | "setPolicy">;
  readonly tenantStates: Pick<TenantStates, "get" | "growShards">;
  readonly erasures: Pick<Erasures, "erasedAt" | "saveEvents" | "isRemoved">;
  readonly messages: Messages;
  readonly outboundMessages: OutboundMessages;
  readonly sendRecords: Pick<SendRecords, "get" | "startedBetween" | "claim">;
  readonly conversations: Conversations;
  readonly messageChanges: MessageChanges;
  readonly pendingChanges: PendingChanges;
  readonly eventBodies: Pick<EventBodies, "recordRef" | "save" | "get" | "deleteBodies">;
  readonly events: Queue;
  readonly profiles: Queue;
}

export interface ProfilePorts {
  readonly conversations: Pick<Conversations, "get">;
  readonly accounts: Pick<Accounts, "get">;
  readonly vault: Pick<Vault, "open">;
  readonly platformFor: (account: Account) => Pick<Platform, "fetchProfile">;
  readonly profiles: Profiles;
  readonly log: Log;
}

export interface DeliverPorts extends CountingPorts {
  readonly counters: Pick<Counters, "add" | "claim">;
  readonly endpoints: Pick<Endpoints, "list" | "get" | "pause" | "saveBreaker">;
  readonly messages: Pick<Messages, "getByRefs">;
  readonly eventBodies: Pick<EventBodies, "getByUlids" | "save">;
  readonly deliveries: Deliveries;
  readonly due: DueAttempts;
  readonly retries: Queue;
  readonly events: Queue;
  readonly vault: Pick<Vault, "open">;
  readonly webhookClient: WebhookClient;
  readonly concurrencySlots: ConcurrencySlots;
  readonly tenants: Pick<Tenants, "get">;
  /** Null where nothing says from whom mails are sent: then none are. */
  readonly mail: Mailer | null;
  /** A draw from [0, 1). */
  readonly random: () => number;
}

export interface SweepPorts {
  readonly due: DueAttempts;
  readonly retries: Queue;
  readonly log: Log;
}

export interface DeadLetterPorts extends CountingPorts {
  /** Whose dead letters lie in a queue of that name; null for a queue that holds none. */
  readonly findSourceQueue: (deadLetterQueue: string) => QueueName | null;
  readonly quarantine: Pick<Quarantine, "save">;
  readonly deliveries: Pick<Deliveries, "giveUp">;
  readonly due: Pick<DueAttempts, "putTask">;
}

/** What an operator needs to look into what was set aside, and to send it again. */
export interface RedrivePorts extends Pick<ApiPorts, "endpoints" | "deliveries" | "messages" | "eventBodies" | "due"> {
  readonly quarantine: Quarantine;
  readonly erasures: Pick<Erasures, "get">;
  readonly parseUpdates: (raw: Uint8Array) => Update[];
  /** The queue that a letter goes back to. Throws when it is not known where that is. */
  readonly queueFor: (queue: QueueName) => Queue;
}

export interface ErasePorts {
  readonly erasures: Erasures;
  readonly traces: Traces;
  readonly tenantStates: Pick<TenantStates, "recordErasure">;
  readonly endpoints: Pick<Endpoints, "list">;
  /** To itself: what is left of an erasure. */
  readonly erasureWork: Queue;
  readonly log: Log;
}

/** What holding a message needs besides what sending does. */
export interface HoldPorts {
  readonly holds: Holds;
  /** Makes the secrets of holds. */
  readonly holdKey: () => Promise<Uint8Array>;
  /** Where people reach this service, without a slash at the end. */
  readonly baseUrl: string;
}

/** What ends held messages that nobody checks. */
export interface HoldExpiryPorts {
  readonly holds: Pick<Holds, "listOverdue" | "expire">;
}

/** What the check page may do: let go what is held, for whoever has its secret. */
export interface CheckPorts extends SendPorts {
  readonly holds: Omit<Holds, "create" | "listOverdue">;
  readonly verificationAttempts: VerificationAttempts;
  readonly audit: Pick<Audit, "add">;
  readonly challengeKey: () => Promise<Uint8Array>;
  readonly random: (bytes: number) => Uint8Array;
  /** The outcome of work that ends within a span, else `late`; late work goes on. */
  readonly waitUpTo: <T>(span: Millis, work: Promise<T>) => Promise<T | "late">;
  /** The page's files by their path. */
  readonly pageFiles: ReadonlyMap<string, PageFile>;
}

/** A file of a page, as it is served. */
export interface PageFile {
  readonly body: Uint8Array<ArrayBuffer>;
  readonly type: string;
  /** Of its content, with the quotes that the header wants. */
  readonly etag: string;
}

/** What ends a send, whoever made it. */
export interface SettlePorts {
  readonly conversations: Pick<Conversations, "get" | "advanceHead">;
  readonly accounts: Pick<Accounts, "get" | "setStatus" | "recordHumanAgentRefusal">;
  readonly budgets: Budgets;
  readonly sendRecords: Pick<SendRecords, "start" | "settle" | "giveUp" | "get">;
  readonly dueSends: DueSends;
  readonly outboundMessages: Pick<OutboundMessages, "record">;
  readonly messages: Pick<Messages, "remove" | "removeParticipantNames">;
  readonly erasures: Pick<Erasures, "erasedAt" | "saveEvents">;
  readonly eventBodies: Pick<EventBodies, "recordRef" | "save" | "get">;
  readonly events: Queue;
  /** How many shards a tenant's feeds have; it may be a minute old. */
  readonly feedShards: (tenant: TenantId, now: Millis) => Promise<number>;
  readonly log: Log;
}

export interface SendPorts extends SettlePorts {
  readonly vault: Pick<Vault, "open">;
  readonly platformFor: (account: Account, scope: Scope) => Pick<Platform, "send">;
}

export interface KeyPorts {
  readonly apiKeys: ApiKeys;
  readonly pepper: () => Promise<Uint8Array>;
}

export interface TenantPorts extends KeyPorts {
  readonly tenants: Tenants;
  readonly accounts: Accounts;
  readonly vault: Vault;
}

export interface ApiPorts extends KeyPorts, ErasePorts, SendPorts, HoldPorts {
  readonly erasures: Erasures;
  readonly audit: Audit;
  readonly counters: Pick<Counters, "window">;
  readonly conversations: Conversations;
  readonly messages: Messages;
  readonly outboundMessages: OutboundMessages;
  readonly accounts: Accounts;
  readonly endpoints: Endpoints;
  readonly deliveries: Deliveries;
  readonly eventBodies: Pick<EventBodies, "getByUlids" | "save" | "recordRef" | "get">;
  readonly due: Pick<DueAttempts, "put" | "putTask">;
  readonly sendRecords: SendRecords;
  readonly idempotencyKeys: IdempotencyKeys;
  readonly events: Queue;
  readonly retries: Queue;
  readonly vault: Vault;
  readonly gate: Gate;
  readonly dnsQuota: DnsQuota;
  readonly platformFor: (account: Account, scope: Scope) => Platform;
  readonly cursorKey: () => Promise<Uint8Array>;
  readonly siteUrl: string | null;
  readonly log: Log;
}
