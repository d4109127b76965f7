import { ListObjectsV2Command } from "@aws-sdk/client-s3";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { LogLine } from "#base/aws/log.ts";
import { openQueue } from "#base/aws/queues.ts";
import { randomToken } from "#base/kernel/bytes.ts";
import { compress } from "#base/kernel/compression.ts";
import { RAW_COPY_ROW_BYTES_MAX } from "#base/kernel/limits.ts";
import { ServiceUnavailable } from "#base/kernel/service-fault.ts";
import { DAY, MINUTE, type Millis, SECOND } from "#base/kernel/time.ts";
import { type RecordOutcome, waitForService } from "#base/queues/record-outcome.ts";
import { decodeEvent } from "#features/delivery/event-queue.ts";
import { decodeInbound, encodeInbound } from "#features/inbox/queue.ts";
import { messageStore } from "#features/inbox/store/messages.ts";
import { ingestWorker } from "../../../functions/ingest/worker.ts";
import { processRecords } from "../../../functions/worker/batch.ts";
import { queueWorker } from "../../../functions/worker/middleware.ts";
import { firstSentAt, isRepeated, receiveCount } from "../../../functions/worker/redelivery.ts";
import { injectFaults } from "../../support/faults.ts";
import { inboundBody, instagramWebhook } from "../../support/flows/inbound-webhooks.ts";
import {
  invokeWorker,
  type QueueWorker,
  queueDepth,
  receiveAllMessages,
  receiveBatch,
} from "../../support/flows/queue-worker.ts";
import { listCopyRows, readCopies } from "../../support/flows/raw-copies.ts";
import { openTestEnv } from "../../support/flows/test-env.ts";
import { openedEach, openedOnce } from "../../support/opened.ts";
import { newTenant } from "../../support/stores/samples.ts";

const log = (line: LogLine) => void testEnv.lines.push(line);
const testEnv = openedOnce(openTestEnv);
const queues = openedEach(() => testEnv.newQueues());
beforeEach(async () => {
  testEnv.lines.length = 0;
  // The jitter is drawn as 0.
  vi.spyOn(Math, "random").mockReturnValue(0);
});
afterEach(() => {
  vi.restoreAllMocks();
});

/** Runs a worker every five seconds. @returns the highest receive count of a record */
async function runFor(duration: Millis, worker: () => QueueWorker): Promise<number> {
  let receives = 0;
  for (const end = testEnv.now() + duration; testEnv.now() < end; testEnv.advance(5 * SECOND)) {
    const { records } = await invokeWorker(testEnv.eventSource, queues.inbound, worker());
    receives = Math.max(receives, ...records.map(receiveCount));
  }
  return receives;
}

const postponed = () => testEnv.lines.filter(({ event }) => event === "record.postponed");

describe("a worker in an outage", () => {
  /** A worker whose records all end in the same way. */
  const worker = (work: () => Promise<RecordOutcome>, life: Millis = DAY): QueueWorker => {
    const ports = { log, receivedMessages: testEnv.receivedMessages };
    const options = { worker: "sample", ports, outage: { now: testEnv.now, life: () => life } };
    return queueWorker("sample", log, (event, context) =>
      processRecords(event, context, options, (records) => new Map(records.map((r) => [r.messageId, work()]))),
    );
  };
  const send = () =>
    openQueue(queues.inbound, testEnv.eventSource).send({ body: inboundBody("{}", testEnv.now()), group: "demo" });
  const unavailable = () => Promise.reject(new ServiceUnavailable("The service does not work."));

  it.each([
    ["a service of AWS does not work", unavailable],
    ["a platform refuses for its limit", async () => waitForService("history")],
  ])(
    "a worker in an outage lets a message wait for three hours when %s, with five receives at most",
    async (_name, work) => {
      await send();
      const sentAt = testEnv.now();
      expect(await runFor(3 * 60 * MINUTE, () => worker(work))).toBe(5);
      expect(postponed().length).toBeGreaterThan(10);
      expect(postponed().length).toBeLessThan(26);
      expect(postponed().at(-1)).toMatchObject({ receives: 1, delay_ms: 7.5 * MINUTE });
      const { age_ms = 0 } = postponed().at(-1) as { readonly age_ms?: number };
      expect(age_ms).toBeGreaterThan(165 * MINUTE);
      testEnv.advance(15 * MINUTE);
      const [record] = await receiveBatch(testEnv.eventSource, queues.inbound);
      if (!record) return expect.unreachable("the message waits");
      expect(record.attributes).toMatchObject({ ApproximateReceiveCount: "1", MessageGroupId: "demo" });
      expect(decodeInbound(record.body)).toEqual(decodeInbound(inboundBody("{}", sentAt)));
      expect([firstSentAt(record), isRepeated(record)]).toEqual([sentAt, true]);
    },
  );

  it("a worker in an outage receives a message again that fails for another reason, and replaces nothing", async () => {
    await send();
    expect(await runFor(5 * MINUTE, () => worker(() => Promise.reject(new TypeError("text"))))).toBeGreaterThan(5);
    expect(postponed()).toEqual([]);
  });

  it("a worker in an outage lets a message wait at once for as long as the platform says, a quarter of an hour at most at a time", async () => {
    await send();
    expect(await runFor(MINUTE, () => worker(async () => waitForService("history", 12 * MINUTE)))).toBe(1);
    expect(postponed()).toMatchObject([{ receives: 1, delay_ms: 12 * MINUTE }]);
    await send();
    await runFor(MINUTE, () => worker(async () => waitForService("history", 5 * 60 * MINUTE)));
    expect(postponed().at(-1)).toMatchObject({ receives: 1, delay_ms: 15 * MINUTE });
  });

  it("a worker in an outage drops a message when what it is about has ended", async () => {
    await send();
    await runFor(40 * MINUTE, () => worker(unavailable, 15 * MINUTE));
    expect(testEnv.lines).toContainEqual(expect.objectContaining({ event: "record.dropped", reason: "stale" }));
    expect(await queueDepth(testEnv.eventSource, queues.inbound)).toBe(0);
  });

  it("a worker in an outage receives a message again whose replacement the queue refuses", async () => {
    await send();
    const ports = {
      log,
      receivedMessages: { ...testEnv.receivedMessages, sendBack: () => Promise.reject(new ServiceUnavailable("text")) },
    };
    const options = { worker: "sample", ports, outage: { now: testEnv.now, life: () => DAY } };
    const refused = queueWorker("sample", log, (event, context) =>
      processRecords(event, context, options, (records) => new Map(records.map((r) => [r.messageId, unavailable()]))),
    );
    expect(await runFor(5 * MINUTE, () => refused)).toBeGreaterThan(5);
    expect(testEnv.lines).toContainEqual({ event: "record.postpone_failed", error: "ServiceUnavailable", receives: 5 });
    expect(await queueDepth(testEnv.eventSource, queues.inbound)).toBe(1);
  });
});

describe("webhooks of ten people", () => {
  const people = Array.from({ length: 10 }, (_, index) => `person-${index}`);
  let tenant: ReturnType<typeof newTenant>;
  beforeEach(() => {
    tenant = newTenant();
  });
  /** @param padding bytes that each webhook has besides */
  const queueWebhooks = async (padding: number) => {
    const account = await testEnv.connect(tenant);
    const bodies = people.map((from) => {
      const webhook = instagramWebhook(account, [{ mid: from, person: from, text: from, at: testEnv.now() }]);
      const raw = { ...JSON.parse(webhook), padding: randomToken(padding).toString("base64") };
      return inboundBody(JSON.stringify(raw), testEnv.now());
    });
    await openQueue(queues.inbound, testEnv.eventSource).sendAll(bodies.map((body) => ({ body })));
  };
  const worker = () => ingestWorker(testEnv.ingestPorts(queues), testEnv.now);
  const texts = async () => {
    const { rows } = await messageStore(testEnv.table).feed(tenant, {
      includeTest: false,
      direction: null,
      before: null,
      limit: 100,
      now: testEnv.now(),
    });
    return rows.map(({ message }) => message.text).toSorted();
  };

  it("webhooks of ten people are in the inbox and published after the table refused everything for twenty minutes", async () => {
    await queueWebhooks(0);
    const end = injectFaults(testEnv.client, () => "fail");
    const receives = await runFor(20 * MINUTE, worker);
    end();
    expect(receives).toBeLessThanOrEqual(5);
    await runFor(16 * MINUTE, worker);
    expect(await texts()).toEqual(people);
    const events = await receiveAllMessages(testEnv.eventSource, queues.events);
    expect(new Set(events.map(({ body }) => decodeEvent(body)?.eventUlid)).size).toBe(people.length);
    expect(await queueDepth(testEnv.eventSource, queues.inbound)).toBe(0);
  });

  describe.each([
    ["the bucket of raw copies refuses", RAW_COPY_ROW_BYTES_MAX / people.length],
    ["the table refuses the rows of raw copies", 0],
  ])("while %s everything for 35 minutes", (_place, padding) => {
    const put = vi.fn((): Promise<void> => Promise.reject(new ServiceUnavailable("text")));
    const refusing = () => ({
      ...testEnv.ingestPorts(queues),
      files: { ...testEnv.files, put },
      ...(padding === 0 ? { rawCopies: { save: put } } : {}),
    });
    const worker = () => ingestWorker(refusing(), testEnv.now);
    const copies = async () => {
      const { Contents = [] } = await testEnv.s3.send(new ListObjectsV2Command({ Bucket: "raw", Prefix: "raw/" }));
      const files = await Promise.all(Contents.map(({ Key = "" }) => testEnv.files.get(Key)));
      const rows = await listCopyRows(testEnv.client, testEnv.table.name);
      const webhooks = [
        ...files.map((file) => readCopies(file ?? new Uint8Array())),
        ...rows.map((row) => row.webhooks),
      ];
      const text = webhooks.flat().join("\n");
      return people.map((person) => text.split(`"mid":"${person}"`).length - 1);
    };

    it("webhooks whose raw copies are refused are in the inbox and published at once, and their copies are stored after it", async () => {
      await queueWebhooks(padding);
      const before = await copies();
      await invokeWorker(testEnv.eventSource, queues.inbound, worker());
      expect(await texts()).toEqual(people);
      expect(await queueDepth(testEnv.eventSource, queues.events)).toBe(people.length);
      expect(await runFor(35 * MINUTE, worker)).toBe(1);
      expect(await copies()).toEqual(before);
      const [profiles, events] = [queues.profiles, queues.events];
      const depths = () => Promise.all([profiles, events].map((url) => queueDepth(testEnv.eventSource, url)));
      const before35 = await depths();
      const whole = () => ingestWorker(testEnv.ingestPorts(queues), testEnv.now);
      await runFor(16 * MINUTE, whole);
      expect(await copies()).toEqual(before.map((count) => count + 1));
      // A message for a copy brings no message again.
      expect(await depths()).toEqual(before35);
      expect(await queueDepth(testEnv.eventSource, queues.inbound)).toBe(0);
    });

    it("webhooks whose raw copies are refused are received again when the queue does not take the messages for their copies", async () => {
      await queueWebhooks(padding);
      const sendBack = () => Promise.reject(new ServiceUnavailable("text"));
      const ports = refusing();
      const receivedMessages = { ...ports.receivedMessages, sendBack };
      const refused = ingestWorker({ ...ports, receivedMessages }, testEnv.now);
      expect((await invokeWorker(testEnv.eventSource, queues.inbound, refused)).failed).toHaveLength(people.length);
      expect(await texts()).toEqual(people);
    });

    it("webhooks whose raw copies are refused have a large webhook's file until its copy is stored", async () => {
      const file = "inbound/2026-01-01/large";
      const large = randomToken(padding * people.length).toString("base64");
      await testEnv.files.put(file, compress(JSON.stringify({ large })));
      const body = encodeInbound({ receivedAt: testEnv.now(), bytes: null, file });
      await openQueue(queues.inbound, testEnv.eventSource).send({ body });
      await runFor(MINUTE, worker);
      expect(await testEnv.files.get(file)).not.toBeNull();
      const whole = () => ingestWorker(testEnv.ingestPorts(queues), testEnv.now);
      await runFor(16 * MINUTE, whole);
      expect(await testEnv.files.get(file)).toBeNull();
    });
  });
});
