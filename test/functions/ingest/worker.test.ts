import { ListObjectsV2Command } from "@aws-sdk/client-s3";
import { GetCommand } from "@aws-sdk/lib-dynamodb";
import { beforeEach, expect, it } from "vitest";
import { openQueue } from "#base/aws/queues.ts";
import { randomToken } from "#base/kernel/bytes.ts";
import { compress } from "#base/kernel/compression.ts";
import { RAW_COPY_ROW_BYTES_MAX } from "#base/kernel/limits.ts";
import { DAY, HOUR, iso, MINUTE, type Millis, SECOND } from "#base/kernel/time.ts";
import type { Key } from "#base/table/keys.ts";
import { decodeEvent } from "#features/delivery/event-queue.ts";
import { decodeInbound, encodeInbound } from "#features/inbox/queue.ts";
import { rawCopyKey } from "#features/inbox/store/items.ts";
import { deliverWorker } from "../../../functions/deliver/worker.ts";
import { ingestWorker } from "../../../functions/ingest/worker.ts";
import { openWebhookClient } from "../../base/net/webhook-client-fixture.ts";
import { injectFaults } from "../../support/faults.ts";
import { inboundBody, instagramWebhook } from "../../support/flows/inbound-webhooks.ts";
import {
  invokeWorker,
  passNameWaits,
  queueDepth,
  receiveEvents as receiveQueuedEvents,
} from "../../support/flows/queue-worker.ts";
import { listCopyRows, readCopies, type StoredCopies } from "../../support/flows/raw-copies.ts";
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
  (await receiveQueuedEvents(testEnv, queues)).map(({ body }) => decodeEvent(body)?.eventUlid);
const queueWebhook = (...mids: string[]) =>
  inboundBody(
    instagramWebhook(
      account,
      mids.map((mid) => ({ mid, text: mid, at: testEnv.now() })),
    ),
    testEnv.now(),
  );

/** The rows of copies that are named by a record. */
async function copyRows(messageId: string): Promise<StoredCopies[]> {
  const rows = await listCopyRows(testEnv.client, testEnv.table.name);
  return rows.filter(({ name }) => name.includes(messageId));
}

/** The files of copies that are named by a record. */
async function copyFiles(messageId: string): Promise<StoredCopies[]> {
  const { Contents = [] } = await testEnv.s3.send(new ListObjectsV2Command({ Bucket: "raw", Prefix: "raw/" }));
  const names = Contents.map(({ Key = "" }) => Key).filter((key) => key.includes(messageId));
  return Promise.all(
    names.map(async (name) => ({ name, webhooks: readCopies((await testEnv.files.get(name)) ?? new Uint8Array()) })),
  );
}

async function readRow(key: Key): Promise<Record<string, unknown> | undefined> {
  const { Item } = await testEnv.client.send(
    new GetCommand({ TableName: testEnv.table.name, Key: { ...key }, ConsistentRead: true }),
  );
  return Item;
}

/** A webhook without updates whose copy, alone in its batch, has so many bytes. */
function webhookWithCopyOf(bytes: number, receivedAt: Millis): string {
  const text = randomToken(2 * bytes).toString("base64url");
  const copyOf = (raw: string) => compress(`${JSON.stringify({ received_at: iso(receivedAt), body: raw })}\n`).length;
  const raw = (chars: number) => JSON.stringify({ padding: text.slice(0, chars) });
  let chars = bytes;
  while (copyOf(raw(chars)) < bytes) chars++;
  expect(copyOf(raw(chars))).toBe(bytes);
  return raw(chars);
}

it("a batch of webhooks keeps each webhook's own trace id in the events that it causes", async () => {
  const bodies = ["a", "b"].map((text) => {
    const inbound = decodeInbound(queueWebhook(text)) ?? expect.unreachable("it is an inbound message");
    return { body: encodeInbound({ ...inbound, traceId: `request-${text}` }) };
  });
  await openQueue(queues.inbound, testEnv.eventSource).sendAll(bodies);
  expect((await runWorker()).failed).toEqual([]);
  const events = await receiveQueuedEvents(testEnv, queues);
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

it("a batch of webhooks reads each conversation once, in one request, and each by itself where that fails", async () => {
  const queue = openQueue(queues.inbound, testEnv.eventSource);
  const other = instagramWebhook(account, [{ mid: "d", text: "d", at: testEnv.now(), person: "7700000000000001" }]);
  const bodies = [...["a", "b", "c"].map((mid) => queueWebhook(mid)), inboundBody(other, testEnv.now())];
  for (const isFailing of [false, true]) {
    const reads: number[] = [];
    const end = injectFaults(testEnv.client, ({ command, input }) => {
      if (command !== "BatchGetItem") return "pass";
      const { RequestItems } = input as { RequestItems: Record<string, { Keys: readonly Key[] }> };
      reads.push(...Object.values(RequestItems).map(({ Keys }) => Keys.length));
      return isFailing && reads.length === 1 ? "crash" : "pass";
    });
    await queue.sendAll(bodies.map((body) => ({ body })));
    expect((await runWorker()).failed).toEqual([]);
    end();
    expect(reads).toEqual(isFailing ? [2, 1, 1, 1, 1] : [2]);
  }
});

it("a batch of webhooks in which a conversation has an echo reads that conversation again, consistently", async () => {
  const queue = openQueue(queues.inbound, testEnv.eventSource);
  const at = testEnv.now();
  const echo = instagramWebhook(account, [
    { mid: "b", text: "b", at },
    { mid: "e", text: "e", at, echo: true },
  ]);
  const reads: unknown[] = [];
  const end = injectFaults(testEnv.client, ({ command, input }) => {
    const { RequestItems } = input as { RequestItems: Record<string, { ConsistentRead?: boolean }> };
    if (command === "BatchGetItem")
      reads.push(...Object.values(RequestItems).map((read) => read.ConsistentRead ?? false));
    return "pass";
  });
  await queue.sendAll([queueWebhook("a"), inboundBody(echo, at)].map((body) => ({ body })));
  expect((await runWorker()).failed).toEqual([]);
  end();
  expect(reads.sort()).toEqual([false, true]);
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

it("a batch of webhooks stores its raw copies in one row, byte for byte, which ends seven days after the first arrived", async () => {
  const raws = [instagramWebhook(account, [{ mid: "r1", text: "é ✓", at: testEnv.now() }]), "{}"];
  // A batch across the end of an hour has a row for each hour.
  testEnv.advance(HOUR - (testEnv.now() % HOUR));
  const arrivedAt = testEnv.now();
  await openQueue(queues.inbound, testEnv.eventSource).sendAll(
    raws.map((raw, index) => ({ body: inboundBody(raw, arrivedAt + index * MINUTE) })),
  );
  testEnv.advance(MINUTE);
  const { records } = await runWorker();
  const firstId = records[0]?.messageId ?? "?";
  const [row, ...others] = await copyRows(firstId);
  expect(row?.webhooks).toEqual(raws);
  expect(others).toEqual([]);
  expect(await copyFiles(firstId)).toEqual([]);
  const item = await readRow(rawCopyKey(arrivedAt, row?.name.split("#")[1] ?? ""));
  expect(item?.x).toBe(Math.ceil((arrivedAt + 7 * DAY) / SECOND));
});

it.each([
  [0, "row"],
  [1, "file"],
])("a batch of webhooks whose copies have %i bytes more than a row may have is in one %s", async (more, place) => {
  const raw = webhookWithCopyOf(RAW_COPY_ROW_BYTES_MAX + more, testEnv.now());
  await openQueue(queues.inbound, testEnv.eventSource).send({ body: inboundBody(raw, testEnv.now()) });
  const firstId = (await runWorker()).records[0]?.messageId ?? "?";
  const [rows, files] = [await copyRows(firstId), await copyFiles(firstId)];
  expect((place === "row" ? rows : files).map(({ webhooks }) => webhooks)).toEqual([[raw]]);
  expect([...rows, ...files]).toHaveLength(1);
});

it("a batch of webhooks with copies in a row and in the bucket has both where it is repeated", async () => {
  const large = webhookWithCopyOf(RAW_COPY_ROW_BYTES_MAX + 1, testEnv.now() - HOUR);
  const broken = ingestWorker(testEnv.ingestPorts({ ...queues, events: `${queues.events}-gone` }), testEnv.now);
  const body = inboundBody(instagramWebhook(account, [{ mid: "two", text: "x", at: testEnv.now() }]), testEnv.now());
  await openQueue(queues.inbound, testEnv.eventSource).sendAll([
    { body: inboundBody(large, testEnv.now() - HOUR) },
    { body },
  ]);
  const { records } = await invokeWorker(testEnv.eventSource, queues.inbound, broken);
  const firstId = records[0]?.messageId ?? "?";
  const stored = async () => [await copyRows(firstId), await copyFiles(firstId)];
  const first = await stored();
  expect(first.map((places) => places.length)).toEqual([1, 1]);
  testEnv.advance(31_000);
  expect((await runWorker()).failed).toEqual([]);
  expect(await stored()).toEqual(first);
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
  const stored = (await copyRows(failed[0] ?? "?")).flatMap(({ webhooks }) => webhooks);
  expect(stored.toSorted()).toEqual([raws[0], ...raws].toSorted());
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

it("a batch of webhooks has its stored messages counted in one line by the worker of their events, and a repeated webhook has none", async () => {
  const queue = openQueue(queues.inbound, testEnv.eventSource);
  const deliver = async () => {
    const worker = deliverWorker(testEnv.deliverPorts(queues, openWebhookClient()), testEnv.now);
    await passNameWaits(testEnv, queues);
    await invokeWorker(testEnv.eventSource, queues.events, worker);
  };
  const repeatedWebhook = queueWebhook("n1", "n2");
  await queue.sendAll([repeatedWebhook, queueWebhook("n3")].map((body) => ({ body })));
  await runWorker();
  await deliver();
  expect(countedMetrics(testEnv.lines)).toEqual([{ Stored: 3 }]);
  await queue.sendAll([{ body: repeatedWebhook }]);
  await runWorker();
  await deliver();
  expect(countedMetrics(testEnv.lines)).toEqual([{ Stored: 3 }]);
});

it("the event of a message names when its webhook arrived", async () => {
  const queue = openQueue(queues.inbound, testEnv.eventSource);
  const receivedAt = testEnv.now();
  await queue.sendAll([{ body: queueWebhook("late") }]);
  testEnv.advance(3_000);
  await runWorker();
  const [event] = await receiveQueuedEvents(testEnv, queues);
  expect(decodeEvent(event?.body ?? "")?.receivedAt).toBe(receivedAt);
});
