import { statSync } from "node:fs";
import { join } from "node:path";
import {
  CreateQueueCommand,
  DeleteQueueCommand,
  GetQueueUrlCommand,
  PurgeQueueCommand,
  SetQueueAttributesCommand,
} from "@aws-sdk/client-sqs";
import { afterEach, beforeEach, expect, test } from "vitest";
import { SECOND } from "../../../shared/kernel/time.ts";
import { type Bench, startBench } from "./support/bench.ts";
import { bodies, makeQueue, queueAt, redriveTo, type TestQueue } from "./support/queue.ts";

let bench: Bench;
beforeEach(async () => {
  bench = await startBench();
});
afterEach(() => bench.close());

/** Restarts; the queue is known by its old URL. */
async function restarted(queue: TestQueue): Promise<TestQueue> {
  bench = await bench.restart();
  return queueAt(bench.sqs, queue.url.replace(new URL(queue.url).origin, bench.emulators.url));
}

test("after a restart a message comes as it was sent, in its order", async () => {
  const before = await makeQueue(bench.sqs, "kept");
  const more = {
    MessageGroupId: "g",
    MessageAttributes: { b: { DataType: "Binary", BinaryValue: Buffer.from([1, 2]) } },
  };
  await before.send("first é", more);
  await before.send("second");
  const sentAt = String(bench.now());
  bench.turn(SECOND);
  const [first, second] = await (await restarted(before)).receive();
  expect(first?.Body).toBe("first é");
  expect(first?.Attributes).toMatchObject({ SentTimestamp: sentAt, MessageGroupId: "g" });
  expect([...(first?.MessageAttributes?.b?.BinaryValue ?? [])]).toEqual([1, 2]);
  expect(second?.Body).toBe("second");
});

test("after a restart a delay runs on", async () => {
  const before = await makeQueue(bench.sqs, "delayed");
  await before.send("x", { DelaySeconds: 60 });
  bench.turn(20 * SECOND);
  const queue = await restarted(before);
  bench.turn(40 * SECOND - 1);
  expect(await queue.receive()).toEqual([]);
  bench.turn(1);
  expect(bodies(await queue.receive())).toEqual(["x"]);
});

test("after a restart a message in flight is visible at once, as if it had not been handed out that time", async () => {
  const before = await makeQueue(bench.sqs, "flying", { VisibilityTimeout: "600" });
  await before.send("x");
  const [held] = await before.receive();
  const firstReceived = held?.Attributes?.ApproximateFirstReceiveTimestamp;
  bench.turn(SECOND);
  const [message] = await (await restarted(before)).receive();
  expect(message?.Attributes).toMatchObject({
    ApproximateReceiveCount: "1",
    ApproximateFirstReceiveTimestamp: firstReceived,
  });
});

test("after a restart a handle from before still deletes what nobody else has received", async () => {
  const before = await makeQueue(bench.sqs, "handled");
  await before.send("x");
  const [message] = await before.receive();
  const queue = await restarted(before);
  await queue.remove(message);
  expect(await queue.receive()).toEqual([]);
});

test("receives before a restart count towards the dead-letter queue, and dead letters stay there", async () => {
  const dead = await makeQueue(bench.sqs, "dead");
  const before = await makeQueue(bench.sqs, "live", { RedrivePolicy: await redriveTo(dead, 1) });
  await before.send("poison");
  await before.receive();
  bench.turn(31 * SECOND);
  const queue = await restarted(before);
  expect(await queue.receive()).toEqual([]);
  const [message] = await (await restarted(dead)).receive();
  expect(message?.Body).toBe("poison");
  expect(message?.Attributes).toMatchObject({
    ApproximateReceiveCount: "1",
    DeadLetterQueueSourceArn: "arn:aws:sqs:us-east-1:000000000000:live",
  });
});

test("deleted and purged messages and deleted queues stay away, over two restarts", async () => {
  const purged = await makeQueue(bench.sqs, "purged");
  const dropped = await makeQueue(bench.sqs, "dropped");
  const before = await makeQueue(bench.sqs, "emptied");
  for (const queue of [purged, dropped, before]) await queue.send("x");
  await before.remove((await before.receive())[0]);
  await bench.sqs.send(new PurgeQueueCommand({ QueueUrl: purged.url }));
  await bench.sqs.send(new DeleteQueueCommand({ QueueUrl: dropped.url }));
  for (let time = 0; time < 2; time++) {
    expect(await (await restarted(before)).receive()).toEqual([]);
    expect(await (await restarted(purged)).receive()).toEqual([]);
    const lost = bench.sqs.send(new GetQueueUrlCommand({ QueueName: "dropped" }));
    await expect(lost).rejects.toMatchObject({ name: "QueueDoesNotExist" });
  }
});

test("a second delivery by the fault knob does not outlive the process", async () => {
  const before = await makeQueue(bench.sqs, "doubled");
  bench.emulators.sqs.chaos({ duplicate: 1, shuffle: false, random: Math.random });
  await before.send("x");
  await before.remove((await before.receive())[0]);
  expect(await before.attribute("ApproximateNumberOfMessages")).toBe("1");
  expect(await (await restarted(before)).receive()).toEqual([]);
});

test("after a restart a queue has its settings: the same are taken again, others are refused until they are set", async () => {
  const before = await makeQueue(bench.sqs, "settled", { VisibilityTimeout: "7" });
  const queue = await restarted(before);
  const create = (VisibilityTimeout: string) =>
    bench.sqs.send(new CreateQueueCommand({ QueueName: "settled", Attributes: { VisibilityTimeout } }));
  expect((await create("7")).QueueUrl).toBe(queue.url);
  await expect(create("8")).rejects.toMatchObject({ name: "QueueNameExists" });
  await bench.sqs.send(new SetQueueAttributesCommand({ QueueUrl: queue.url, Attributes: { VisibilityTimeout: "8" } }));
  expect((await create("8")).QueueUrl).toBe(queue.url);
});

test("the journal of a queue that much went through stays short, and what is still in it is kept", async () => {
  const before = await makeQueue(bench.sqs, "busy");
  await before.send("kept");
  await before.receive();
  const mebibyte = "x".repeat(1024 * 1024);
  for (let count = 0; count < 40; count++) {
    await before.send(mebibyte);
    await before.remove((await before.receive())[0]);
  }
  expect(statSync(join(bench.dataDir, "sqs.jsonl")).size).toBeLessThan(20 * mebibyte.length);
  expect(bodies(await (await restarted(before)).receive())).toEqual(["kept"]);
});
