import { ListObjectsV2Command } from "@aws-sdk/client-s3";
import { beforeEach, expect, it } from "vitest";
import { openQueue } from "#base/aws/queues.ts";
import { compress, decompress } from "#base/kernel/compression.ts";
import { DAY } from "#base/kernel/time.ts";
import { decodeEvent } from "#features/delivery/event-queue.ts";
import { decodeInbound, encodeInbound } from "#features/inbox/queue.ts";
import { ingestWorker } from "../../../functions/ingest/worker.ts";
import { injectFaults } from "../../support/faults.ts";
import { inboundBody, instagramWebhook } from "../../support/flows/inbound-webhooks.ts";
import { invokeWorker, queueDepth, receiveAllMessages } from "../../support/flows/queue-worker.ts";
import { openTestEnv } from "../../support/flows/test-env.ts";
import { countedMetrics } from "../../support/metering/counted-metrics.ts";
import { openedEach, openedOnce } from "../../support/opened.ts";
import { newTenant } from "../../support/stores/samples.ts";

let account: string;
const testEnv = openedOnce(openTestEnv);
const queues = openedEach(() => testEnv.newQueues());
beforeEach(async () => {
  account = await testEnv.connect(newTenant());
  testEnv.lines.length = 0;
});

const worker = () => ingestWorker(testEnv.ingestPorts(queues), testEnv.now);
const runWorker = (remaining?: number) => invokeWorker(testEnv.eventSource, queues.inbound, worker(), remaining);
const receiveEvents = async () =>
  (await receiveAllMessages(testEnv.eventSource, queues.events)).map(({ body }) => decodeEvent(body)?.eventUlid);
const queueWebhook = (...mids: string[]) =>
  inboundBody(
    instagramWebhook(
      account,
      mids.map((mid) => ({ mid, text: mid, at: testEnv.now() })),
    ),
    testEnv.now(),
  );

/** The files of copies that are named by a record. */
async function copyFiles(messageId: string): Promise<string[]> {
  const { Contents = [] } = await testEnv.s3.send(new ListObjectsV2Command({ Bucket: "raw", Prefix: "raw/" }));
  return Contents.map(({ Key = "" }) => Key).filter((key) => key.includes(messageId));
}

/** The webhooks in these files. */
async function storedCopies(messageId: string): Promise<string[]> {
  const files = await Promise.all((await copyFiles(messageId)).map((key) => testEnv.files.get(key)));
  return files.flatMap((file) =>
    Buffer.from(decompress(file ?? new Uint8Array()))
      .toString()
      .trim()
      .split("\n")
      .map((line) => (JSON.parse(line) as { body: string }).body),
  );
}

it("a batch of webhooks keeps each webhook's own trace id in the events that it causes", async () => {
  const bodies = ["a", "b"].map((text) => {
    const inbound = decodeInbound(queueWebhook(text)) ?? expect.unreachable("it is an inbound message");
    return { body: encodeInbound({ ...inbound, traceId: `request-${text}` }) };
  });
  await openQueue(queues.inbound, testEnv.eventSource).sendAll(bodies);
  expect((await runWorker()).failed).toEqual([]);
  const events = await receiveAllMessages(testEnv.eventSource, queues.events);
  expect(events.map(({ body }) => decodeEvent(body)?.traceId).toSorted()).toEqual(["request-a", "request-b"]);
});

it("a batch of webhooks reports one poison record and completes the others", async () => {
  const queue = openQueue(queues.inbound, testEnv.eventSource);
  const poison = [
    "not json",
    "{}",
    JSON.stringify({ v: 3, received_at: 1, gzip: "" }),
    encodeInbound({ receivedAt: testEnv.now(), bytes: Buffer.from("no gzip"), file: null }),
  ];
  await queue.sendAll([queueWebhook("a"), ...poison, queueWebhook("b")].map((body) => ({ body })));
  const { records, failed } = await runWorker();
  expect(records.filter(({ messageId }) => failed.includes(messageId)).map(({ body }) => body)).toEqual(poison);
  expect(await receiveEvents()).toHaveLength(2);
  expect(testEnv.lines.filter(({ event }) => event === "record.failed")).toHaveLength(poison.length);
});

it("a batch of webhooks reports only the webhook that cannot be stored, and completes it on the retry", async () => {
  const queue = openQueue(queues.inbound, testEnv.eventSource);
  const stuck = queueWebhook("s1", "s2");
  await queue.sendAll([queueWebhook("a"), stuck, queueWebhook("b")].map((body) => ({ body })));
  const end = injectFaults(testEnv.client, ({ input }) => (JSON.stringify(input).includes("#s2") ? "crash" : "pass"));
  const { records, failed } = await runWorker();
  end();
  expect(records.filter(({ messageId }) => failed.includes(messageId)).map(({ body }) => body)).toEqual([stuck]);
  // Those of the other webhooks, and of the message of this one that is stored.
  expect(await receiveEvents()).toHaveLength(3);
  testEnv.advance(31_000);
  expect((await runWorker()).failed).toEqual([]);
  expect(new Set(await receiveEvents()).size).toBe(4);
});

it("a batch of webhooks publishes all its messages in one request to the queue, and requests the profile in another", async () => {
  const queue = openQueue(queues.inbound, testEnv.eventSource);
  await queue.sendAll(
    [queueWebhook("a", "b"), queueWebhook("c"), queueWebhook("d", "e", "f")].map((body) => ({ body })),
  );
  const before = { ...testEnv.emulators.sqs.counts };
  await runWorker();
  const { SendMessageBatch = 0, SendMessage = 0 } = testEnv.emulators.sqs.counts;
  expect(SendMessageBatch - (before.SendMessageBatch ?? 0)).toBe(2);
  expect(await queueDepth(testEnv.eventSource, queues.profiles)).toBe(1);
  expect(SendMessage).toBe(before.SendMessage ?? 0);
  expect(new Set(await receiveEvents()).size).toBe(6);
});

it("a batch of webhooks stores its raw copies in one file, byte for byte", async () => {
  const raws = [instagramWebhook(account, [{ mid: "r1", text: "é ✓", at: testEnv.now() }]), "{}"];
  await openQueue(queues.inbound, testEnv.eventSource).sendAll(
    raws.map((raw) => ({ body: inboundBody(raw, testEnv.now()) })),
  );
  const { records } = await runWorker();
  const firstId = records[0]?.messageId ?? "?";
  expect(await copyFiles(firstId)).toHaveLength(1);
  expect(await storedCopies(firstId)).toEqual(raws);
});

it("a batch of webhooks whose first record is retried alone does not overwrite the copies of the others", async () => {
  const raws = ["first", "second"].map((mid) => instagramWebhook(account, [{ mid, text: mid, at: testEnv.now() }]));
  await openQueue(queues.inbound, testEnv.eventSource).sendAll(
    raws.map((raw) => ({ body: inboundBody(raw, testEnv.now()) })),
  );
  const end = injectFaults(testEnv.client, ({ input }) =>
    JSON.stringify(input).includes("#first") ? "crash" : "pass",
  );
  const { records, failed } = await runWorker();
  end();
  expect(failed).toEqual([records[0]?.messageId]);
  testEnv.advance(31_000);
  expect((await runWorker()).records.map(({ messageId }) => messageId)).toEqual(failed);
  expect((await storedCopies(failed[0] ?? "?")).toSorted()).toEqual([raws[0], ...raws].toSorted());
});

it("a batch of webhooks is reported completely when its time is over, and is retried", async () => {
  await openQueue(queues.inbound, testEnv.eventSource).sendAll([
    { body: queueWebhook("a") },
    { body: queueWebhook("b") },
  ]);
  const end = injectFaults(testEnv.client, () => new Promise((resolve) => setTimeout(() => resolve("pass"), 20)));
  const { failed } = await runWorker(3_000);
  end();
  expect(failed).toHaveLength(2);
  testEnv.advance(31_000);
  expect((await runWorker()).failed).toEqual([]);
  expect(new Set(await receiveEvents()).size).toBe(2);
  expect(await queueDepth(testEnv.eventSource, queues.inbound)).toBe(0);
});

it("a batch of webhooks is reported completely when the events queue fails, and is published on the retry", async () => {
  await openQueue(queues.inbound, testEnv.eventSource).send({ body: queueWebhook("a") });
  const broken = ingestWorker(testEnv.ingestPorts({ ...queues, events: `${queues.events}-gone` }), testEnv.now);
  expect((await invokeWorker(testEnv.eventSource, queues.inbound, broken)).failed).toHaveLength(1);
  testEnv.advance(31_000);
  expect((await runWorker()).failed).toEqual([]);
  expect(await receiveEvents()).toHaveLength(1);
});

it("a batch of webhooks comes back six seconds after a fault, and not after the visibility timeout", async () => {
  await openQueue(queues.inbound, testEnv.eventSource).send({ body: queueWebhook("a") });
  const broken = ingestWorker(testEnv.ingestPorts({ ...queues, events: `${queues.events}-gone` }), testEnv.now);
  expect((await invokeWorker(testEnv.eventSource, queues.inbound, broken)).failed).toHaveLength(1);
  testEnv.advance(4_999);
  expect((await runWorker()).records).toEqual([]);
  testEnv.advance(1_001);
  expect((await runWorker()).records).toHaveLength(1);
  expect(await receiveEvents()).toHaveLength(1);
});

it("a webhook about an account that is not connected is completed, logged and not stored", async () => {
  const raw = instagramWebhook("17840000000000000", [{ mid: "x", text: "secret text", at: testEnv.now() }]);
  await openQueue(queues.inbound, testEnv.eventSource).send({ body: inboundBody(raw, testEnv.now()) });
  expect((await runWorker()).failed).toEqual([]);
  expect(await receiveEvents()).toEqual([]);
  expect(testEnv.lines).toContainEqual({ event: "account.unknown", platform: "instagram", updates: 1 });
  expect(JSON.stringify(testEnv.lines)).not.toContain("secret text");
});

it("a webhook of a message older than seven days is completed without it, to the millisecond", async () => {
  const at = testEnv.now() - 7 * DAY;
  const raw = instagramWebhook(account, [
    { mid: "gone", text: "", at },
    { mid: "stored", text: "x", at: at + 1 },
  ]);
  await openQueue(queues.inbound, testEnv.eventSource).send({ body: inboundBody(raw, testEnv.now()) });
  expect((await runWorker()).failed).toEqual([]);
  expect(await receiveEvents()).toHaveLength(1);
});

it("a webhook whose file no longer exists was completed before and is dropped", async () => {
  const body = encodeInbound({ receivedAt: testEnv.now(), bytes: null, file: "inbound/none.gz" });
  await openQueue(queues.inbound, testEnv.eventSource).send({ body });
  expect((await runWorker()).failed).toEqual([]);
  expect(testEnv.lines).toContainEqual({ event: "record.dropped", worker: "ingest", reason: "gone" });
});

it("a webhook in a file is read from there, and the file is removed after everything is published", async () => {
  const file = "inbound/large.gz";
  await testEnv.files.put(file, compress(instagramWebhook(account, [{ mid: "big", text: "x", at: testEnv.now() }])));
  await openQueue(queues.inbound, testEnv.eventSource).send({
    body: encodeInbound({ receivedAt: testEnv.now(), bytes: null, file }),
  });
  const broken = ingestWorker(testEnv.ingestPorts({ ...queues, events: `${queues.events}-gone` }), testEnv.now);
  await invokeWorker(testEnv.eventSource, queues.inbound, broken);
  expect(await testEnv.files.get(file)).not.toBeNull();
  testEnv.advance(31_000);
  await runWorker();
  expect(await testEnv.files.get(file)).toBeNull();
  expect(await receiveEvents()).toHaveLength(1);
});

it("a batch of webhooks counts its stored messages in one line, and a repeated webhook counts none", async () => {
  const queue = openQueue(queues.inbound, testEnv.eventSource);
  const repeatedWebhook = queueWebhook("n1", "n2");
  await queue.sendAll([repeatedWebhook, queueWebhook("n3")].map((body) => ({ body })));
  await runWorker();
  expect(countedMetrics(testEnv.lines)).toEqual([{ Stored: 3 }]);
  await queue.sendAll([{ body: repeatedWebhook }]);
  await runWorker();
  expect(countedMetrics(testEnv.lines)).toEqual([{ Stored: 3 }]);
});

it("the event of a message names when its webhook arrived", async () => {
  const queue = openQueue(queues.inbound, testEnv.eventSource);
  const receivedAt = testEnv.now();
  await queue.sendAll([{ body: queueWebhook("late") }]);
  testEnv.advance(3_000);
  await runWorker();
  const [event] = await receiveAllMessages(testEnv.eventSource, queues.events);
  expect(decodeEvent(event?.body ?? "")?.receivedAt).toBe(receivedAt);
});
