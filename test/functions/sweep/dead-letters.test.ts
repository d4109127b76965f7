import { beforeEach, expect, it } from "vitest";
import { openDeadLetterQueues } from "#base/aws/dead-letter-queues.ts";
import { openQueue } from "#base/aws/queues.ts";
import { env, type QueueName, queues as queueNames } from "#base/config/names.ts";
import { sourceQueueSettings } from "#base/config/settings.ts";
import { MINUTE, SECOND } from "#base/kernel/time.ts";
import { emptyDeadLetterQueues } from "#features/dead-letters/flows/empty-queues.ts";
import { type QuarantinedMessage, quarantineStore } from "#features/dead-letters/store/quarantine.ts";
import { collectPages } from "../../support/collect-pages.ts";
import { startTestTable } from "../../support/dynamodb.ts";
import { injectFaults } from "../../support/faults.ts";
import { lettersOf } from "../../support/flows/dead-letters.ts";
import { queueDepth } from "../../support/flows/queue-worker.ts";
import { openTestEnv, type TestQueues } from "../../support/flows/test-env.ts";
import { openedOnce } from "../../support/opened.ts";

// An engine refuses an item of more than 400 KB.
const testEnv = openedOnce(() => openTestEnv({ startTable: startTestTable }));
let queues: TestQueues;
beforeEach(async () => {
  queues = await testEnv.newQueues();
  testEnv.lines.length = 0;
});

const send = (url: string, body: string, group?: string) =>
  openQueue(url, testEnv.eventSource).send({ body, ...(group ? { group } : {}) });
const ports = () => testEnv.deadLetterPorts("Inbound", queues);
const empty = (letterPorts = ports(), hasTime = () => true) =>
  emptyDeadLetterQueues(letterPorts, testEnv.now(), hasTime);
const depth = (url = queues.inbound) => queueDepth(testEnv.eventSource, url);
const waiting = () => testEnv.lines.filter(({ event }) => event === "dead_letters.waiting");

const listQuarantined = (queue: QueueName = "Inbound"): Promise<QuarantinedMessage[]> =>
  collectPages(quarantineStore(testEnv.table).list(queue, "newest", testEnv.now()));

it("a dead letter is quarantined unchanged and once, even when the sweep crashes and the letter is received again", async () => {
  const sentAt = testEnv.now();
  await send(queues.inbound, "poison 𝒳", "acme");
  const end = injectFaults(testEnv.client, ({ index }) => (index === 0 ? "crash" : "pass"));
  await empty();
  end();
  expect(await listQuarantined()).toEqual([]);
  expect(waiting()).toEqual([{ event: "dead_letters.waiting", queue: "Inbound", messages: 1 }]);
  testEnv.advance(31 * SECOND);
  await empty();
  expect(await depth()).toBe(0);
  expect(await listQuarantined()).toMatchObject([
    { sentAt, body: "poison 𝒳", group: "acme", receives: 2, quarantinedAt: testEnv.now() },
  ]);
  expect(testEnv.lines.filter(({ event }) => event === "dead_letter.quarantined")).toHaveLength(1);
  expect(JSON.stringify(testEnv.lines)).not.toContain("poison");
});

it("a dead letter is deleted from its queue only after its row is stored", async () => {
  await send(queues.inbound, "safe");
  const end = injectFaults(testEnv.sqs as never, ({ command }) =>
    command === "DeleteMessageBatch" ? "crash" : "pass",
  );
  const letterPorts = lettersOf(ports(), { queue: "Inbound", url: queues.inbound, sqs: testEnv.sqs });
  const before = (await listQuarantined()).length;
  await expect(empty(letterPorts)).rejects.toThrow("crashed");
  end();
  expect(await listQuarantined()).toHaveLength(before + 1);
  expect(await depth()).toBe(1);
  testEnv.advance(MINUTE);
  await empty();
  expect(await listQuarantined()).toHaveLength(before + 1);
  expect(await depth()).toBe(0);
});

it.each([
  ["a full megabyte", "x".repeat(1_000_000)],
  ["a megabyte of multi-byte characters", "漢".repeat(330_000)],
])("a dead letter of %s fits in a row", async (_, body) => {
  const before = (await listQuarantined()).length;
  await send(queues.inbound, body);
  await empty();
  expect(await depth()).toBe(0);
  expect(await listQuarantined()).toHaveLength(before + 1);
});

it("a run empties queues of more messages than one request receives, all queues in turn", async () => {
  const flood = Array.from({ length: 25 }, (_, index) => ({ body: `flood ${index}` }));
  await openQueue(queues.profiles, testEnv.eventSource).sendAll(flood);
  await send(queues.uploads, "one");
  const urls = new Map<QueueName, string>([
    ["Profiles", queues.profiles],
    ["Uploads", queues.uploads],
  ]);
  const deadLetterQueues = openDeadLetterQueues(urls, testEnv.eventSource);
  let batches = 0;
  const both = { ...ports(), deadLetterQueues, findSourceQueue: (queue: QueueName | "all") => queue as QueueName };
  await empty(both, () => batches++ < 3);
  expect(await listQuarantined("Profiles")).toHaveLength(10);
  expect(await listQuarantined("Uploads")).toHaveLength(1);
  expect(waiting()).toEqual([
    { event: "dead_letters.waiting", queue: "Profiles", messages: 1 },
    { event: "dead_letters.waiting", queue: "Uploads", messages: 1 },
  ]);
  await empty(both);
  expect(await listQuarantined("Profiles")).toHaveLength(25);
});

it("a queue that SQS refuses fails the run, after the others were emptied", async () => {
  await send(queues.inbound, "reached");
  const before = (await listQuarantined()).length;
  const [inbound] = ports().deadLetterQueues;
  const [missing] = openDeadLetterQueues(
    new Map([["Uploads", `${queues.uploads}-none`]] as const),
    testEnv.eventSource,
  );
  if (!inbound || !missing) throw new Error("There are two queues.");
  await expect(empty({ ...ports(), deadLetterQueues: [missing, inbound] })).rejects.toThrow(/does not exist/);
  expect(await listQuarantined()).toHaveLength(before + 1);
});

it("a dead letter of an unknown queue stays in its queue and is reported, which raises an alarm", async () => {
  const before = (await listQuarantined()).length;
  await send(queues.inbound, "whose?");
  await empty({ ...ports(), findSourceQueue: () => null });
  expect(await depth()).toBe(1);
  expect(await listQuarantined()).toHaveLength(before);
  expect(testEnv.lines).toContainEqual(expect.objectContaining({ event: "record.failed", error: "UnknownQueue" }));
  expect(waiting()).toEqual([{ event: "dead_letters.waiting", queue: "Inbound", messages: 1 }]);
});

it("a dead letter of a dead-letter queue that all queues have is of the queue that it was moved from", () => {
  const names = JSON.stringify(Object.fromEntries(queueNames.map((name) => [name, `Parley-${name}`])));
  const findSourceQueue = sourceQueueSettings({ [env.sourceQueues]: names });
  expect(findSourceQueue("all", "Parley-Erasures")).toBe("Erasures");
  expect(findSourceQueue("all", "Other-Erasures")).toBeNull();
  expect(findSourceQueue("all", null)).toBeNull();
  expect(sourceQueueSettings({})("Uploads", null)).toBe("Uploads");
});
