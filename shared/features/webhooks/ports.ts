import type { Queue } from "#base/aws/queues.ts";
import type { Vault } from "#base/aws/vault.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import type { Millis } from "#base/kernel/time.ts";
import type { Gate } from "#base/net/egress-gate.ts";
import type { Author } from "#features/access/rules/callers.ts";
import type { Deliveries } from "#features/delivery/store/deliveries.ts";
import type { DueAttempts } from "#features/delivery/store/due-attempts.ts";
import type { EventBodies } from "#features/delivery/store/event-bodies.ts";
import type { PushRequestPorts } from "#features/realtime/ports.ts";
import type { JournalPorts } from "#features/recovery/journal.ts";
import type { DnsQuota } from "./store/dns-quota.ts";
import type { Endpoints } from "./store/endpoints.ts";

/** Ports of endpoint management. */
export interface WebhookPorts extends PushRequestPorts, JournalPorts {
  readonly endpoints: Endpoints;
  readonly vault: Pick<Vault, "seal">;
  readonly gate: Gate;
  readonly dnsQuota: DnsQuota;
  readonly eventBodies: Pick<EventBodies, "save">;
  readonly deliveries: Pick<Deliveries, "recordPending">;
  readonly due: Pick<DueAttempts, "put">;
  readonly retries: Queue;
}

/** A tenant's request to manage its endpoints. */
export interface WebhookRequest {
  readonly tenant: TenantId;
  readonly author: Author;
  readonly now: Millis;
}

/** A tenant's request that names one endpoint. */
export interface EndpointRequest extends WebhookRequest {
  readonly endpointId: string;
}
