import { CreateQueueCommand, SendMessageBatchCommand, SQSClient } from "@aws-sdk/client-sqs";
import { mockClient } from "aws-sdk-client-mock";
import { beforeEach, expect, it } from "vitest";
import { openQueue, type QueueMessage } from "#base/aws/queues.ts";
import { openReceivedMessages } from "#base/aws/received-messages.ts";
import { MINUTE, SECOND } from "#base/kernel/time.ts";
import { startEmulatorFixture } from "../../packages/local-aws/emulators/support/emulator-fixture.ts";
import { queueDepth, receiveAllMessages, receiveBatch } from "../../support/flows/queue-worker.ts";
import { openedOnce } from "../../support/opened.ts";

let url: string;
let queueCount = 0;
const fixture = openedOnce(startEmulatorFixture);
beforeEach(async () => {
  const { QueueUrl } = await fixture.sqs.send(new CreateQueueCommand({ QueueName: `queue-${++queueCount}` }));
  url = QueueUrl ?? "";
});

const outgoingMessages = (count: number, bodyAt = (i: number) => `m${i}`): QueueMessage[] =>
  Array.from({ length: count }, (_, i) => ({ body: bodyAt(i) }));
const batchRequests = () => fixture.emulators.sqs.counts.SendMessageBatch ?? 0;

it.each([
  [0, 0],
  [1, 1],
  [10, 1],
  [11, 2],
  [25, 3],
])("sending many messages sends %i messages in %i requests, and each arrives once", async (count, requests) => {
  const before = batchRequests();
  await openQueue(url, fixture.sqs).sendAll(outgoingMessages(count));
  expect(batchRequests() - before).toBe(requests);
  const arrived = await receiveAllMessages(fixture.sqs, url);
  expect(arrived.map(({ body }) => body).sort()).toEqual(
    outgoingMessages(count)
      .map(({ body }) => body)
      .sort(),
  );
});

it("sending many messages makes at most ten requests at once", async () => {
  let [inFlight, maxInFlight] = [0, 0];
  const gauge = "gauge";
  fixture.sqs.middlewareStack.add(
    (next) => async (args) => {
      maxInFlight = Math.max(maxInFlight, ++inFlight);
      return next(args).finally(() => inFlight--);
    },
    { step: "initialize", name: gauge },
  );
  await openQueue(url, fixture.sqs).sendAll(outgoingMessages(200));
  fixture.sqs.middlewareStack.remove(gauge);
  expect(maxInFlight).toBe(10);
  expect(await queueDepth(fixture.sqs, url)).toBe(200);
});

it("sending many messages keeps each request within the queue's size limit", async () => {
  const before = batchRequests();
  await openQueue(url, fixture.sqs).sendAll(outgoingMessages(6, (i) => `${i}${"é".repeat(150_000)}`));
  expect(batchRequests() - before).toBe(2);
  expect(await queueDepth(fixture.sqs, url)).toBe(6);
});

it("sending many messages fails as a whole when the queue refuses one message of a batch, and reports its error code", async () => {
  const failing = mockClient(SQSClient);
  failing.on(SendMessageBatchCommand).resolves({
    Successful: [],
    Failed: [{ Id: "1", Code: "InternalError", SenderFault: false }],
  });
  try {
    const queue = openQueue(url, new SQSClient({ region: "us-east-1" }));
    await expect(queue.sendAll(outgoingMessages(2))).rejects.toThrow("InternalError");
    failing.on(SendMessageBatchCommand).resolves({ Successful: [], Failed: [] });
    await expect(queue.sendAll(outgoingMessages(2))).resolves.toBeUndefined();
  } finally {
    failing.restore();
  }
});

it("a message is delayed in whole seconds, rounded up, and never by a negative time", async () => {
  const queue = openQueue(url, fixture.sqs);
  await queue.send({ body: "late", delay: 1_001 });
  await queue.send({ body: "now", delay: -5 });
  expect((await receiveBatch(fixture.sqs, url)).map(({ body }) => body)).toEqual(["now"]);
  fixture.advance(2 * SECOND - 1);
  expect(await receiveBatch(fixture.sqs, url)).toEqual([]);
  fixture.advance(1);
  expect((await receiveBatch(fixture.sqs, url)).map(({ body }) => body)).toEqual(["late"]);
});

it("a message may be delayed by fifteen minutes, the queue's limit, but not by a second more", async () => {
  const queue = openQueue(url, fixture.sqs);
  await queue.send({ body: "x", delay: 15 * MINUTE });
  await expect(queue.send({ body: "x", delay: 15 * MINUTE + 1 })).rejects.toMatchObject({
    name: expect.stringContaining("InvalidParameterValue"),
  });
});

it("a message that was received is postponed for the requested time, and one that the queue refuses is named", async () => {
  const queue = openQueue(url, fixture.sqs);
  await queue.send({ body: "x" });
  const [first] = await receiveBatch(fixture.sqs, url);
  const postponed = [
    { receiptHandle: first?.receiptHandle ?? "", delay: 5_500 },
    { receiptHandle: "of no message", delay: 5_500 },
  ];
  const refused = await openReceivedMessages(fixture.sqs).postpone(
    first?.eventSourceARN ?? "",
    postponed,
    new AbortController().signal,
  );
  expect(refused).toEqual(["ReceiptHandleIsInvalid"]);
  fixture.advance(6 * SECOND - 1);
  expect(await receiveBatch(fixture.sqs, url)).toEqual([]);
  fixture.advance(1);
  expect(await receiveBatch(fixture.sqs, url)).toMatchObject([{ attributes: { ApproximateReceiveCount: "2" } }]);
});
