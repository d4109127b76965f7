import { DynamoDBServiceException } from "@aws-sdk/client-dynamodb";
import { beforeEach, describe, expect, it } from "vitest";
import { openQueue } from "#base/aws/queues.ts";
import { randomToken } from "#base/kernel/bytes.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { DAY, HOUR, MINUTE, SECOND } from "#base/kernel/time.ts";
import { readFirstSentAt, withFirstSentAt } from "#base/queues/envelope.ts";
import { inspectDeadLetter } from "#features/dead-letters/flows/inspect.ts";
import { listDeadLetters } from "#features/dead-letters/flows/list.ts";
import { redriveDeadLetter } from "#features/dead-letters/flows/redrive.ts";
import type { RedrivePorts } from "#features/dead-letters/ports.ts";
import { quarantineStore } from "#features/dead-letters/store/quarantine.ts";
import { decodeEvent } from "#features/delivery/event-queue.ts";
import { receiveWebhook } from "#features/inbox/flows/inbound-webhooks.ts";
import { decodeInbound } from "#features/inbox/queue.ts";
import { parseUpdates } from "#platforms/platforms.ts";
import { describeDeadLetter } from "../../../bin/admin/dlq/letter.ts";
import { ingestWorker } from "../../../functions/ingest/worker.ts";
import { injectFaults } from "../../support/faults.ts";
import { buryMessages } from "../../support/flows/dead-letters.ts";
import { inboundBody, instagramWebhook, type WebhookText } from "../../support/flows/inbound-webhooks.ts";
import { listFeed } from "../../support/flows/platform-events.ts";
import { invokeWorker, queueDepth, receiveBatch, receiveEvents } from "../../support/flows/queue-worker.ts";
import { listCopyRows } from "../../support/flows/raw-copies.ts";
import { openTestEnv } from "../../support/flows/test-env.ts";
import { openedEach, openedOnce } from "../../support/opened.ts";
import { newTenant } from "../../support/stores/samples.ts";

let tenant: TenantId;
let account: string;
const testEnv = openedOnce(openTestEnv);
const queues = openedEach(() => testEnv.newQueues());
beforeEach(async () => {
  tenant = newTenant();
  account = await testEnv.connect(tenant);
  // The dead letters of earlier tests have expired.
  testEnv.advance(8 * DAY);
  testEnv.lines.length = 0;
});

const newWorker = () => ingestWorker(testEnv.ingestPorts(queues), testEnv.now);
const runWorker = (worker = newWorker()) => invokeWorker(testEnv.eventSource, queues.inbound, worker);
const queueBody = (body: string) => openQueue(queues.inbound, testEnv.sqs).send({ body });
const text = (mid: string, person: string): WebhookText => ({ mid, text: `text of ${mid}`, at: testEnv.now(), person });
const queueWebhook = (...texts: WebhookText[]) =>
  queueBody(inboundBody(instagramWebhook(account, texts), testEnv.now()));

const storedIds = async () => (await listFeed(testEnv, tenant)).map(({ id }) => id).toSorted();
/** The event of each message that was published at least once. */
async function publishedIds(): Promise<string[]> {
  const records = await receiveEvents(testEnv, queues);
  const ulids = new Set(records.map(({ body }) => decodeEvent(body)?.eventUlid));
  return (await listFeed(testEnv, tenant))
    .filter(({ eventUlid }) => ulids.has(eventUlid))
    .map(({ id }) => id)
    .toSorted();
}
const splitLines = () => testEnv.lines.filter(({ event }) => event === "webhook.split");

/** The table refuses each write of these messages for good, as it does an item of more than 400 KB. */
function refuseMessages(...mids: string[]): () => void {
  return injectFaults(testEnv.client, ({ input }) => {
    const isRefused = mids.some((mid) => JSON.stringify(input).includes(`${tenant}#${mid}"`));
    if (!isRefused) return "pass";
    const message = "Item size has exceeded the maximum allowed size";
    throw new DynamoDBServiceException({
      name: "ValidationException",
      $fault: "client",
      $metadata: { httpStatusCode: 400 },
      message,
    });
  });
}

/** Runs the worker on all that becomes due within half an hour. @returns how often a message was received and failed */
async function runUntilIdle(receives = 0): Promise<number> {
  let failures = 0;
  for (const until = testEnv.now() + 30 * MINUTE; testEnv.now() < until; testEnv.advance(10 * SECOND)) {
    for (let batch = await runWorker(); batch.records.length > 0; batch = await runWorker()) {
      failures += batch.failed.length;
      if (receives > 0 && failures >= receives) return failures;
    }
  }
  return failures;
}

function redrivePorts(): RedrivePorts {
  return {
    ...testEnv.apiPorts(queues),
    quarantine: quarantineStore(testEnv.table),
    parseUpdates,
    queueFor: () => openQueue(queues.inbound, testEnv.sqs),
  };
}

/** The messages that are on the inbound queue, as dead letters. */
async function quarantineAll() {
  const { quarantine } = redrivePorts();
  testEnv.advance(5 * MINUTE);
  expect(await buryMessages(testEnv.deadLetterPorts("Inbound", queues), testEnv.now())).toBeGreaterThan(0);
  const query = { queues: ["Inbound"], redriven: false, limit: 10 } as const;
  return (await listDeadLetters({ quarantine }, query, testEnv.now())).letters;
}

it("one part that cannot be stored is a dead letter, and the others are stored and published at once", async () => {
  const end = refuseMessages("refused");
  await queueWebhook(text("first", "1"), text("refused", "2"), text("third", "3"));
  const [webhook] = (await runWorker()).records;
  expect(await storedIds()).toEqual(["first", "third"]);
  expect(await publishedIds()).toEqual(["first", "third"]);
  expect(splitLines()).toEqual([
    { event: "webhook.split", message_id: webhook?.messageId, parts: 1, failed: 1, error: "ValidationException" },
  ]);

  // The part alone is received again.
  expect(await runUntilIdle(10)).toBe(10);
  end();
  const letters = await quarantineAll();
  expect(letters).toHaveLength(1);
  const [letter = expect.unreachable("one letter")] = letters;
  expect(describeDeadLetter(letter)).toMatch(`part 1 of platform webhook ${webhook?.messageId}, `);
  expect(await inspectDeadLetter(redrivePorts(), letter, testEnv.now())).toMatchObject({
    webhook: { part: { webhook: webhook?.messageId, number: "1" } },
    updates: { count: 1, accounts: [`instagram#${account}`] },
  });
});

it("a webhook of three people, of whom the table refuses one's message is complete after a redrive, which repeats only that part", async () => {
  const end = refuseMessages("refused");
  await queueWebhook(text("first", "1"), text("refused", "2"), text("third", "3"));
  await runWorker();
  end();
  const [letter = expect.unreachable("one letter")] = await quarantineAll();
  await receiveEvents(testEnv, queues);
  expect(await redriveDeadLetter(redrivePorts(), letter, testEnv.now)).toMatchObject({ end: "sent" });
  const before = await queueDepth(testEnv.eventSource, queues.events);
  expect((await runWorker()).failed).toEqual([]);
  expect(await storedIds()).toEqual(["first", "refused", "third"]);
  expect(await queueDepth(testEnv.eventSource, queues.events)).toBe(before + 1);
});

it("a webhook of three people, of whom the table refuses one's message also stores what the same person wrote after it", async () => {
  const end = refuseMessages("refused");
  await queueWebhook(text("first", "1"), text("refused", "2"), text("third", "3"), text("after", "2"));
  await runWorker();
  end();
  expect(await publishedIds()).toEqual(["after", "first", "third"]);
  testEnv.advance(6 * SECOND);
  expect((await runWorker()).failed).toEqual([]);
  expect(await storedIds()).toEqual(["after", "first", "refused", "third"]);
  expect(await queueDepth(testEnv.eventSource, queues.inbound)).toBe(0);
});

it("a webhook that is one part is received again as it is where it fails, and nothing is queued", async () => {
  const end = refuseMessages("refused");
  await queueWebhook(text("before", "1"), text("refused", "1"), text("after", "1"));
  const { records, failed } = await runWorker();
  expect(failed).toEqual(records.map(({ messageId }) => messageId));
  expect(await publishedIds()).toEqual(["after", "before"]);
  expect(await queueDepth(testEnv.eventSource, queues.inbound)).toBe(1);
  end();
  testEnv.advance(31 * SECOND);
  expect((await runWorker()).failed).toEqual([]);
  expect(await storedIds()).toEqual(["after", "before", "refused"]);
  expect(splitLines()).toEqual([]);
});

it("a webhook of several people is received again as it is in an outage, in which nothing of it can be stored", async () => {
  await queueWebhook(text("a", "1"), text("b", "2"));
  const end = injectFaults(testEnv.client, ({ command }) => (command === "PutItem" ? "throttle" : "pass"));
  const { failed } = await runWorker();
  end();
  expect(failed).toHaveLength(1);
  expect(splitLines()).toEqual([]);
  testEnv.advance(31 * SECOND);
  expect((await runWorker()).failed).toEqual([]);
  expect(await publishedIds()).toEqual(["a", "b"]);
});

it("a webhook of several people queues the part of the person whose rows do not work, and completes the others", async () => {
  await queueWebhook(text("a", "1"), text("b", "2"));
  const end = injectFaults(testEnv.client, ({ input }) =>
    JSON.stringify(input).includes(`${tenant}#b"`) ? "throttle" : "pass",
  );
  expect((await runWorker()).failed).toEqual([]);
  end();
  expect(await publishedIds()).toEqual(["a"]);
  testEnv.advance(6 * SECOND);
  expect((await runWorker()).failed).toEqual([]);
  testEnv.advance(31 * SECOND);
  expect(await publishedIds()).toEqual(["a", "b"]);
});

it("a webhook of several people is received again where the queue does not take its parts", async () => {
  await queueWebhook(text("a", "1"), text("refused", "2"));
  const end = refuseMessages("refused");
  const ports = { ...testEnv.ingestPorts(queues), inbound: openQueue(`${queues.inbound}-gone`, testEnv.sqs) };
  const { failed } = await runWorker(ingestWorker(ports, testEnv.now));
  end();
  expect(failed).toHaveLength(1);
  testEnv.advance(31 * SECOND);
  expect((await runWorker()).failed).toEqual([]);
  expect(await publishedIds()).toEqual(["a", "refused"]);
});

describe("a webhook of more than 50 updates", () => {
  const texts = (count: number, people: number) =>
    Array.from({ length: count }, (_, index) =>
      text(`m-${String(index).padStart(4, "0")}`, String((index % people) + 1)),
    );
  const bodies = async () => (await receiveBatch(testEnv.eventSource, queues.inbound)).map(({ body }) => body);

  it("a webhook of more than 50 updates of one person is ingested 50 at a time, in order", async () => {
    const all = texts(120, 1);
    const order: string[] = [];
    const end = injectFaults(testEnv.client, ({ command, input }) => {
      const row = JSON.stringify(input);
      if (command === "PutItem" && !row.includes('"RAW#')) order.push(/#(m-\d{4})"/.exec(row)?.[1] ?? "another row");
      return "pass";
    });
    await queueWebhook(...all);
    const stored: number[] = [];
    for (let batch = await runWorker(); batch.records.length > 0; batch = await runWorker()) {
      expect(batch.records).toHaveLength(1);
      expect(batch.failed).toEqual([]);
      stored.push(order.length);
    }
    end();
    expect(stored).toEqual([50, 100, 120]);
    expect(order).toEqual(all.map(({ mid }) => mid));
    expect(await queueDepth(testEnv.eventSource, queues.events)).toBe(120);
  });

  it("a webhook of more than 50 updates of one person does not wait for an update that the table refuses", async () => {
    const end = refuseMessages("m-0003");
    await queueWebhook(...texts(60, 1));
    await runWorker();
    expect((await runWorker()).failed).toEqual([]);
    expect(await publishedIds()).toHaveLength(59);
    end();
    testEnv.advance(6 * SECOND);
    expect((await runWorker()).failed).toEqual([]);
    expect(await storedIds()).toHaveLength(60);
  });

  it("a webhook of more than 50 updates of one person waits as it is in an outage, so that nothing overtakes", async () => {
    const end = injectFaults(testEnv.client, ({ input }) =>
      JSON.stringify(input).includes(`${tenant}#m-0003"`) ? "throttle" : "pass",
    );
    await queueWebhook(...texts(60, 1));
    expect((await runWorker()).failed).toHaveLength(1);
    end();
    expect(await storedIds()).toEqual(["m-0000", "m-0001", "m-0002"]);
    expect(await queueDepth(testEnv.eventSource, queues.inbound)).toBe(1);
  });

  it("a webhook of more than 50 updates of several people is queued in parts, ten of them in one request, and is done then", async () => {
    await queueWebhook(...texts(400, 40));
    const before = testEnv.emulators.sqs.counts.SendMessageBatch ?? 0;
    const { records, failed } = await runWorker();
    expect(failed).toEqual([]);
    expect((testEnv.emulators.sqs.counts.SendMessageBatch ?? 0) - before).toBe(1);
    const parts = (await bodies()).map(decodeInbound);
    expect(parts.map((part) => part?.part)).toEqual(
      Array.from({ length: 8 }, (_, index) => ({ webhook: records[0]?.messageId, number: String(index + 1) })),
    );
    testEnv.advance(31 * SECOND);
    expect((await runWorker()).failed).toEqual([]);
    expect(await queueDepth(testEnv.eventSource, queues.events)).toBe(400);
  });

  it("a webhook of more than 50 updates has one raw copy, that of the whole webhook", async () => {
    const raw = instagramWebhook(account, texts(60, 2));
    await queueBody(inboundBody(raw, testEnv.now()));
    const copies = async () => {
      const rows = await listCopyRows(testEnv.client, testEnv.table.name);
      return rows.filter(({ webhooks }) => webhooks.some((webhook) => webhook.includes(account))).length;
    };
    const before = await copies();
    await runWorker();
    expect(await copies()).toBe(before + 1);
    expect((await runWorker()).failed).toEqual([]);
    expect(await copies()).toBe(before + 1);
  });

  it("a webhook of more than 50 updates in a file has parts with their own content, which outlive the file", async () => {
    // Each fits into no message, and neither do two of them.
    const large = texts(60, 2).map((one) => ({ ...one, text: randomToken(6_000).toString("base64url") }));
    const ports = { inbound: openQueue(queues.inbound, testEnv.sqs), files: testEnv.files };
    await receiveWebhook(ports, Buffer.from(instagramWebhook(account, large)), testEnv.now());
    const [webhook] = (await runWorker()).records;
    const file = decodeInbound(webhook?.body ?? "")?.file ?? expect.unreachable("the webhook is in a file");
    expect(await testEnv.files.get(file)).toBeNull();
    expect(await queueDepth(testEnv.eventSource, queues.inbound)).toBe(2);
    const { records, failed } = await runWorker();
    expect(failed).toEqual([]);
    expect(await storedIds()).toHaveLength(60);
    for (const { body } of records) {
      const partFile = decodeInbound(body)?.file;
      if (partFile) expect(await testEnv.files.get(partFile)).toBeNull();
    }
  });

  it("a webhook of more than 50 updates that waited for the end of an outage has parts that wait no longer than it", async () => {
    const sentAt = testEnv.now() - HOUR;
    const body = inboundBody(instagramWebhook(account, texts(60, 2)), sentAt);
    await queueBody(withFirstSentAt(body, sentAt));
    await runWorker();
    expect((await bodies()).map(readFirstSentAt)).toEqual([sentAt, sentAt]);

    await queueBody(body);
    await runWorker();
    expect((await bodies()).map(readFirstSentAt)).toEqual([sentAt, sentAt]);
  });

  it("a webhook of more than 50 updates that is new has parts that are received again after seconds", async () => {
    await queueWebhook(...texts(60, 2));
    await runWorker();
    expect((await bodies()).map(readFirstSentAt)).toEqual([null, null]);
  });

  it("a webhook of more than 50 updates has parts that the release before reads as webhooks", async () => {
    await queueWebhook(...texts(60, 2));
    await runWorker();
    for (const body of await bodies()) {
      const { part: _, ...fieldsBefore } = JSON.parse(body) as Record<string, unknown>;
      expect(Object.keys(fieldsBefore).toSorted()).toEqual(["gzip", "received_at", "v"]);
      expect(decodeInbound(JSON.stringify(fieldsBefore))).toMatchObject({ receivedAt: expect.any(Number) });
    }
  });
});
