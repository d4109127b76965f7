import type { EventType } from "#base/events/events.ts";
import { isRefusal } from "#base/kernel/refusals.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { messageEvent } from "#features/delivery/event-queue.ts";
import { messageStore, type RecordedMessage } from "#features/inbox/store/messages.ts";
import { createWebhook } from "#features/webhooks/flows.ts";
import type { Endpoint } from "#features/webhooks/rules/endpoints.ts";
import { type Receiver, startReceiver } from "../../base/net/receiver.ts";
import { sampleMessage } from "../stores/samples.ts";
import type { TestEnv, TestQueues } from "./test-env.ts";

/** Starts a receiver that responds to each path with that status: `/200`, `/503`, … It ends with the test. */
export function startStatusReceiver(): Promise<Receiver> {
  return startReceiver((response, { url }) => {
    response.writeHead(Number(url?.slice(1)) || 500).end();
  });
}

/** Creates an endpoint of a tenant at a loopback URL, by default for inbound messages. */
export async function createEndpointAt(
  testEnv: TestEnv,
  queues: TestQueues,
  tenant: TenantId,
  url: string,
  events: readonly EventType[] = ["message.received"],
): Promise<Endpoint> {
  const caller = { kind: "tenant_key", keyId: "k", tenant, scope: "live" } as const;
  const actor = { caller, ip: null };
  const created = await createWebhook(testEnv.apiPorts(queues), {
    tenant,
    url,
    events,
    author: actor,
    now: testEnv.now(),
  });
  if (isRefusal(created)) throw new Error(`The endpoint was refused: ${created.detail}`);
  return created.endpoint;
}

/** Records a message. @returns the body of its event for the events queue, too */
export async function recordMessage(
  testEnv: TestEnv,
  tenant: TenantId,
  id = "m1",
): Promise<RecordedMessage & { body: string }> {
  const message = sampleMessage(tenant, { id, sentAt: testEnv.now(), text: `text of ${id}` });
  const recorded = await messageStore(testEnv.table).record(tenant, message, testEnv.now());
  return { ...recorded, body: messageEvent(tenant, recorded).body };
}
