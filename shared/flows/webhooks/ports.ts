import type { Queue } from "../../aws/queues.ts";
import type { Vault } from "../../aws/vault.ts";
import type { TenantId } from "../../kernel/tenant.ts";
import type { Millis } from "../../kernel/time.ts";
import type { Gate } from "../../net/egress-gate.ts";
import type { Deliveries } from "../../stores/delivery/deliveries.ts";
import type { DueAttempts } from "../../stores/delivery/due-attempts.ts";
import type { EventBodies } from "../../stores/delivery/event-bodies.ts";
import type { DnsQuota } from "../../stores/webhooks/dns-quota.ts";
import type { Endpoints } from "../../stores/webhooks/endpoints.ts";
import type { Actor } from "../access/audit-entry.ts";
import type { PushRequestPorts } from "../realtime/ports.ts";

/** Ports of endpoint management. */
export interface WebhookPorts extends PushRequestPorts {
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
  readonly actor: Actor;
  readonly now: Millis;
}

/** A tenant's request that names one endpoint. */
export interface EndpointRequest extends WebhookRequest {
  readonly endpointId: string;
}
