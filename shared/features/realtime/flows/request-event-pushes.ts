import type { Queue } from "#base/aws/queues.ts";
import { allDone } from "#base/kernel/parallel.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import type { Millis } from "#base/kernel/time.ts";
import type { EventMessage } from "#features/delivery/event-queue.ts";
import type { EndpointsWithSockets } from "#features/webhooks/store/endpoints.ts";
import { EVENTS_MAX, encodeRealtime } from "../queue.ts";
import { hasSockets } from "../rules/sockets.ts";

export type { EndpointsWithSockets };

/** The events of one tenant in a batch, and what the batch read of the tenant. */
interface TenantEvents {
  readonly tenant: TenantId;
  /** Those to push. */
  readonly events: Promise<readonly EventMessage[]>;
  readonly loaded: Promise<EndpointsWithSockets>;
}

/**
 * Requests that the events of a batch are pushed to the sockets of their tenants, also without endpoints. A tenant
 * without sockets costs nothing. The message is about keys only, so one is enough for the events of a tenant.
 * @returns by tenant, when its events are queued. A tenant whose endpoints cannot be read is queued with the repetition
 */
export function requestEventPushes(
  ports: { readonly realtime: Pick<Queue, "sendAll"> },
  tenants: readonly TenantEvents[],
  now: Millis,
): ReadonlyMap<TenantId, Promise<void>> {
  const isOpen = (loaded: EndpointsWithSockets | null) => loaded !== null && hasSockets(loaded, now);
  const loads = tenants.map(async ({ tenant, events, loaded }) => {
    return isOpen(await loaded.catch(() => null)) ? toMessages(tenant, await events) : [];
  });
  const sent = allDone(loads).then(async (messages) => {
    if (messages.flat().length > 0) await ports.realtime.sendAll(messages.flat());
  });
  return new Map(
    tenants.map(({ tenant, loaded }): [TenantId, Promise<void>] => {
      // A failure of the queue is one of the tenants with sockets alone.
      const request = loaded.then((endpoints) => (isOpen(endpoints) ? sent : undefined));
      request.catch(() => {});
      return [tenant, request];
    }),
  );
}

function toMessages(tenant: TenantId, events: readonly EventMessage[]) {
  // The change that this event is of requests a push of the conversation itself, with or without endpoints.
  const streamed = events.filter(({ type }) => type !== "conversation.updated");
  const distinct = [...new Map(streamed.map((event) => [event.eventUlid, event])).values()];
  return Array.from({ length: Math.ceil(distinct.length / EVENTS_MAX) }, (_, page) => {
    const pushed = distinct
      .slice(page * EVENTS_MAX, (page + 1) * EVENTS_MAX)
      .map(({ eventUlid, type, source, test }) => ({ eventUlid, type, source, ...(test ? { test } : {}) }));
    return { body: encodeRealtime({ tenant, kind: "events", events: pushed }), group: tenant };
  });
}
