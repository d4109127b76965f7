import {
  ChangeMessageVisibilityBatchCommand,
  ChangeMessageVisibilityCommand,
  DeleteMessageBatchCommand,
  SendMessageBatchCommand,
  SendMessageCommand,
} from "@aws-sdk/client-sqs";
import { expect, test } from "vitest";
import { HOUR, SECOND } from "#local-aws/support/time.ts";
import { openedOnce } from "../../../support/opened.ts";
import { startEmulatorFixture } from "./support/emulator-fixture.ts";
import { createTestQueue, messageBodies } from "./support/test-queue.ts";

const fixture = openedOnce(startEmulatorFixture);

let queueCount = 0;
const newQueue = (attributes = {}) => createTestQueue(fixture.sqs, `queue-${++queueCount}`, attributes);
const MIB = 1024 * 1024;

test("a message is received as it was sent, with its attributes, receive count and times", async () => {
  const queue = await newQueue();
  await queue.send('{"h":"é✓"}', {
    MessageGroupId: "tenant-1",
    MessageAttributes: {
      kind: { DataType: "String", StringValue: "x" },
      n: { DataType: "Number", StringValue: "5" },
      b: { DataType: "Binary", BinaryValue: Buffer.from([1, 2]) },
    },
    MessageSystemAttributes: {
      AWSTraceHeader: { DataType: "String", StringValue: "Root=1-5759e988-bd862e3fe1be46a9" },
    },
  });
  const [message] = await queue.receive();
  expect(message?.Body).toBe('{"h":"é✓"}');
  expect(message?.MessageAttributes?.kind?.StringValue).toBe("x");
  expect(message?.MessageAttributes?.n?.StringValue).toBe("5");
  expect([...(message?.MessageAttributes?.b?.BinaryValue ?? [])]).toEqual([1, 2]);
  expect(message?.Attributes).toEqual({
    SenderId: "AIDALOCAL",
    SentTimestamp: String(fixture.now()),
    ApproximateReceiveCount: "1",
    ApproximateFirstReceiveTimestamp: String(fixture.now()),
    MessageGroupId: "tenant-1",
    AWSTraceHeader: "Root=1-5759e988-bd862e3fe1be46a9",
  });
});

test("a message is received with only the requested attributes", async () => {
  const queue = await newQueue();
  const value = { DataType: "String", StringValue: "v" };
  await queue.send("x", { MessageAttributes: { "a.one": value, "a.two": value, b: value } });
  const [message] = await queue.receive({
    MessageSystemAttributeNames: ["ApproximateReceiveCount"],
    MessageAttributeNames: ["a.*"],
  });
  expect(message?.Attributes).toEqual({ ApproximateReceiveCount: "1" });
  expect(Object.keys(message?.MessageAttributes ?? {})).toEqual(["a.one", "a.two"]);
});

test("a message is not received after its deletion, even after its visibility timeout", async () => {
  const queue = await newQueue({ VisibilityTimeout: "2" });
  await queue.send("x");
  const [message] = await queue.receive();
  await queue.delete(message);
  fixture.advance(2 * SECOND);
  expect(await queue.receive()).toEqual([]);
});

test("a message is hidden until the last millisecond of its visibility timeout, then is received with another handle", async () => {
  const queue = await newQueue({ VisibilityTimeout: "2" });
  await queue.send("x");
  const [first] = await queue.receive();
  fixture.advance(2 * SECOND - 1);
  expect(await queue.receive()).toEqual([]);
  fixture.advance(1);
  const [second] = await queue.receive();
  expect(second?.Attributes?.ApproximateReceiveCount).toBe("2");
  expect(second?.ReceiptHandle).not.toBe(first?.ReceiptHandle);
});

test("a message is not deleted with the handle of an earlier receive", async () => {
  const queue = await newQueue({ VisibilityTimeout: "2" });
  await queue.send("x");
  const [first] = await queue.receive();
  fixture.advance(2 * SECOND);
  await queue.receive();
  await queue.delete(first);
  fixture.advance(2 * SECOND);
  expect(messageBodies(await queue.receive())).toEqual(["x"]);
});

test("a message is visible again at once with a timeout of 0, and hidden longer with a longer one", async () => {
  const queue = await newQueue();
  const hide = (handle: string | undefined, seconds: number) =>
    fixture.sqs.send(
      new ChangeMessageVisibilityCommand({ QueueUrl: queue.url, ReceiptHandle: handle, VisibilityTimeout: seconds }),
    );
  await queue.send("x");
  const [first] = await queue.receive();
  await hide(first?.ReceiptHandle, 0);
  const [second] = await queue.receive();
  await hide(second?.ReceiptHandle, 60);
  fixture.advance(60 * SECOND - 1);
  expect(await queue.receive()).toEqual([]);
  fixture.advance(1);
  await expect(hide(second?.ReceiptHandle, 60)).rejects.toMatchObject({ name: "InvalidParameterValue" });
  expect(messageBodies(await queue.receive())).toEqual(["x"]);
});

test.each(["message", "queue"])("a message waits for the delay of the %s and is counted as delayed", async (whose) => {
  const queue = await newQueue(whose === "queue" ? { DelaySeconds: "900" } : {});
  await queue.send("x", whose === "message" ? { DelaySeconds: 900 } : {});
  expect(await queue.attribute("ApproximateNumberOfMessagesDelayed")).toBe("1");
  fixture.advance(900 * SECOND - 1);
  expect(await queue.receive()).toEqual([]);
  fixture.advance(1);
  expect(messageBodies(await queue.receive())).toEqual(["x"]);
});

test("a message is dropped at the end of its retention", async () => {
  const queue = await newQueue({ MessageRetentionPeriod: "3600" });
  await queue.send("x", { DelaySeconds: 60 });
  fixture.advance(HOUR - 1);
  expect(await queue.attribute("ApproximateNumberOfMessages")).toBe("1");
  fixture.advance(1);
  expect(await queue.attribute("ApproximateNumberOfMessages")).toBe("0");
  expect(await queue.receive()).toEqual([]);
});

test("a message is counted by state", async () => {
  const queue = await newQueue();
  for (const body of ["a", "b", "c"]) await queue.send(body);
  await queue.receive({ MaxNumberOfMessages: 1 });
  expect(await queue.attribute("ApproximateNumberOfMessages")).toBe("2");
  expect(await queue.attribute("ApproximateNumberOfMessagesNotVisible")).toBe("1");
});

test("a message of one mebibyte with its attributes is accepted, and of one byte more is rejected", async () => {
  const queue = await newQueue();
  const MessageAttributes = { k: { DataType: "String", StringValue: "v" } };
  await queue.send("x".repeat(MIB - 8), { MessageAttributes });
  await expect(queue.send("x".repeat(MIB - 7), { MessageAttributes })).rejects.toMatchObject({
    name: "InvalidParameterValue",
  });
});

test.each([
  ["a delay over 900 seconds", { DelaySeconds: 901 }, "InvalidParameterValue"],
  ["an empty body", { MessageBody: "" }, "MissingParameter"],
  ["a control character", { MessageBody: "a\u0001" }, "InvalidMessageContents"],
  [
    "an attribute without a value",
    { MessageAttributes: { a: { DataType: "String", StringValue: "" } } },
    "InvalidParameterValue",
  ],
])("a message with %s is rejected", async (_, more, name) => {
  const queue = await newQueue();
  const send = new SendMessageCommand({ QueueUrl: queue.url, MessageBody: "x", ...more });
  await expect(fixture.sqs.send(send)).rejects.toMatchObject({ name });
});

const entries = (count: number, body = (index: number) => `b${index}`) =>
  Array.from({ length: count }, (_, index) => ({ Id: `e${index}`, MessageBody: body(index) }));

test("a batch of ten is sent, received, hidden and deleted, each entry with its own delay", async () => {
  const queue = await newQueue();
  const Entries = entries(10).map((entry, index) => (index === 9 ? { ...entry, DelaySeconds: 5 } : entry));
  const sent = await fixture.sqs.send(new SendMessageBatchCommand({ QueueUrl: queue.url, Entries }));
  expect([sent.Successful?.length, sent.Failed]).toEqual([10, []]);
  const first = await queue.receive();
  expect(messageBodies(first)).toEqual(entries(9).map((entry) => entry.MessageBody));
  fixture.advance(5 * SECOND);
  const all = [...first, ...(await queue.receive())];
  const Handles = all.map((message, index) => ({ Id: `h${index}`, ReceiptHandle: message.ReceiptHandle }));
  const hidden = await fixture.sqs.send(
    new ChangeMessageVisibilityBatchCommand({
      QueueUrl: queue.url,
      Entries: Handles.map((handle) => ({ ...handle, VisibilityTimeout: 0 })),
    }),
  );
  expect(hidden.Successful?.length).toBe(10);
  const again = await queue.receive();
  const deleted = await fixture.sqs.send(
    new DeleteMessageBatchCommand({
      QueueUrl: queue.url,
      Entries: [
        ...again.slice(1).map((message, index) => ({ Id: `d${index}`, ReceiptHandle: message.ReceiptHandle })),
        { Id: "bad", ReceiptHandle: "bogus" },
      ],
    }),
  );
  expect(deleted.Successful?.length).toBe(9);
  expect(deleted.Failed).toMatchObject([{ Id: "bad", SenderFault: true, Code: "ReceiptHandleIsInvalid" }]);
  fixture.advance(30 * SECOND);
  expect(await queue.receive()).toHaveLength(1);
});

test("a batch reports the rejected entry and accepts the others", async () => {
  const queue = await newQueue();
  const Entries = [...entries(1), { Id: "late", MessageBody: "x", DelaySeconds: 901 }];
  const sent = await fixture.sqs.send(new SendMessageBatchCommand({ QueueUrl: queue.url, Entries }));
  expect(sent.Successful?.map((one) => one.Id)).toEqual(["e0"]);
  expect(sent.Failed?.map((one) => [one.Id, one.Code])).toEqual([["late", "InvalidParameterValue"]]);
});

test("a batch of one mebibyte in total is accepted, and of one byte more is rejected", async () => {
  const queue = await newQueue();
  const halves = (extra: number) => entries(2, (index) => "x".repeat(MIB / 2 + index * extra));
  await fixture.sqs.send(new SendMessageBatchCommand({ QueueUrl: queue.url, Entries: halves(0) }));
  const tooLong = fixture.sqs.send(new SendMessageBatchCommand({ QueueUrl: queue.url, Entries: halves(1) }));
  await expect(tooLong).rejects.toMatchObject({ name: "BatchRequestTooLong" });
});

test.each([
  ["of eleven", entries(11), "TooManyEntriesInBatchRequest"],
  ["of none", [], "EmptyBatchRequest"],
  ["with an id twice", [...entries(1), ...entries(1)], "BatchEntryIdsNotDistinct"],
  ["with an id of other characters", [{ Id: "a b", MessageBody: "x" }], "InvalidBatchEntryId"],
])("%s is rejected", async (_, Entries, name) => {
  const queue = await newQueue();
  const send = fixture.sqs.send(new SendMessageBatchCommand({ QueueUrl: queue.url, Entries }));
  await expect(send).rejects.toMatchObject({ name });
});

test.each([{ MaxNumberOfMessages: 11 }, { WaitTimeSeconds: 21 }, { VisibilityTimeout: 43_201 }])(
  "a receive with %o is rejected",
  async (more) => {
    const queue = await newQueue();
    await expect(queue.receive(more)).rejects.toMatchObject({ name: "InvalidParameterValue" });
  },
);

test("a receive rejects a handle of another queue or an invalid handle", async () => {
  const [queue, other] = [await newQueue(), await newQueue()];
  await other.send("x");
  const [message] = await other.receive();
  await expect(queue.delete(message)).rejects.toMatchObject({ name: "ReceiptHandleIsInvalid" });
  await expect(queue.delete({ ReceiptHandle: "bogus" })).rejects.toMatchObject({ name: "ReceiptHandleIsInvalid" });
});
