import { QueryCommand } from "@aws-sdk/lib-dynamodb";
import { deliverWorker } from "../../../../functions/deliver/worker.ts";
import type { AttemptOutcome, DeliveryStatus, Verdict } from "../../../../shared/domain/delivery/deliveries.ts";
import { type EventType, eventTypes } from "../../../../shared/domain/events/events.ts";
import type { Endpoint } from "../../../../shared/domain/webhooks/endpoints.ts";
import { sweepDue } from "../../../../shared/flows/delivery/sweep.ts";
import { createWebhook } from "../../../../shared/flows/webhooks/create.ts";
import { isRefusal } from "../../../../shared/kernel/refusals.ts";
import { MINUTE } from "../../../../shared/kernel/time.ts";
import type { DeliveryRow } from "../../../../shared/stores/delivery/delivery-items.ts";
import { openPoster } from "../../net/posting.ts";
import { type Receiver, startReceiver } from "../../net/receiver.ts";
import { newTenant } from "../../stores/support/samples.ts";
import type { House } from "./house.ts";
import { handOut } from "./queue-work.ts";
import { announce } from "./receivers.ts";

const busy: AttemptOutcome = { kind: "answered", status: 503, retryAfter: null, durationMs: 7 };
const fine: AttemptOutcome = { kind: "answered", status: 200, retryAfter: null, durationMs: 7 };

/** One tenant with queues, a receiver and its endpoints of its own, as its administrator and the workers see them. */
export type Desk = Awaited<ReturnType<typeof openDesk>>;

export async function openDesk(house: House) {
  const tenant = newTenant();
  const lane = await house.newLane();
  const ports = house.apiPorts(lane);
  const by = { caller: { kind: "tenant_key", keyId: "key1", tenant, scope: "live" }, ip: "192.0.2.1" } as const;
  const statuses = new Map<string, number>();
  let judge: (eventUlid: string) => number | null = () => null;
  const receiver: Receiver = await startReceiver((response, { url = "", headers }) => {
    const eventUlid = String(headers["svc-event-id"]).slice("evt_".length);
    response.writeHead(judge(eventUlid) ?? statuses.get(url) ?? 200).end();
  });
  const poster = openPoster();
  const deliverPorts = house.deliverPorts(lane, poster);
  const worker = deliverWorker(deliverPorts, house.now, (record, after) =>
    deliverPorts.retries.postpone(record.receiptHandle, after),
  );
  let events = 0;

  async function endpointWith(rest: { path?: string; events?: readonly EventType[] } = {}) {
    const url = `http://127.0.0.1:${receiver.port}${rest.path ?? "/in"}`;
    const made = await createWebhook(ports, tenant, { url, events: rest.events ?? eventTypes, ...by }, house.now());
    if (isRefusal(made)) throw new Error(made.refused);
    return made;
  }

  async function audits(action?: string): Promise<Record<string, unknown>[]> {
    const { Items = [] } = await house.table.client.send(
      new QueryCommand({
        TableName: house.table.name,
        KeyConditionExpression: "PK = :a",
        ExpressionAttributeValues: { ":a": `A#${tenant}` },
      }),
    );
    return Items.filter(({ ac }) => action === undefined || ac === action);
  }

  return {
    tenant,
    lane,
    ports,
    by,
    receiver,
    worker,
    /** What the worker works with. */
    deliverPorts,
    endpointWith,
    audits,
    /** What the receiver answers at a path from now on; 200 until it is told. */
    answer(status: number, path = "/in"): void {
      statuses.set(path, status);
    },
    /** What it answers to each event from now on, at any path; what `answer` said where that is null. */
    answerBy(next: (eventUlid: string) => number | null): void {
      judge = next;
    },
    /** A delivery of a message of its own, brought to a status as an attempt would. */
    async delivery(endpoint: Endpoint, to: DeliveryStatus): Promise<DeliveryRow> {
      const { message, ref } = await announce(house, tenant, `m${++events}`);
      const of = { endpointId: endpoint.id, eventUlid: message.eventUlid, eventType: "message.received" as const };
      const { deliveries } = ports;
      const first: Verdict =
        to === "pending" || to === "attempting" || to === "retrying"
          ? { status: "retrying", nextRetryAt: house.now() }
          : { status: to };
      const outcome = to === "delivered" ? fine : to === "blocked" ? null : busy;
      await deliveries.recordFirst(tenant, { ...of, source: ref }, first, outcome, house.now());
      if (to === "attempting") await deliveries.claim(tenant, endpoint.id, message.eventUlid, 2, house.now());
      const row = await deliveries.get(tenant, endpoint.id, message.eventUlid);
      if (!row) throw new Error("The row is not there.");
      return row;
    },
    row: (endpoint: Pick<Endpoint, "id">, eventUlid: string) => ports.deliveries.get(tenant, endpoint.id, eventUlid),
    /** Every row of an endpoint, newest event first. */
    async rows(endpoint: Pick<Endpoint, "id">): Promise<DeliveryRow[]> {
      const query = { endpointId: endpoint.id, before: null, limit: 100, now: house.now() };
      return (await ports.deliveries.list(tenant, query)).rows;
    },
    /** Hands out what both queues of the worker have now, until they have no more. */
    async work(): Promise<void> {
      for (const queue of [lane.events, lane.deliveries, lane.events, lane.deliveries]) {
        while ((await handOut(house.eventSource, queue, worker)).records.length > 0);
      }
    },
    /** Lets the time pass in which a sweep hands on what stood by. */
    async sweepLater(): Promise<void> {
      await sweepDue(house.sweepPorts(lane), house.now());
      house.turn(6 * MINUTE);
      await sweepDue(house.sweepPorts(lane), house.now());
    },
  };
}
