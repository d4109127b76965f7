import type { DeliveryStatus } from "../../domain/delivery/deliveries.ts";
import { type EndState, endStateOf } from "../../domain/stats/stats.ts";
import { errorClass } from "../../kernel/error-class.ts";
import type { TenantId } from "../../kernel/tenant.ts";
import type { Millis } from "../../kernel/time.ts";
import type { CountingPorts } from "../ports.ts";

interface TenantTally {
  messages: number;
  readonly endpoints: Map<string, Record<EndState, number>>;
}

/** What a batch counted for each tenant, to be added to the counters once, at its end. */
export type Tally = Map<TenantId, TenantTally>;

export function newTally(): Tally {
  return new Map();
}

/** A live message was stored. */
export function countMessage(tally: Tally, tenant: TenantId): void {
  tenantOf(tally, tenant).messages++;
}

/** A delivery reached a status; one that goes on from there is not counted, nor is one of a test key's send. */
export function countDelivery(
  tally: Tally,
  tenant: TenantId,
  { endpointId, test }: { readonly endpointId: string; readonly test?: boolean },
  status: DeliveryStatus,
): void {
  const state = test ? null : endStateOf(status);
  if (state) endpointOf(tenantOf(tally, tenant), endpointId)[state]++;
}

/** Adds what another piece of the batch counted. */
export function mergeTally(tally: Tally, more: Tally): void {
  for (const [tenant, { messages, endpoints }] of more) {
    const mine = tenantOf(tally, tenant);
    mine.messages += messages;
    for (const [endpointId, counts] of endpoints) {
      const all = endpointOf(mine, endpointId);
      all.delivered += counts.delivered;
      all.failed += counts.failed;
      all.dlq += counts.dlq;
    }
  }
}

/**
 * Writes a batch's tally, one update a tenant. Never fails: statistics are not worth doing a batch again for.
 * @param counted is told how many messages a tenant has stored in this hour
 */
export async function keepTally(
  ports: CountingPorts,
  tally: Tally,
  now: Millis,
  counted: (tenant: TenantId, messagesInHour: number) => Promise<void> = async () => {},
): Promise<void> {
  await Promise.all(
    [...tally].map(async ([tenant, counts]) => {
      try {
        const messagesInHour = await ports.counters.add(tenant, counts, now);
        if (messagesInHour !== null) await counted(tenant, messagesInHour);
      } catch (error) {
        ports.log({ event: "counting_failed", error: errorClass(error), messages: counts.messages });
      }
    }),
  );
}

function tenantOf(tally: Tally, tenant: TenantId): TenantTally {
  const known = tally.get(tenant) ?? { messages: 0, endpoints: new Map() };
  tally.set(tenant, known);
  return known;
}

function endpointOf({ endpoints }: TenantTally, endpointId: string): Record<EndState, number> {
  const known = endpoints.get(endpointId) ?? { delivered: 0, failed: 0, dlq: 0 };
  endpoints.set(endpointId, known);
  return known;
}
