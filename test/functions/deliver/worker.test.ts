import { UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { beforeEach, expect, it, onTestFinished } from "vitest";
import { openQueue } from "#base/aws/queues.ts";
import { newUlid } from "#base/kernel/ids.ts";
import type { WebhookClient } from "#base/net/webhook-client.ts";
import { encodeEvent } from "#features/delivery/event-queue.ts";
import { encodeRetry } from "#features/delivery/queue.ts";
import { deliveryStore } from "#features/delivery/store/deliveries.ts";
import { deliverWorker } from "../../../functions/deliver/worker.ts";
import { startReceiver } from "../../base/net/receiver.ts";
import { openWebhookClient } from "../../base/net/webhook-client-fixture.ts";
import { startTestTable } from "../../support/dynamodb.ts";
import { invokeWorker, queueDepth } from "../../support/flows/queue-worker.ts";
import { createEndpointAt, recordMessage, startStatusReceiver } from "../../support/flows/test-endpoints.ts";
import { openTestEnv } from "../../support/flows/test-env.ts";
import { attachMeter } from "../../support/meter.ts";
import { openedEach, openedOnce } from "../../support/opened.ts";
import { newTenant, sampleConversationId } from "../../support/stores/samples.ts";

let webhookClient: WebhookClient;
// The meter reads an engine.
const testEnv = openedOnce(() => openTestEnv({ startTable: startTestTable }));
const queues = openedEach(() => testEnv.newQueues());
beforeEach(async () => {
  webhookClient = openWebhookClient();
  testEnv.lines.length = 0;
});

const worker = () => {
  const ports = testEnv.deliverPorts(queues, webhookClient);
  return deliverWorker(ports, testEnv.now);
};
const runWorker = (remaining?: number) => invokeWorker(testEnv.eventSource, queues.events, worker(), remaining);
const queueAll = (bodies: readonly string[]) =>
  openQueue(queues.events, testEnv.eventSource).sendAll(bodies.map((body) => ({ body })));

it("a batch of events reports the one event whose endpoint's secret does not open, and completes the others", async () => {
  const receiver = await startStatusReceiver();
  const [well, broken] = [newTenant(), newTenant()];
  const url = `http://127.0.0.1:${receiver.port}/200`;
  await createEndpointAt(testEnv, queues, well, url);
  const endpoint = await createEndpointAt(testEnv, queues, broken, url);
  await testEnv.table.client.send(
    new UpdateCommand({
      TableName: testEnv.table.name,
      Key: { PK: `T#${broken}`, SK: `WH#${endpoint.id}` },
      UpdateExpression: "SET s1 = :s",
      ExpressionAttributeValues: { ":s": new Uint8Array(64) },
    }),
  );
  const bad = await recordMessage(testEnv, broken);
  await queueAll([
    (await recordMessage(testEnv, well, "w1")).body,
    bad.body,
    (await recordMessage(testEnv, well, "w2")).body,
  ]);
  const { records, failed } = await runWorker();
  expect(records.filter(({ messageId }) => failed.includes(messageId)).map(({ body }) => body)).toEqual([bad.body]);
  expect(receiver.requests).toHaveLength(2);
  expect(testEnv.lines).toContainEqual({
    event: "record.failed",
    worker: "deliver",
    message_id: failed[0],
    error: "InvalidCiphertextException",
    stage: "prepare",
    receives: 1,
  });
});

it("an event whose endpoint has no signing secret fails while its attempt is prepared, without a call", async () => {
  const receiver = await startStatusReceiver();
  const tenant = newTenant();
  const endpoint = await createEndpointAt(testEnv, queues, tenant, `http://127.0.0.1:${receiver.port}/200`);
  await testEnv.table.client.send(
    new UpdateCommand({
      TableName: testEnv.table.name,
      Key: { PK: `T#${tenant}`, SK: `WH#${endpoint.id}` },
      UpdateExpression: "REMOVE s1",
    }),
  );
  await queueAll([(await recordMessage(testEnv, tenant)).body]);
  const { failed } = await runWorker();
  expect(failed).toHaveLength(1);
  expect(receiver.requests).toHaveLength(0);
  expect(testEnv.lines).toContainEqual({
    event: "record.failed",
    worker: "deliver",
    message_id: failed[0],
    error: "Error",
    stage: "prepare",
    receives: 1,
  });
});

it("a batch of events drops messages that are gone or stale, logs the reason, and retries an unreadable one", async () => {
  const tenant = newTenant();
  const goneEvent = encodeEvent({
    tenant,
    eventUlid: newUlid(testEnv.now()),
    type: "message.received",
    source: { conversationId: sampleConversationId(tenant), position: "0000000000000#gone" },
    repeated: false,
  });
  const staleRetry = encodeRetry({
    tenant,
    endpointId: newUlid(testEnv.now()),
    eventUlid: newUlid(testEnv.now()),
    attempt: 2,
  });
  await queueAll(["not json", goneEvent, staleRetry]);
  const { records, failed } = await runWorker();
  expect(records.filter(({ messageId }) => failed.includes(messageId)).map(({ body }) => body)).toEqual(["not json"]);
  expect(await queueDepth(testEnv.eventSource, queues.events)).toBe(1);
  const reasons = testEnv.lines.flatMap((line) => (line.event === "record.dropped" ? [line.reason] : []));
  expect(reasons.sort()).toEqual(["gone", "stale"]);
});

it("a batch of events reads a tenant's endpoints once and all its messages at once, and counts them in one write", async () => {
  const receiver = await startStatusReceiver();
  const tenant = newTenant();
  await createEndpointAt(testEnv, queues, tenant, `http://127.0.0.1:${receiver.port}/200`);
  const bodies: string[] = [];
  for (let i = 0; i < 8; i++) bodies.push((await recordMessage(testEnv, tenant, `m${i}`)).body);
  await queueAll(bodies);
  const meter = attachMeter(testEnv.client, testEnv.table.name);
  const cost = await meter.measure("batch", () => runWorker());
  meter.close();
  expect(receiver.requests).toHaveLength(8);
  expect(cost.byOperation).toMatchObject({
    Query: { requests: 1 },
    BatchGetItem: { requests: 1 },
    PutItem: { requests: 8 },
    UpdateItem: { requests: 1 },
  });
  expect(cost.requests).toBe(11);
});

it("a batch of events reports the record whose receiver hangs when the time is over, and completes the others", async () => {
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
  await createEndpointAt(testEnv, queues, quick, `http://127.0.0.1:${receiver.port}/quick`);
  await createEndpointAt(testEnv, queues, slow, `http://127.0.0.1:${receiver.port}/slow`);
  const recorded = await recordMessage(testEnv, slow);
  await queueAll([(await recordMessage(testEnv, quick)).body, recorded.body]);
  const { records, failed } = await runWorker(3_400);
  expect(records.filter(({ messageId }) => failed.includes(messageId)).map(({ body }) => body)).toEqual([
    recorded.body,
  ]);
  expect(testEnv.lines).toContainEqual(
    expect.objectContaining({ event: "worker.completed", worker: "deliver", records: 2, done: 1, retried: 1 }),
  );
});

it("a batch of events keeps one hanging receiver from delaying another's delivery", async () => {
  const hanging: (() => void)[] = [];
  const receiver = await startReceiver((response, { url }) => {
    const answer = () => response.writeHead(200).end();
    if (url === "/slow") hanging.push(answer);
    else answer();
  });
  const tenant = newTenant();
  await createEndpointAt(testEnv, queues, tenant, `http://127.0.0.1:${receiver.port}/slow`);
  const quick = await createEndpointAt(testEnv, queues, tenant, `http://127.0.0.1:${receiver.port}/quick`);
  const { body, message } = await recordMessage(testEnv, tenant);
  await queueAll([body]);
  const working = runWorker();
  const row = () => deliveryStore(testEnv.table).get(tenant, quick.id, message.eventUlid);
  await expect.poll(row, { interval: 10 }).toMatchObject({ status: "delivered" });
  expect(hanging).toHaveLength(1);
  hanging[0]?.();
  expect((await working).failed).toEqual([]);
});
