import type { Log } from "#base/aws/log.ts";
import type { Queue } from "#base/aws/queues.ts";
import type { Vault } from "#base/aws/vault.ts";
import type { WebhookClient } from "#base/net/webhook-client.ts";
import type { NoticePorts } from "#features/access/mails.ts";
import type { Audit } from "#features/access/store/audit.ts";
import type { Messages } from "#features/inbox/store/messages.ts";
import type { NameWaits } from "#features/inbox/store/name-waits.ts";
import type { CountingPorts } from "#features/stats/ports.ts";
import type { Counters } from "#features/stats/store.ts";
import type { TenantStates } from "#features/tenants/store/tenant-states.ts";
import type { Endpoints } from "#features/webhooks/store/endpoints.ts";
import type { ConcurrencySlots } from "./store/concurrency-slots.ts";
import type { Deliveries } from "./store/deliveries.ts";
import type { DueAttempts } from "./store/due-attempts.ts";
import type { EventBodies } from "./store/event-bodies.ts";
import type { WaitingDeliveries } from "./store/waiting-deliveries.ts";

export interface DeliverPorts extends CountingPorts, NoticePorts {
  readonly counters: Pick<Counters, "add" | "claimCount">;
  readonly tenantStates: Pick<TenantStates, "get" | "growShards">;
  readonly endpoints: Pick<Endpoints, "listWithSockets" | "get" | "pause" | "saveBreaker">;
  readonly messages: Pick<Messages, "getByRefs">;
  readonly nameWaits: Pick<NameWaits, "end">;
  readonly eventBodies: Pick<EventBodies, "getByUlids" | "save">;
  readonly deliveries: Deliveries;
  readonly due: DueAttempts;
  readonly retries: Queue;
  /** Attempts of slow endpoints, with capacity of their own. */
  readonly slowRetries: Queue;
  readonly events: Queue;
  /** The queue of the push worker. */
  readonly realtime: Pick<Queue, "sendAll">;
  readonly vault: Pick<Vault, "open">;
  readonly webhookClient: WebhookClient;
  readonly concurrencySlots: ConcurrencySlots;
  /** A random number in [0, 1). */
  readonly random: () => number;
}

export interface SweepPorts {
  readonly due: DueAttempts;
  readonly retries: Queue;
  readonly erasureWork: Pick<Queue, "sendAll">;
  readonly accountWork: Pick<Queue, "sendAll">;
  readonly log: Log;
}

/** Finds deliveries that nothing will attempt. */
export interface OverduePorts {
  readonly waitingDeliveries: WaitingDeliveries;
  readonly endpoints: Pick<Endpoints, "get">;
  readonly retries: Queue;
  readonly log: Log;
}

/** Reads and replays deliveries. */
export interface ReplayPorts {
  readonly endpoints: Pick<Endpoints, "get">;
  readonly deliveries: Deliveries;
  readonly messages: Pick<Messages, "getByRefs">;
  readonly eventBodies: Pick<EventBodies, "getByUlids">;
  readonly due: Pick<DueAttempts, "put">;
  readonly retries: Queue;
  readonly audit: Pick<Audit, "start">;
}
