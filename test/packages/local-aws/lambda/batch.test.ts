import { expect, it } from "vitest";
import { parseBatchItemFailures, succeededMessages, toQueueEvent } from "#local-aws/lambda/batch.ts";

const all = new Set(["a", "b", "c"]);

it.each([
  ["nothing", null],
  ["an empty object", {}],
  ["no list", { batchItemFailures: null }],
  ["an empty list", { batchItemFailures: [] }],
])("a worker's response with %s completes the whole batch", (_what, answer) => {
  expect(parseBatchItemFailures(answer, all)).toEqual(new Set());
});

it("a worker's response with some ids leaves only those messages in the queue", () => {
  const answer = { batchItemFailures: [{ itemIdentifier: "a" }, { itemIdentifier: "c" }] };
  expect(parseBatchItemFailures(answer, all)).toEqual(new Set(["a", "c"]));
});

it.each([
  ["an id that is not in the batch", { batchItemFailures: [{ itemIdentifier: "a" }, { itemIdentifier: "z" }] }],
  ["an empty id", { batchItemFailures: [{ itemIdentifier: "" }] }],
  ["no id", { batchItemFailures: [{ itemId: "a" }] }],
  ["null in the list", { batchItemFailures: [null] }],
  ["no list at all", { batchItemFailures: "a" }],
  ["another structure", { failures: [] }],
  ["a text", "done"],
])("a worker's response with %s fails the whole batch", (_what, answer) => {
  expect(parseBatchItemFailures(answer, all)).toEqual(all);
});

it("a received message is a record with its body, its attributes and its queue", () => {
  const message = {
    MessageId: "a",
    ReceiptHandle: "r",
    Body: "{}",
    MD5OfBody: "m",
    Attributes: { ApproximateReceiveCount: "2", MessageGroupId: "t" },
    MessageAttributes: { kind: { DataType: "String", StringValue: "x" } },
  };
  expect(toQueueEvent([message], "arn:q").Records).toEqual([
    {
      messageId: "a",
      receiptHandle: "r",
      body: "{}",
      attributes: { ApproximateReceiveCount: "2", MessageGroupId: "t" },
      messageAttributes: {
        kind: { dataType: "String", stringValue: "x", stringListValues: [], binaryListValues: [] },
      },
      md5OfBody: "m",
      eventSource: "aws:sqs",
      eventSourceARN: "arn:q",
      awsRegion: "us-east-1",
    },
  ]);
});

it("the messages that the response does not name are those that succeeded", () => {
  const messages = [{ MessageId: "a" }, { MessageId: "b" }];
  expect(succeededMessages(messages, { batchItemFailures: [{ itemIdentifier: "a" }] })).toEqual([{ MessageId: "b" }]);
  expect(succeededMessages(messages, null)).toEqual(messages);
  expect(succeededMessages(messages, "done")).toEqual([]);
});
