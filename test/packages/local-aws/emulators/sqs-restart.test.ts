import { statSync } from "node:fs";
import { join } from "node:path";
import {
  ChangeMessageVisibilityCommand,
  CreateQueueCommand,
  DeleteQueueCommand,
  GetQueueUrlCommand,
  PurgeQueueCommand,
  SetQueueAttributesCommand,
} from "@aws-sdk/client-sqs";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readJournal } from "#local-aws/emulators/journal.ts";
import { replay, type SqsRecord } from "#local-aws/emulators/sqs/records.ts";
import { SECOND } from "#local-aws/support/time.ts";
import { type EmulatorFixture, startEmulatorFixture } from "./support/emulator-fixture.ts";
import { createTestQueue, messageBodies, openTestQueue, redrivePolicy, type TestQueue } from "./support/test-queue.ts";

let fixture: EmulatorFixture;
beforeEach(async () => {
  fixture = await startEmulatorFixture();
});
afterEach(() => fixture.close());

/** Restarts. The queue is still addressed by its old URL. */
async function restartAndReopen(queue: TestQueue): Promise<TestQueue> {
  fixture = await fixture.restart();
  return openTestQueue(fixture.sqs, queue.url.replace(new URL(queue.url).origin, fixture.emulators.url));
}

test("after a restart, messages are received as they were sent, in order", async () => {
  const before = await createTestQueue(fixture.sqs, "stored");
  const more = {
    MessageGroupId: "g",
    MessageAttributes: { b: { DataType: "Binary", BinaryValue: Buffer.from([1, 2]) } },
  };
  await before.send("first é", more);
  await before.send("second");
  const sentAt = String(fixture.now());
  fixture.advance(SECOND);
  const [first, second] = await (await restartAndReopen(before)).receive();
  expect(first?.Body).toBe("first é");
  expect(first?.Attributes).toMatchObject({ SentTimestamp: sentAt, MessageGroupId: "g" });
  expect([...(first?.MessageAttributes?.b?.BinaryValue ?? [])]).toEqual([1, 2]);
  expect(second?.Body).toBe("second");
});

test("after a restart, a delay continues", async () => {
  const before = await createTestQueue(fixture.sqs, "delayed");
  await before.send("x", { DelaySeconds: 60 });
  fixture.advance(20 * SECOND);
  const queue = await restartAndReopen(before);
  fixture.advance(40 * SECOND - 1);
  expect(await queue.receive()).toEqual([]);
  fixture.advance(1);
  expect(messageBodies(await queue.receive())).toEqual(["x"]);
});

test("the journal says until when a consumer has postponed a message, and after a restart it is visible at once, its receive not counted", async () => {
  const before = await createTestQueue(fixture.sqs, "postponed", { VisibilityTimeout: "1" });
  await before.send("x");
  const [message] = await before.receive();
  const { ReceiptHandle } = message ?? {};
  await fixture.sqs.send(
    new ChangeMessageVisibilityCommand({ QueueUrl: before.url, ReceiptHandle, VisibilityTimeout: 600 }),
  );
  const read = () => {
    const queues = replay(readJournal<SqsRecord>(join(fixture.dataDir, "sqs.jsonl")));
    return [...(queues.get("postponed")?.messages.values() ?? [])].map(({ postponedUntil }) => postponedUntil);
  };
  expect(read()).toEqual([fixture.now() + 600 * SECOND]);
  fixture.advance(2 * SECOND);
  const queue = await restartAndReopen(before);
  const [again] = await queue.receive();
  expect(again?.Attributes?.ApproximateReceiveCount).toBe("1");
  // Received again, it is in flight as any other.
  expect(read()).toEqual([undefined]);
});

test("after a restart, a message in flight is visible at once and its last receive is not counted", async () => {
  const before = await createTestQueue(fixture.sqs, "flying", { VisibilityTimeout: "600" });
  await before.send("x");
  const [inFlightMessage] = await before.receive();
  const firstReceived = inFlightMessage?.Attributes?.ApproximateFirstReceiveTimestamp;
  fixture.advance(SECOND);
  const [message] = await (await restartAndReopen(before)).receive();
  expect(message?.Attributes).toMatchObject({
    ApproximateReceiveCount: "1",
    ApproximateFirstReceiveTimestamp: firstReceived,
  });
});

test("after a restart, an earlier handle still deletes a message that was not received again", async () => {
  const before = await createTestQueue(fixture.sqs, "handled");
  await before.send("x");
  const [message] = await before.receive();
  const queue = await restartAndReopen(before);
  await queue.delete(message);
  expect(await queue.receive()).toEqual([]);
});

test("each receive before a restart counts towards the dead-letter queue, and dead letters stay there", async () => {
  const dead = await createTestQueue(fixture.sqs, "dead");
  const before = await createTestQueue(fixture.sqs, "live", { RedrivePolicy: await redrivePolicy(dead, 1) });
  await before.send("poison");
  await before.receive();
  fixture.advance(31 * SECOND);
  const queue = await restartAndReopen(before);
  expect(await queue.receive()).toEqual([]);
  const [message] = await (await restartAndReopen(dead)).receive();
  expect(message?.Body).toBe("poison");
  expect(message?.Attributes).toMatchObject({
    ApproximateReceiveCount: "2",
    DeadLetterQueueSourceArn: "arn:aws:sqs:us-east-1:000000000000:live",
  });
});

test("deleted messages, purged messages and deleted queues stay deleted over two restarts", async () => {
  const purged = await createTestQueue(fixture.sqs, "purged");
  const dropped = await createTestQueue(fixture.sqs, "dropped");
  const before = await createTestQueue(fixture.sqs, "emptied");
  for (const queue of [purged, dropped, before]) await queue.send("x");
  await before.delete((await before.receive())[0]);
  await fixture.sqs.send(new PurgeQueueCommand({ QueueUrl: purged.url }));
  await fixture.sqs.send(new DeleteQueueCommand({ QueueUrl: dropped.url }));
  for (let time = 0; time < 2; time++) {
    expect(await (await restartAndReopen(before)).receive()).toEqual([]);
    expect(await (await restartAndReopen(purged)).receive()).toEqual([]);
    const lost = fixture.sqs.send(new GetQueueUrlCommand({ QueueName: "dropped" }));
    await expect(lost).rejects.toMatchObject({ name: "QueueDoesNotExist" });
  }
});

test("a second delivery from fault injection is lost at a restart", async () => {
  const before = await createTestQueue(fixture.sqs, "doubled");
  fixture.emulators.sqs.chaos({ duplicate: 1, shuffle: false, random: Math.random });
  await before.send("x");
  await before.delete((await before.receive())[0]);
  expect(await before.attribute("ApproximateNumberOfMessages")).toBe("1");
  expect(await (await restartAndReopen(before)).receive()).toEqual([]);
});

test("after a restart, a queue can be created with its own settings, and with others only once they are set", async () => {
  const before = await createTestQueue(fixture.sqs, "settled", { VisibilityTimeout: "7" });
  const queue = await restartAndReopen(before);
  const create = (VisibilityTimeout: string) =>
    fixture.sqs.send(new CreateQueueCommand({ QueueName: "settled", Attributes: { VisibilityTimeout } }));
  expect((await create("7")).QueueUrl).toBe(queue.url);
  await expect(create("8")).rejects.toMatchObject({ name: "QueueNameExists" });
  await fixture.sqs.send(
    new SetQueueAttributesCommand({ QueueUrl: queue.url, Attributes: { VisibilityTimeout: "8" } }),
  );
  expect((await create("8")).QueueUrl).toBe(queue.url);
});

test("the journal of a busy queue stays short and still holds the remaining messages", async () => {
  const before = await createTestQueue(fixture.sqs, "busy");
  await before.send("stored");
  await before.receive();
  const mebibyte = "x".repeat(1024 * 1024);
  for (let count = 0; count < 40; count++) {
    await before.send(mebibyte);
    await before.delete((await before.receive())[0]);
  }
  expect(statSync(join(fixture.dataDir, "sqs.jsonl")).size).toBeLessThan(20 * mebibyte.length);
  expect(messageBodies(await (await restartAndReopen(before)).receive())).toEqual(["stored"]);
});
