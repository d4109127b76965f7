import {
  CreateQueueCommand,
  DeleteQueueCommand,
  GetQueueAttributesCommand,
  GetQueueUrlCommand,
  ListDeadLetterSourceQueuesCommand,
  ListMessageMoveTasksCommand,
  ListQueuesCommand,
  ListQueueTagsCommand,
  PurgeQueueCommand,
  SetQueueAttributesCommand,
  StartMessageMoveTaskCommand,
  TagQueueCommand,
} from "@aws-sdk/client-sqs";
import { describe, expect, test } from "vitest";
import { SECOND } from "#local-aws/support/time.ts";
import { openedOnce } from "../../../support/opened.ts";
import { startEmulatorFixture } from "./support/emulator-fixture.ts";
import { createTestQueue, messageBodies, openTestQueue, redrivePolicy } from "./support/test-queue.ts";

const fixture = openedOnce(startEmulatorFixture);

const newQueue = (name: string, attributes = {}) => createTestQueue(fixture.sqs, name, attributes);

test("a queue is found by its name, and creating it again with the same settings returns it", async () => {
  const queue = await newQueue("same", { VisibilityTimeout: "2" });
  expect((await fixture.sqs.send(new GetQueueUrlCommand({ QueueName: "same" }))).QueueUrl).toBe(queue.url);
  expect((await newQueue("same", { VisibilityTimeout: "2" })).url).toBe(queue.url);
  expect((await newQueue("same")).url).toBe(queue.url);
  expect(new URL(queue.url).origin).toBe(fixture.emulators.url);
});

test("a queue cannot be created again with other settings", async () => {
  await newQueue("other", { VisibilityTimeout: "2" });
  await expect(newQueue("other", { VisibilityTimeout: "3" })).rejects.toMatchObject({ name: "QueueNameExists" });
});

test("a queue returns its settings and counts", async () => {
  const queue = await newQueue("attributes", { VisibilityTimeout: "2" });
  const all = new GetQueueAttributesCommand({ QueueUrl: queue.url, AttributeNames: ["All"] });
  expect((await fixture.sqs.send(all)).Attributes).toEqual({
    VisibilityTimeout: "2",
    DelaySeconds: "0",
    ReceiveMessageWaitTimeSeconds: "0",
    MessageRetentionPeriod: "345600",
    MaximumMessageSize: "1048576",
    SqsManagedSseEnabled: "true",
    QueueArn: "arn:aws:sqs:us-east-1:000000000000:attributes",
    CreatedTimestamp: String(Math.floor(fixture.now() / 1000)),
    LastModifiedTimestamp: String(Math.floor(fixture.now() / 1000)),
    ApproximateNumberOfMessages: "0",
    ApproximateNumberOfMessagesNotVisible: "0",
    ApproximateNumberOfMessagesDelayed: "0",
  });
});

test.each<[Record<string, string>, string]>([
  [{ VisibilityTimeout: "43201" }, "InvalidAttributeValue"],
  [{ DelaySeconds: "-1" }, "InvalidAttributeValue"],
  [{ Nonsense: "1" }, "InvalidAttributeName"],
  [{ RedrivePolicy: "no" }, "InvalidParameterValue"],
  [{ FifoQueue: "true" }, "UnsupportedOperation"],
])("a queue with the settings %o is rejected", async (Attributes, name) => {
  const create = new CreateQueueCommand({ QueueName: "bad", Attributes });
  await expect(fixture.sqs.send(create)).rejects.toMatchObject({ name });
});

test("a queue is listed by the prefix of its name", async () => {
  const queue = await newQueue("listed-1");
  await newQueue("unlisted-1");
  expect((await fixture.sqs.send(new ListQueuesCommand({ QueueNamePrefix: "listed" }))).QueueUrls).toEqual([queue.url]);
});

test("a queue stores its tags", async () => {
  const queue = await newQueue("tagged");
  await fixture.sqs.send(new TagQueueCommand({ QueueUrl: queue.url, Tags: { a: "1" } }));
  expect((await fixture.sqs.send(new ListQueueTagsCommand({ QueueUrl: queue.url }))).Tags).toEqual({ a: "1" });
});

test("a queue is empty after a purge, which also removes delayed messages and messages in flight", async () => {
  const queue = await newQueue("purged");
  for (const DelaySeconds of [0, 0, 1]) await queue.send("x", { DelaySeconds });
  await queue.receive({ MaxNumberOfMessages: 1 });
  await fixture.sqs.send(new PurgeQueueCommand({ QueueUrl: queue.url }));
  fixture.advance(30 * SECOND);
  expect(await queue.receive()).toEqual([]);
});

test("a queue that was deleted or never created does not exist", async () => {
  const queue = await newQueue("deleted");
  await fixture.sqs.send(new DeleteQueueCommand({ QueueUrl: queue.url }));
  await expect(queue.send("x")).rejects.toMatchObject({ name: "QueueDoesNotExist" });
  const never = new GetQueueUrlCommand({ QueueName: "never" });
  await expect(fixture.sqs.send(never)).rejects.toMatchObject({ name: "QueueDoesNotExist" });
});

test("a queue is found by the last segment of a URL with another origin", async () => {
  const queue = await newQueue("moved");
  await openTestQueue(fixture.sqs, queue.url).send("x");
  const elsewhere = `${fixture.emulators.url}/111111111111/moved`;
  expect(messageBodies(await openTestQueue(fixture.sqs, elsewhere).receive())).toEqual(["x"]);
});

test("a queue rejects an operation that is not emulated by name", async () => {
  const tasks = new ListMessageMoveTasksCommand({ SourceArn: "arn:aws:sqs:us-east-1:000000000000:x" });
  await expect(fixture.sqs.send(tasks)).rejects.toThrow("AmazonSQS.ListMessageMoveTasks is not emulated");
});

test("a queue counts the requests of each operation", async () => {
  const queue = await newQueue("counted");
  const before = fixture.emulators.sqs.counts.SendMessage ?? 0;
  await queue.send("a");
  await queue.send("b");
  expect(fixture.emulators.sqs.counts.SendMessage).toBe(before + 2);
});

describe("dead letters", () => {
  const value = { k: { DataType: "String", StringValue: "v" } };

  test("a message goes to the dead-letter queue instead of its third receive", async () => {
    const dead = await newQueue("dead");
    const queue = await newQueue("live", { VisibilityTimeout: "1", RedrivePolicy: await redrivePolicy(dead, 2) });
    await queue.send("poison", { MessageAttributes: value });
    for (const time of ["first", "second"]) {
      expect(messageBodies(await queue.receive()), time).toEqual(["poison"]);
      fixture.advance(SECOND);
    }
    expect(await queue.receive()).toEqual([]);
    const [message] = await dead.receive();
    expect(message).toMatchObject({ Body: "poison", MessageAttributes: value });
    expect(message?.Attributes?.DeadLetterQueueSourceArn).toBe(await queue.attribute("QueueArn"));
    const sources = await fixture.sqs.send(new ListDeadLetterSourceQueuesCommand({ QueueUrl: dead.url }));
    expect(sources.queueUrls).toEqual([queue.url]);
  });

  test("the receive count of a dead letter goes on in its queue", async () => {
    const dead = await newQueue("dead-count", { VisibilityTimeout: "0" });
    const policy = await redrivePolicy(dead, 2);
    const queue = await newQueue("live-count", { VisibilityTimeout: "0", RedrivePolicy: policy });
    await queue.send("poison");
    for (let time = 0; time < 3; time++) await queue.receive();
    const counts = [];
    for (let time = 0; time < 2; time++) counts.push((await dead.receive())[0]?.Attributes?.ApproximateReceiveCount);
    expect(counts).toEqual(["3", "4"]);
  });

  test("a redrive policy applies when it is set later and no longer applies when it is removed", async () => {
    const dead = await newQueue("dead-later");
    const queue = await newQueue("live-later", { VisibilityTimeout: "0" });
    const set = async (RedrivePolicy: string) =>
      fixture.sqs.send(new SetQueueAttributesCommand({ QueueUrl: queue.url, Attributes: { RedrivePolicy } }));
    await set(await redrivePolicy(dead, "1"));
    await queue.send("p");
    await queue.receive();
    expect(await queue.receive()).toEqual([]);
    expect(messageBodies(await dead.receive())).toEqual(["p"]);
    await set("");
    await queue.send("q");
    await queue.receive();
    expect(messageBodies(await queue.receive())).toEqual(["q"]);
  });

  test("a policy whose dead-letter queue does not exist is rejected", async () => {
    const policy = { deadLetterTargetArn: "arn:aws:sqs:us-east-1:000000000000:nowhere", maxReceiveCount: 1 };
    await expect(newQueue("lost", { RedrivePolicy: JSON.stringify(policy) })).rejects.toThrow("Create it first");
  });

  test("a move task returns dead letters to their source queues", async () => {
    const dead = await newQueue("dead-back");
    const queue = await newQueue("live-back", { VisibilityTimeout: "0", RedrivePolicy: await redrivePolicy(dead, 1) });
    await queue.send("back");
    await queue.receive();
    await queue.receive();
    await fixture.sqs.send(new StartMessageMoveTaskCommand({ SourceArn: await dead.attribute("QueueArn") }));
    const [message] = await queue.receive();
    expect(message?.Body).toBe("back");
    expect(message?.Attributes?.ApproximateReceiveCount).toBe("1");
    expect(await dead.receive()).toEqual([]);
  });

  test("a move task from a queue that is no dead-letter queue is rejected", async () => {
    const SourceArn = await (await newQueue("plain")).attribute("QueueArn");
    await expect(fixture.sqs.send(new StartMessageMoveTaskCommand({ SourceArn }))).rejects.toThrow("Dead Letter Queue");
  });
});

const quiet = { duplicate: 0, shuffle: false, random: Math.random };

test("fault injection delivers a deleted message a second time, but not a third time", async () => {
  const queue = await newQueue("doubled");
  fixture.emulators.sqs.chaos({ ...quiet, duplicate: 1 });
  try {
    await queue.send("x");
    for (const time of ["first", "second"]) {
      const [message] = await queue.receive();
      expect(message?.Body, time).toBe("x");
      await queue.delete(message);
      await queue.delete(message);
    }
    expect(await queue.receive()).toEqual([]);
  } finally {
    fixture.emulators.sqs.chaos(quiet);
  }
});

test("fault injection duplicates only the share that its random numbers select", async () => {
  const queue = await newQueue("shared");
  const draws = [0.49, 0.5];
  fixture.emulators.sqs.chaos({ ...quiet, duplicate: 0.5, random: () => draws.shift() ?? 1 });
  try {
    await queue.send("a");
    await queue.send("b");
    for (const message of await queue.receive()) await queue.delete(message);
    expect(messageBodies(await queue.receive())).toEqual(["a"]);
  } finally {
    fixture.emulators.sqs.chaos(quiet);
  }
});

test("fault injection delivers messages in random order", async () => {
  const queue = await newQueue("shuffled");
  for (const body of ["a", "b", "c", "d"]) await queue.send(body);
  fixture.emulators.sqs.chaos({ ...quiet, shuffle: true, random: () => 0.99 });
  try {
    expect(messageBodies(await queue.receive())).toEqual(["d", "a", "b", "c"]);
  } finally {
    fixture.emulators.sqs.chaos(quiet);
  }
});
