import { join } from "node:path";
import { setImmediate as tick } from "node:timers/promises";
import { ChangeMessageVisibilityCommand, DeleteQueueCommand } from "@aws-sdk/client-sqs";
import { expect, test } from "vitest";
import { startEmulators } from "#local-aws/emulators/server.ts";
import { SECOND } from "#local-aws/support/time.ts";
import { testAccessKeys } from "../../../support/access/access-keys.ts";
import { signedFetch } from "../../../support/access/signed-fetch.ts";
import { openedOnce } from "../../../support/opened.ts";
import { clientsFor, startEmulatorFixture } from "./support/emulator-fixture.ts";
import { createTestQueue, messageBodies, type TestQueue } from "./support/test-queue.ts";

const fixture = openedOnce(startEmulatorFixture);

let queueCount = 0;
const newQueue = (attributes = {}) => createTestQueue(fixture.sqs, `waiting-${++queueCount}`, attributes);

/** Starts a receive of 20 seconds. Resolves once it waits at the emulator, with a function that returns its outcome. */
async function startPolling(queue: TestQueue): Promise<{ outcome: Promise<string[]> }> {
  const received = (): number => fixture.emulators.sqs.counts.ReceiveMessage ?? 0;
  const before = received();
  const outcome = queue.receive({ WaitTimeSeconds: 20 }).then(messageBodies);
  while (received() === before) await tick();
  return { outcome };
}

test("a waiting receive gets a message the moment it is sent", async () => {
  const queue = await newQueue();
  const { outcome } = await startPolling(queue);
  await queue.send("now");
  expect(await outcome).toEqual(["now"]);
});

test("a waiting receive ends empty when its time has passed by the stack's clock", async () => {
  const queue = await newQueue();
  const { outcome } = await startPolling(queue);
  fixture.advance(20 * SECOND);
  expect(await outcome).toEqual([]);
});

test("a waiting receive ends empty when its time has passed in real time and the stack's clock is stopped", async () => {
  const queue = await newQueue({ ReceiveMessageWaitTimeSeconds: "1" });
  const started = performance.now();
  expect(await queue.receive()).toEqual([]);
  expect(performance.now() - started).toBeGreaterThanOrEqual(990);
});

test("a clock jump delivers a delayed message to a waiting receive", async () => {
  const queue = await newQueue();
  await queue.send("later", { DelaySeconds: 900 });
  const { outcome } = await startPolling(queue);
  fixture.advance(900 * SECOND);
  expect(await outcome).toEqual(["later"]);
});

test("a clock jump delivers a message whose visibility timeout has passed to a waiting receive", async () => {
  const queue = await newQueue({ VisibilityTimeout: "10" });
  await queue.send("again");
  await queue.receive();
  const { outcome } = await startPolling(queue);
  fixture.advance(10 * SECOND);
  expect(await outcome).toEqual(["again"]);
});

test("a message that its consumer makes visible goes to a waiting receive", async () => {
  const queue = await newQueue();
  await queue.send("given back");
  const [message] = await queue.receive();
  const { outcome } = await startPolling(queue);
  const giveBack = { QueueUrl: queue.url, ReceiptHandle: message?.ReceiptHandle, VisibilityTimeout: 0 };
  await fixture.sqs.send(new ChangeMessageVisibilityCommand(giveBack));
  expect(await outcome).toEqual(["given back"]);
});

test("one message goes to exactly one of two waiting receives", async () => {
  const queue = await newQueue();
  const [first, second] = [await startPolling(queue), await startPolling(queue)];
  await queue.send("one");
  expect(await first.outcome).toEqual(["one"]);
  fixture.advance(20 * SECOND);
  expect(await second.outcome).toEqual([]);
});

test("a receive whose caller disconnected takes no message", async () => {
  const queue = await newQueue();
  const leaving = new AbortController();
  const before = fixture.emulators.sqs.counts.ReceiveMessage ?? 0;
  const abandoned = signedFetch(fixture.emulators.url, {
    service: "sqs",
    signal: leaving.signal,
    headers: { "x-amz-target": "AmazonSQS.ReceiveMessage" },
    body: JSON.stringify({ QueueUrl: queue.url, WaitTimeSeconds: 20 }),
  });
  while ((fixture.emulators.sqs.counts.ReceiveMessage ?? 0) === before) await tick();
  leaving.abort();
  await expect(abandoned).rejects.toThrow("abort");
  const { outcome } = await startPolling(queue);
  await queue.send("for the living");
  expect(await outcome).toEqual(["for the living"]);
});

test("deleting a queue ends its waiting receives", async () => {
  const queue = await newQueue();
  const { outcome } = await startPolling(queue);
  await fixture.sqs.send(new DeleteQueueCommand({ QueueUrl: queue.url }));
  expect(await outcome).toEqual([]);
});

test("a delayed message goes to a waiting receive by itself while the clock runs", async () => {
  const running = await startEmulators({
    port: 0,
    dataDir: join(fixture.dataDir, "running"),
    now: () => Date.now(),
    accessKeys: testAccessKeys,
  });
  const { sqs } = clientsFor(running.url);
  try {
    const queue = await createTestQueue(sqs, "running");
    await queue.send("soon", { DelaySeconds: 1 });
    const started = performance.now();
    expect(messageBodies(await queue.receive({ WaitTimeSeconds: 20 }))).toEqual(["soon"]);
    expect(performance.now() - started).toBeLessThan(10 * SECOND);
  } finally {
    sqs.destroy();
    await running.close();
  }
});
