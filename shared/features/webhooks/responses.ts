import * as z from "zod/mini";
import { eventTypes } from "#base/events/events.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { iso, isoOrNull, type Millis } from "#base/kernel/time.ts";
import { attemptErrors } from "#features/delivery/rules/deliveries.ts";
import type { Counters, TimeCounts } from "#features/stats/store.ts";
import { once } from "#http/lazy-schemas.ts";
import { circuitState, circuitStates, type Endpoint, endpointHealth, endpointHealthStates } from "./rules/endpoints.ts";

/** What an endpoint shows of the deliveries of a day. */
export interface WebhookCountPorts {
  readonly counters: Pick<Counters, "window">;
}

type EndpointCounts = Pick<TimeCounts, "forEndpoint">;

export const NO_COUNTS: EndpointCounts = { forEndpoint: () => ({ delivered: 0, failed: 0, dlq: 0 }) };

/** The counts of the current hour and the 24 before it, of all endpoints of a tenant, in one query. */
export function readCounts({ counters }: WebhookCountPorts, tenant: TenantId, now: Millis): Promise<EndpointCounts> {
  return counters.window(tenant, now);
}

const healthSchema = once(() =>
  z.object({
    state: z.enum(endpointHealthStates),
    since: z.nullable(z.iso.datetime()),
    failing_since: z.nullable(z.iso.datetime()),
    next_try_at: z.nullable(z.iso.datetime()),
    last_error: z.nullable(z.enum(attemptErrors)),
    delivered_24h: z.int(),
    failed_24h: z.int(),
  }),
);

export const webhookSchema = once(() =>
  z
    .object({
      id: z.string(),
      url: z.string(),
      events: z.array(z.enum(eventTypes)),
      status: z.enum(["active", "paused", "deleted"]),
      paused_by: z.nullable(z.string()),
      failing_since: z.nullable(z.iso.datetime()),
      circuit: z.object({
        state: z.enum(circuitStates),
        opened_at: z.nullable(z.iso.datetime()),
        next_probe_at: z.nullable(z.iso.datetime()),
      }),
      health: healthSchema(),
      signing_secret_prefix: z.string(),
      secondary_active: z.boolean(),
      secondary_expires_at: z.nullable(z.iso.datetime()),
      created_at: z.iso.datetime(),
      updated_at: z.iso.datetime(),
    })
    .register(z.globalRegistry, { id: "Endpoint" }),
);

/** @param counts of all endpoints of the tenant */
export function toWebhookResponse(
  webhook: Endpoint,
  counts: EndpointCounts,
  now: Millis,
): z.infer<ReturnType<typeof webhookSchema>> {
  const secondaryExpiresAt =
    webhook.secondary && webhook.secondary.expiresAt > now ? webhook.secondary.expiresAt : null;
  return {
    id: webhook.id,
    url: webhook.url,
    events: [...webhook.events],
    status: webhook.status,
    paused_by: webhook.pausedBy,
    failing_since: isoOrNull(webhook.breaker.failingSince),
    circuit: {
      state: circuitState(webhook.breaker, now),
      opened_at: isoOrNull(webhook.breaker.openedAt),
      next_probe_at: isoOrNull(webhook.breaker.openUntil),
    },
    health: toHealthResponse(webhook, counts, now),
    signing_secret_prefix: webhook.secretPrefix,
    secondary_active: secondaryExpiresAt !== null,
    secondary_expires_at: isoOrNull(secondaryExpiresAt),
    created_at: iso(webhook.createdAt),
    updated_at: iso(webhook.updatedAt),
  };
}

function toHealthResponse(
  webhook: Endpoint,
  counts: EndpointCounts,
  now: Millis,
): z.infer<ReturnType<typeof healthSchema>> {
  const { state, since, nextTryAt } = endpointHealth(webhook, now);
  const { delivered, failed, dlq } = counts.forEndpoint(webhook.id);
  return {
    state,
    since: isoOrNull(since),
    failing_since: isoOrNull(webhook.breaker.failingSince),
    next_try_at: isoOrNull(nextTryAt),
    last_error: webhook.breaker.lastError,
    delivered_24h: delivered,
    failed_24h: failed + dlq,
  };
}
