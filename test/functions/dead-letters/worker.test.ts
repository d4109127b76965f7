import { expect, it } from "vitest";
import { openQueue } from "#base/aws/queues.ts";
import { env, queues as queueNames } from "#base/config/names.ts";
import { deadLetterQueueSettings } from "#base/config/settings.ts";
import type { DeadLetterPorts } from "#features/dead-letters/ports.ts";
import { type QuarantinedMessage, quarantineStore } from "#features/dead-letters/store/quarantine.ts";
import { deliveryStore } from "#features/delivery/store/deliveries.ts";
import { dueStore } from "#features/delivery/store/due-attempts.ts";
import { counterStore } from "#features/stats/store.ts";
import { tenantStore } from "#features/tenants/store/tenants.ts";
import { toQueueEvent } from "#local-aws/lambda/batch.ts";
import { deadLettersWorker } from "../../../functions/dead-letters/worker.ts";
import { collectPages } from "../../support/collect-pages.ts";
import { startTestTable } from "../../support/dynamodb.ts";
import { injectFaults } from "../../support/faults.ts";
import { invokeWorker, queueDepth } from "../../support/flows/queue-worker.ts";
import { openTestEnv } from "../../support/flows/test-env.ts";
import { openedOnce } from "../../support/opened.ts";
import { answerOf } from "../../support/processes/work-left.ts";

// An engine refuses an item of more than 400 KB.
const testEnv = openedOnce(() => openTestEnv({ startTable: startTestTable }));
const queues = openedOnce(() => testEnv.newQueues());

const ownQueues = (name: string) => (name === queues.inbound.split("/").at(-1) ? "Inbound" : null);

const worker = (findSourceQueue: DeadLetterPorts["findSourceQueue"] = ownQueues) =>
  deadLettersWorker(
    {
      findSourceQueue,
      tenants: tenantStore(testEnv.table),
      receivedMessages: testEnv.receivedMessages,
      quarantine: quarantineStore(testEnv.table),
      deliveries: deliveryStore(testEnv.table),
      due: dueStore(testEnv.table),
      counters: counterStore(testEnv.table),
      log: (line) => testEnv.lines.push(line),
    },
    testEnv.now,
  );

async function listQuarantined(): Promise<QuarantinedMessage[]> {
  return collectPages(quarantineStore(testEnv.table).list("Inbound", "newest", testEnv.now()));
}

it("a dead letter is quarantined unchanged and once, even when the worker crashes and the letter arrives again", async () => {
  await openQueue(queues.inbound, testEnv.eventSource).send({ body: "poison 𝒳", group: "acme" });
  const end = injectFaults(testEnv.client, ({ index }) => (index === 0 ? "crash" : "pass"));
  expect((await invokeWorker(testEnv.eventSource, queues.inbound, worker())).failed).toHaveLength(1);
  end();
  testEnv.advance(31_000);
  const { records } = await invokeWorker(testEnv.eventSource, queues.inbound, worker());
  expect(await queueDepth(testEnv.eventSource, queues.inbound)).toBe(0);
  const [record] = records;
  expect(await listQuarantined()).toMatchObject([
    {
      messageId: record?.messageId,
      sentAt: Number(record?.attributes.SentTimestamp),
      body: "poison 𝒳",
      group: "acme",
      receives: 2,
      quarantinedAt: testEnv.now(),
    },
  ]);
  expect(testEnv.lines.filter(({ event }) => event === "dead_letter.quarantined")).toHaveLength(1);
  expect(JSON.stringify(testEnv.lines)).not.toContain("poison");
});

it("a dead letter of a full megabyte fits in a row", async () => {
  const before = (await listQuarantined()).length;
  await openQueue(queues.inbound, testEnv.eventSource).send({ body: "x".repeat(1_000_000) });
  expect((await invokeWorker(testEnv.eventSource, queues.inbound, worker())).failed).toEqual([]);
  expect(await listQuarantined()).toHaveLength(before + 1);
});

it("a dead letter of a megabyte of multi-byte characters fits in a row", async () => {
  const before = (await listQuarantined()).length;
  await openQueue(queues.inbound, testEnv.eventSource).send({ body: "漢".repeat(330_000) });
  expect((await invokeWorker(testEnv.eventSource, queues.inbound, worker())).failed).toEqual([]);
  expect(await listQuarantined()).toHaveLength(before + 1);
});

it("a dead letter of an unknown queue stays in its queue, where an alarm reports it", async () => {
  const before = (await listQuarantined()).length;
  await openQueue(queues.events, testEnv.eventSource).send({ body: "whose?" });
  expect((await invokeWorker(testEnv.eventSource, queues.events, worker())).failed).toHaveLength(1);
  expect(await listQuarantined()).toHaveLength(before);
  expect(testEnv.lines).toContainEqual(expect.objectContaining({ event: "record.failed", error: "UnknownQueue" }));
});

it("a dead letter of a dead-letter queue that all queues have is of the queue that it was moved from", async () => {
  const names = JSON.stringify(Object.fromEntries(queueNames.map((name) => [name, `Parley-${name}`])));
  const arnOf = (name: string) => `arn:aws:sqs:eu-central-1:123456789012:${name}`;
  const letter = (MessageId: string, movedFrom: object) => ({
    MessageId,
    Body: `of ${MessageId}`,
    Attributes: { ApproximateReceiveCount: "1", SentTimestamp: String(testEnv.now()), ...movedFrom },
  });
  const letters = [
    letter("erasures", { DeadLetterQueueSourceArn: arnOf("Parley-Erasures") }),
    letter("no queue", {}),
    letter("another stack", { DeadLetterQueueSourceArn: arnOf("Other-Erasures") }),
  ];
  const shared = worker(deadLetterQueueSettings({ [env.sourceQueues]: names }));
  const { batchItemFailures } = await answerOf(() =>
    shared(toQueueEvent(letters, arnOf("Parley-Inbound")), { getRemainingTimeInMillis: () => 60_000 }),
  );
  expect(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier)).toEqual(["no queue", "another stack"]);
  const erasures = await collectPages(quarantineStore(testEnv.table).list("Erasures", "newest", testEnv.now()));
  expect(erasures).toMatchObject([{ messageId: "erasures", body: "of erasures" }]);
});
