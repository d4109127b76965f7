import { UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { deliverWorker } from "../../../functions/deliver/worker.ts";
import { openQueue } from "../../../shared/aws/queues.ts";
import { newUlid } from "../../../shared/kernel/ids.ts";
import type { Poster } from "../../../shared/net/webhook-client.ts";
import { writeEvent, writeRetry } from "../../../shared/queues/messages.ts";
import { deliveryStore } from "../../../shared/stores/delivery/deliveries.ts";
import { type House, type Lane, openHouse } from "../../shared/flows/support/house.ts";
import { depth, handOut } from "../../shared/flows/support/queue-work.ts";
import { announce, endpointAt, statusReceiver } from "../../shared/flows/support/receivers.ts";
import { openPoster } from "../../shared/net/posting.ts";
import { startReceiver } from "../../shared/net/receiver.ts";
import { conversationOf, newTenant } from "../../shared/stores/support/samples.ts";
import { meterOf } from "../../support/meter.ts";

let house: House;
let lane: Lane;
let poster: Poster;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());
beforeEach(async () => {
  lane = await house.newLane();
  poster = openPoster();
  house.lines.length = 0;
});

const worker = () => {
  const ports = house.deliverPorts(lane, poster);
  return deliverWorker(ports, house.now, (record, after) => ports.retries.postpone(record.receiptHandle, after));
};
const work = (remaining?: number) => handOut(house.eventSource, lane.events, worker(), remaining);
const queueAll = (bodies: readonly string[]) =>
  openQueue(lane.events, house.eventSource).sendAll(bodies.map((body) => ({ body })));

describe("a batch of events", () => {
  it("with one whose endpoint's secret does not open has that one reported and its batch-mates done", async () => {
    const receiver = await statusReceiver();
    const [well, broken] = [newTenant(), newTenant()];
    const url = `http://127.0.0.1:${receiver.port}/200`;
    await endpointAt(house, lane, well, url);
    const endpoint = await endpointAt(house, lane, broken, url);
    await house.table.client.send(
      new UpdateCommand({
        TableName: house.table.name,
        Key: { PK: `T#${broken}`, SK: `WH#${endpoint.id}` },
        UpdateExpression: "SET s1 = :s",
        ExpressionAttributeValues: { ":s": new Uint8Array(64) },
      }),
    );
    const bad = await announce(house, broken);
    await queueAll([(await announce(house, well, "w1")).body, bad.body, (await announce(house, well, "w2")).body]);
    const { records, failed } = await work();
    expect(records.filter(({ messageId }) => failed.includes(messageId)).map(({ body }) => body)).toEqual([bad.body]);
    expect(receiver.taken).toHaveLength(2);
    expect(house.lines).toContainEqual({
      event: "record_failed",
      worker: "deliver",
      message_id: failed[0],
      error: "InvalidCiphertextException",
      receives: 1,
    });
  });

  it("drops what it cannot read, what is gone and what is nobody's, and says why", async () => {
    const tenant = newTenant();
    const gone = writeEvent({
      tenant,
      eventUlid: newUlid(house.now()),
      type: "message.received",
      source: { conversationId: conversationOf(tenant), place: "0000000000000#gone" },
      repeated: false,
    });
    const stale = writeRetry({ tenant, endpointId: newUlid(house.now()), eventUlid: newUlid(house.now()), attempt: 2 });
    await queueAll(["not json", gone, stale]);
    expect((await work()).failed).toEqual([]);
    expect(await depth(house.eventSource, lane.events)).toBe(0);
    const reasons = house.lines.flatMap((line) => (line.event === "record_dropped" ? [line.reason] : []));
    expect(reasons.sort()).toEqual(["gone", "stale", "unreadable"]);
  });

  it("reads a tenant's endpoints once, and all its messages at once, and counts them in one write", async () => {
    const receiver = await statusReceiver();
    const tenant = newTenant();
    await endpointAt(house, lane, tenant, `http://127.0.0.1:${receiver.port}/200`);
    const bodies: string[] = [];
    for (let i = 0; i < 8; i++) bodies.push((await announce(house, tenant, `m${i}`)).body);
    await queueAll(bodies);
    const meter = meterOf(house.client, house.table.name);
    const cost = await meter.during("batch", () => work());
    meter.close();
    expect(receiver.taken).toHaveLength(8);
    expect(cost.byOperation).toMatchObject({
      Query: { requests: 1 },
      BatchGetItem: { requests: 1 },
      PutItem: { requests: 8 },
      UpdateItem: { requests: 1 },
    });
    expect(cost.requests).toBe(11);
  });

  it("reports the record whose receiver hangs once time is out, and is done with the others", async () => {
    const hanging: (() => void)[] = [];
    const receiver = await startReceiver((response, { url }) => {
      const answer = () => response.writeHead(200).end();
      if (url === "/slow") hanging.push(answer);
      else answer();
    });
    onTestFinished(() => {
      for (const answer of hanging) answer();
    });
    const [quick, slow] = [newTenant(), newTenant()];
    await endpointAt(house, lane, quick, `http://127.0.0.1:${receiver.port}/quick`);
    await endpointAt(house, lane, slow, `http://127.0.0.1:${receiver.port}/slow`);
    const held = await announce(house, slow);
    await queueAll([(await announce(house, quick)).body, held.body]);
    const { records, failed } = await work(3_400);
    expect(records.filter(({ messageId }) => failed.includes(messageId)).map(({ body }) => body)).toEqual([held.body]);
    expect(house.lines).toContainEqual(
      expect.objectContaining({ event: "batch", worker: "deliver", records: 2, done: 1, retried: 1 }),
    );
  });

  it("keeps one hanging receiver from holding up another's delivery", async () => {
    const hanging: (() => void)[] = [];
    const receiver = await startReceiver((response, { url }) => {
      const answer = () => response.writeHead(200).end();
      if (url === "/slow") hanging.push(answer);
      else answer();
    });
    const tenant = newTenant();
    await endpointAt(house, lane, tenant, `http://127.0.0.1:${receiver.port}/slow`);
    const quick = await endpointAt(house, lane, tenant, `http://127.0.0.1:${receiver.port}/quick`);
    const { body, message } = await announce(house, tenant);
    await queueAll([body]);
    const working = work();
    const row = () => deliveryStore(house.table).get(tenant, quick.id, message.eventUlid);
    await expect.poll(row, { interval: 10 }).toMatchObject({ status: "delivered" });
    expect(hanging).toHaveLength(1);
    hanging[0]?.();
    expect((await working).failed).toEqual([]);
  });
});
