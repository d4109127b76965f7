import { join } from "node:path";
import { setImmediate as tick } from "node:timers/promises";
import { ChangeMessageVisibilityCommand, DeleteQueueCommand } from "@aws-sdk/client-sqs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startEmulators } from "../../../local/emulators/server.ts";
import { SECOND } from "../../../shared/kernel/time.ts";
import { type Bench, clientsFor, startBench } from "./support/bench.ts";
import { bodies, makeQueue, type TestQueue } from "./support/queue.ts";

let bench: Bench;
beforeAll(async () => {
  bench = await startBench();
});
afterAll(() => bench.close());

let made = 0;
const newQueue = (attributes = {}) => makeQueue(bench.sqs, `waiting-${++made}`, attributes);

/** Starts a receive of 20 seconds; resolves once it waits at the emulator, with a way to have its outcome. */
async function poll(queue: TestQueue): Promise<{ outcome: Promise<string[]> }> {
  const received = (): number => bench.emulators.sqs.counts.ReceiveMessage ?? 0;
  const before = received();
  const outcome = queue.receive({ WaitTimeSeconds: 20 }).then(bodies);
  while (received() === before) await tick();
  return { outcome };
}

test("a waiting receive gets a message the moment it is sent", async () => {
  const queue = await newQueue();
  const { outcome } = await poll(queue);
  await queue.send("now");
  expect(await outcome).toEqual(["now"]);
});

test("a waiting receive ends empty when its time is over by the stack's clock", async () => {
  const queue = await newQueue();
  const { outcome } = await poll(queue);
  bench.turn(20 * SECOND);
  expect(await outcome).toEqual([]);
});

test("a waiting receive ends empty when its real time is over, though the clock stands still", async () => {
  const queue = await newQueue({ ReceiveMessageWaitTimeSeconds: "1" });
  const started = performance.now();
  expect(await queue.receive()).toEqual([]);
  expect(performance.now() - started).toBeGreaterThanOrEqual(990);
});

test("a turned clock brings a delayed message to a waiting receive", async () => {
  const queue = await newQueue();
  await queue.send("later", { DelaySeconds: 900 });
  const { outcome } = await poll(queue);
  bench.turn(900 * SECOND);
  expect(await outcome).toEqual(["later"]);
});

test("a turned clock brings a message back from flight to a waiting receive", async () => {
  const queue = await newQueue({ VisibilityTimeout: "10" });
  await queue.send("again");
  await queue.receive();
  const { outcome } = await poll(queue);
  bench.turn(10 * SECOND);
  expect(await outcome).toEqual(["again"]);
});

test("a message made visible by its consumer goes to a waiting receive", async () => {
  const queue = await newQueue();
  await queue.send("given back");
  const [message] = await queue.receive();
  const { outcome } = await poll(queue);
  const giveBack = { QueueUrl: queue.url, ReceiptHandle: message?.ReceiptHandle, VisibilityTimeout: 0 };
  await bench.sqs.send(new ChangeMessageVisibilityCommand(giveBack));
  expect(await outcome).toEqual(["given back"]);
});

test("one message goes to exactly one of two waiting receives", async () => {
  const queue = await newQueue();
  const [first, second] = [await poll(queue), await poll(queue)];
  await queue.send("one");
  expect(await first.outcome).toEqual(["one"]);
  bench.turn(20 * SECOND);
  expect(await second.outcome).toEqual([]);
});

test("a receive whose caller has gone takes no message", async () => {
  const queue = await newQueue();
  const leaving = new AbortController();
  const before = bench.emulators.sqs.counts.ReceiveMessage ?? 0;
  const abandoned = fetch(bench.emulators.url, {
    method: "POST",
    signal: leaving.signal,
    headers: { "x-amz-target": "AmazonSQS.ReceiveMessage", authorization: "AWS4-HMAC-SHA256 Credential=local/" },
    body: JSON.stringify({ QueueUrl: queue.url, WaitTimeSeconds: 20 }),
  });
  while ((bench.emulators.sqs.counts.ReceiveMessage ?? 0) === before) await tick();
  leaving.abort();
  await expect(abandoned).rejects.toThrow("abort");
  const { outcome } = await poll(queue);
  await queue.send("for the living");
  expect(await outcome).toEqual(["for the living"]);
});

test("deleting a queue ends its waiting receives", async () => {
  const queue = await newQueue();
  const { outcome } = await poll(queue);
  await bench.sqs.send(new DeleteQueueCommand({ QueueUrl: queue.url }));
  expect(await outcome).toEqual([]);
});

test("a delayed message comes by itself to a waiting receive when the clock runs", async () => {
  const running = await startEmulators({ port: 0, dataDir: join(bench.dataDir, "running"), now: () => Date.now() });
  const { sqs } = clientsFor(running.url);
  try {
    const queue = await makeQueue(sqs, "running");
    await queue.send("soon", { DelaySeconds: 1 });
    const started = performance.now();
    expect(bodies(await queue.receive({ WaitTimeSeconds: 20 }))).toEqual(["soon"]);
    expect(performance.now() - started).toBeLessThan(10 * SECOND);
  } finally {
    sqs.destroy();
    await running.close();
  }
});
