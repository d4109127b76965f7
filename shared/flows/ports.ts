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
import type { Conversations } from "../table/conversations.ts";
import type { Deliveries } from "../table/deliveries.ts";
import type { DueAttempts } from "../table/due.ts";
import type { Endpoints } from "../table/endpoints.ts";
import type { Erasures } from "../table/erasures.ts";
import type { EventBodies } from "../table/events.ts";
import type { Messages } from "../table/messages.ts";
import type { OutboundMessages } from "../table/outbound-messages.ts";
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

export interface IngestPorts {
  readonly parseUpdates: (raw: Uint8Array) => Update[];
  readonly files: Files;
  readonly accounts: Pick<Accounts, "routeOf">;
  readonly tenantStates: Pick<TenantStates, "get">;
  readonly erasures: Pick<Erasures, "erasedAt">;
  readonly messages: Messages;
  readonly outboundMessages: OutboundMessages;
  readonly conversations: Conversations;
  readonly events: Queue;
  readonly log: Log;
}

export interface DeliverPorts {
  readonly endpoints: Pick<Endpoints, "list" | "get">;
  readonly messages: Pick<Messages, "byRefs">;
  readonly eventBodies: Pick<EventBodies, "byUlids">;
  readonly deliveries: Deliveries;
  readonly due: DueAttempts;
  readonly retries: Queue;
  readonly vault: Pick<Vault, "open">;
  readonly poster: Poster;
  /** A draw from [0, 1). */
  readonly dice: () => number;
  readonly log: Log;
}

export interface SweepPorts {
  readonly due: DueAttempts;
  readonly retries: Queue;
  readonly log: Log;
}

export interface DeadLetterPorts {
  readonly quarantine: Quarantine;
  readonly deliveries: Pick<Deliveries, "giveUp">;
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

export interface ApiPorts extends KeyPorts {
  readonly conversations: Conversations;
  readonly messages: Messages;
  readonly outboundMessages: OutboundMessages;
  readonly accounts: Accounts;
  readonly endpoints: Endpoints;
  readonly deliveries: Deliveries;
  readonly sendRecords: SendRecords;
  readonly events: Queue;
  readonly vault: Vault;
  readonly gate: Gate;
  readonly platformOf: (account: Account, scope: "live" | "test") => Platform;
  readonly cursorKey: () => Promise<Uint8Array>;
  readonly siteUrl: string | null;
  readonly log: Log;
}
