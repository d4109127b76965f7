import { openQueue } from "#base/aws/queues.ts";
import { type EventType, eventTypes } from "#base/events/events.ts";
import type { AttemptOutcome } from "#base/kernel/attempt-outcome.ts";
import { isRefusal } from "#base/kernel/refusals.ts";
import { MINUTE } from "#base/kernel/time.ts";
import { type ReplayWindow, replayWindow } from "#features/delivery/flows/replay-window.ts";
import { sweepDue } from "#features/delivery/flows/sweep/due.ts";
import { encodeRetry } from "#features/delivery/queue.ts";
import { replayDelivery } from "#features/delivery/replay.ts";
import { type DeliveryStatus, deliveryId, type Verdict } from "#features/delivery/rules/deliveries.ts";
import type { DeliveryRow } from "#features/delivery/store/items.ts";
import { createWebhook, deleteWebhook, rotateSecret, sendTestEvent, updateWebhook } from "#features/webhooks/flows.ts";
import type { Endpoint, EndpointChanges } from "#features/webhooks/rules/endpoints.ts";
import { deliverWorker } from "../../../functions/deliver/worker.ts";
import { type Receiver, startReceiver } from "../../base/net/receiver.ts";
import { openWebhookClient } from "../../base/net/webhook-client-fixture.ts";
import { queryItems } from "../stores/items.ts";
import { newTenant } from "../stores/samples.ts";
import { invokeWorker } from "./queue-worker.ts";
import { recordMessage } from "./test-endpoints.ts";
import type { TestEnv } from "./test-env.ts";

const serviceUnavailable: AttemptOutcome = { kind: "answered", status: 503, retryAfter: null, durationMs: 7 };
const success: AttemptOutcome = { kind: "answered", status: 200, retryAfter: null, durationMs: 7 };

type EndpointRef = Pick<Endpoint, "id">;

/** One tenant with its own queues, receiver and endpoints, as its administrator and the workers see them. */
export type EndpointFixture = Awaited<ReturnType<typeof openEndpointFixture>>;

export async function openEndpointFixture(testEnv: TestEnv) {
  const tenant = newTenant();
  const queues = await testEnv.newQueues();
  const ports = testEnv.apiPorts(queues);
  const actor = { caller: { kind: "tenant_key", keyId: "key1", tenant, scope: "live" }, ip: "192.0.2.1" } as const;
  const statusByPath = new Map<string, number>();
  let statusByEvent: (eventUlid: string) => number | null = () => null;
  const receiver: Receiver = await startReceiver((response, { url = "", headers }) => {
    const eventUlid = String(headers["svc-event-id"]).slice("evt_".length);
    response.writeHead(statusByEvent(eventUlid) ?? statusByPath.get(url) ?? 200).end();
  });
  const webhookClient = openWebhookClient();
  const deliverPorts = testEnv.deliverPorts(queues, webhookClient);
  const worker = deliverWorker(deliverPorts, testEnv.now);
  let events = 0;

  async function createEndpoint(options: { path?: string; events?: readonly EventType[] } = {}) {
    const url = `http://127.0.0.1:${receiver.port}${options.path ?? "/in"}`;
    const events = options.events ?? eventTypes;
    const created = await createWebhook(ports, { tenant, url, events, author: actor, now: testEnv.now() });
    if (isRefusal(created)) throw new Error(created.refused);
    return created;
  }

  async function auditItems(action?: string): Promise<Record<string, unknown>[]> {
    const Items = await queryItems(testEnv.table, `A#${tenant}`);
    return Items.filter(({ ac }) => action === undefined || ac === action);
  }

  /** A request of the administrator about an endpoint. */
  const request = ({ id: endpointId }: EndpointRef) => ({ tenant, endpointId, author: actor, now: testEnv.now() });

  return {
    tenant,
    queues,
    ports,
    by: actor,
    update: (endpoint: EndpointRef, changes: EndpointChanges) =>
      updateWebhook(ports, { ...request(endpoint), changes }),
    remove: (endpoint: EndpointRef) => deleteWebhook(ports, request(endpoint)),
    rotate: (endpoint: EndpointRef) => rotateSecret(ports, request(endpoint)),
    sendTest: (endpoint: EndpointRef) => sendTestEvent(ports, request(endpoint)),
    replay: ({ endpointId, eventUlid }: Pick<DeliveryRow, "endpointId" | "eventUlid">, force = false) =>
      replayDelivery(
        ports,
        tenant,
        { endpointId, deliveryId: deliveryId(eventUlid, endpointId), force, author: actor },
        testEnv.now(),
      ),
    /** Replays the dead letters of a window, by default of all time until now. */
    replayWindow(endpoint: EndpointRef, rest: Partial<ReplayWindow> = {}) {
      const window = { from: 0, to: testEnv.now(), statuses: ["dlq"], force: false, after: null, limit: 50 } as const;
      return replayWindow(ports, { ...request(endpoint), window: { ...window, ...rest } });
    },
    stored: ({ id }: EndpointRef) => ports.endpoints.get(tenant, id),
    /** Records a message and queues its event. */
    async publish(name?: string) {
      const { message, ref, body } = await recordMessage(testEnv, tenant, name ?? `m${++events}`);
      await openQueue(queues.events, testEnv.eventSource).send({ body });
      return { eventUlid: message.eventUlid, ref, body };
    },
    /** Queues the message of an attempt. */
    queueAttempt: (row: Pick<DeliveryRow, "endpointId" | "eventUlid">, attempt: number, rest: { manual?: true } = {}) =>
      openQueue(queues.deliveries, testEnv.eventSource).send({
        body: encodeRetry({ tenant, ...row, attempt, ...rest }),
      }),
    receiver,
    worker,
    /** The ports of the worker. */
    deliverPorts,
    endpointWith: createEndpoint,
    audits: auditItems,
    /** Sets the receiver's response for a path. The default is 200. */
    respondWith(status: number, path = "/in"): void {
      statusByPath.set(path, status);
    },
    /** Sets the response for each event at any path; null falls back to the path's response. */
    respondByEvent(next: (eventUlid: string) => number | null): void {
      statusByEvent = next;
    },
    /** Creates a delivery of a new message and brings it to a status as an attempt would. */
    async createDelivery(endpoint: Endpoint, targetStatus: DeliveryStatus): Promise<DeliveryRow> {
      const { message, ref } = await recordMessage(testEnv, tenant, `m${++events}`);
      const deliveryTarget = {
        endpointId: endpoint.id,
        eventUlid: message.eventUlid,
        eventType: "message.received" as const,
      };
      const { deliveries } = ports;
      const verdict: Verdict =
        targetStatus === "pending" || targetStatus === "attempting" || targetStatus === "retrying"
          ? { status: "retrying", nextRetryAt: testEnv.now() }
          : { status: targetStatus };
      const outcome = targetStatus === "delivered" ? success : targetStatus === "blocked" ? null : serviceUnavailable;
      await deliveries.recordFirst(
        tenant,
        { ...deliveryTarget, source: ref },
        { verdict, outcome, settledAt: testEnv.now() },
      );
      if (targetStatus === "attempting")
        await deliveries.claimDelivery(
          tenant,
          { endpointId: endpoint.id, eventUlid: message.eventUlid, attempt: 2 },
          testEnv.now(),
        );
      const row = await deliveries.get(tenant, endpoint.id, message.eventUlid);
      if (!row) throw new Error("The delivery has no row.");
      return row;
    },
    row: (endpoint: EndpointRef, eventUlid: string) => ports.deliveries.get(tenant, endpoint.id, eventUlid),
    /** Every row of an endpoint, newest event first. */
    async rows(endpoint: EndpointRef): Promise<DeliveryRow[]> {
      const query = { endpointId: endpoint.id, before: null, limit: 100, now: testEnv.now() };
      return (await ports.deliveries.list(tenant, query)).rows;
    },
    /** Runs the worker on its queues until no message is visible. */
    async drainQueues(): Promise<void> {
      const workerQueues = [queues.events, queues.deliveries, queues.slowDeliveries];
      for (const queue of [...workerQueues, ...workerQueues]) {
        while ((await invokeWorker(testEnv.eventSource, queue, worker)).records.length > 0);
      }
    },
    /** Advances the clock until a sweep sends what its safety net holds. */
    async sweepSafetyNet(): Promise<void> {
      await sweepDue(testEnv.sweepPorts(queues), testEnv.now());
      testEnv.advance(6 * MINUTE);
      await sweepDue(testEnv.sweepPorts(queues), testEnv.now());
    },
  };
}
