// What the flows need from the rooms above the rules: types only. functions/wiring.ts supplies the real ones.

import type { Files } from "../aws/files.ts";
import type { Log } from "../aws/log.ts";
import type { Queue } from "../aws/queues.ts";
import type { PlatformSecrets } from "../aws/secrets.ts";
import type { Vault } from "../aws/vault.ts";
import type { Account } from "../domain/accounts.ts";
import type { Update } from "../domain/updates.ts";
import type { Gate } from "../net/egress-gate.ts";
import type { Poster } from "../net/poster.ts";
import type { Platform } from "../platforms/platform.ts";
import type { Accounts } from "../table/accounts.ts";
import type { ApiKeys } from "../table/api-keys.ts";
import type { Audit } from "../table/audit.ts";
import type { Conversations } from "../table/conversations.ts";
import type { Counters } from "../table/counters.ts";
import type { Deliveries } from "../table/deliveries.ts";
import type { DueAttempts } from "../table/due.ts";
import type { EarlyChanges } from "../table/early-changes.ts";
import type { Endpoints } from "../table/endpoints.ts";
import type { Erasures } from "../table/erasures.ts";
import type { Traces } from "../table/erasures-traces.ts";
import type { EventBodies } from "../table/events.ts";
import type { MessageChanges } from "../table/message-changes.ts";
import type { Messages } from "../table/messages.ts";
import type { OutboundMessages } from "../table/outbound-messages.ts";
import type { Profiles } from "../table/profiles.ts";
import type { Quarantine } from "../table/quarantine.ts";
import type { SendRecords } from "../table/send-records.ts";
import type { TenantStates } from "../table/tenant-states.ts";
import type { Tenants } from "../table/tenants.ts";

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
  readonly accounts: Pick<Accounts, "routeOf" | "setPolicy">;
  readonly tenantStates: Pick<TenantStates, "get" | "growShards">;
  readonly erasures: Pick<Erasures, "erasedAt" | "keepEvents">;
  readonly messages: Messages;
  readonly outboundMessages: OutboundMessages;
  readonly sendRecords: Pick<SendRecords, "get" | "begunBetween" | "claim">;
  readonly conversations: Conversations;
  readonly messageChanges: MessageChanges;
  readonly earlyChanges: EarlyChanges;
  readonly eventBodies: Pick<EventBodies, "note" | "keep" | "get" | "forget">;
  readonly events: Queue;
  readonly profiles: Queue;
}

export interface ProfilePorts {
  readonly conversations: Pick<Conversations, "get">;
  readonly accounts: Pick<Accounts, "get">;
  readonly vault: Pick<Vault, "open">;
  readonly platformOf: (account: Account) => Pick<Platform, "fetchProfile">;
  readonly profiles: Profiles;
  readonly log: Log;
}

export interface DeliverPorts extends CountingPorts {
  readonly endpoints: Pick<Endpoints, "list" | "get" | "pauseAt">;
  readonly messages: Pick<Messages, "byRefs">;
  readonly eventBodies: Pick<EventBodies, "byUlids" | "keep">;
  readonly deliveries: Deliveries;
  readonly due: DueAttempts;
  readonly retries: Queue;
  readonly events: Queue;
  readonly vault: Pick<Vault, "open">;
  readonly poster: Poster;
  /** A draw from [0, 1). */
  readonly dice: () => number;
}

export interface SweepPorts {
  readonly due: DueAttempts;
  readonly retries: Queue;
  readonly log: Log;
}

export interface DeadLetterPorts extends CountingPorts {
  readonly quarantine: Quarantine;
  readonly deliveries: Pick<Deliveries, "giveUp">;
}

export interface ErasePorts {
  readonly erasures: Erasures;
  readonly traces: Traces;
  readonly tenantStates: Pick<TenantStates, "noteErasure">;
  readonly endpoints: Pick<Endpoints, "list">;
  /** To itself: what is left of an erasure. */
  readonly erasureWork: Queue;
  readonly log: Log;
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

export interface ApiPorts extends KeyPorts, ErasePorts {
  readonly audit: Audit;
  readonly counters: Pick<Counters, "window">;
  readonly conversations: Conversations;
  readonly messages: Messages;
  readonly outboundMessages: OutboundMessages;
  readonly accounts: Accounts;
  readonly endpoints: Endpoints;
  readonly deliveries: Deliveries;
  readonly eventBodies: Pick<EventBodies, "byUlids" | "keep">;
  readonly due: Pick<DueAttempts, "put">;
  readonly sendRecords: SendRecords;
  readonly events: Queue;
  readonly retries: Queue;
  readonly vault: Vault;
  readonly gate: Gate;
  readonly platformOf: (account: Account, scope: "live" | "test") => Platform;
  readonly cursorKey: () => Promise<Uint8Array>;
  readonly siteUrl: string | null;
  readonly log: Log;
}
