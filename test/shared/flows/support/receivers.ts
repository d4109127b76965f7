import type { EventType } from "../../../../shared/domain/events/events.ts";
import type { Endpoint } from "../../../../shared/domain/webhooks/endpoints.ts";
import { announcementOf } from "../../../../shared/flows/inbox/message-event.ts";
import { createWebhook } from "../../../../shared/flows/webhooks/create.ts";
import { isRefusal } from "../../../../shared/kernel/refusals.ts";
import type { TenantId } from "../../../../shared/kernel/tenant.ts";
import { messageStore, type Recorded } from "../../../../shared/stores/inbox/messages.ts";
import { type Receiver, startReceiver } from "../../net/receiver.ts";
import { messageOf } from "../../stores/support/samples.ts";
import type { House, Lane } from "./house.ts";

/** A receiver that answers each path with a status: `/200`, `/503`, … It ends with the test. */
export function statusReceiver(): Promise<Receiver> {
  return startReceiver((response, { url }) => {
    response.writeHead(Number(url?.slice(1)) || 500).end();
  });
}

/** An endpoint of a tenant for what comes in, unless told otherwise, at a URL on loopback. */
export async function endpointAt(
  house: House,
  lane: Lane,
  tenant: TenantId,
  url: string,
  events: readonly EventType[] = ["message.received"],
): Promise<Endpoint> {
  const caller = { kind: "tenant_key", keyId: "k", tenant, scope: "live" } as const;
  const created = await createWebhook(house.apiPorts(lane), tenant, { url, events, caller, ip: null }, house.now());
  if (isRefusal(created)) throw new Error(`The endpoint was refused: ${created.detail}`);
  return created.endpoint;
}

/** A message that is kept and whose announcement waits on the events queue. */
export async function announce(house: House, tenant: TenantId, id = "m1"): Promise<Recorded & { body: string }> {
  const message = messageOf(tenant, { id, sentAt: house.now(), text: `text of ${id}` });
  const kept = await messageStore(house.table).record(tenant, message, house.now());
  return { ...kept, body: announcementOf(tenant, kept).body };
}
