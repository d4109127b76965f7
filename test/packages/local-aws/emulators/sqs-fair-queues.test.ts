import type { Message } from "@aws-sdk/client-sqs";
import { describe, expect, it } from "vitest";
import { MINUTE } from "#local-aws/support/time.ts";
import { openedOnce } from "../../../support/opened.ts";
import { startEmulatorFixture } from "./support/emulator-fixture.ts";
import { createTestQueue, messageBodies, type TestQueue } from "./support/test-queue.ts";

let queues = 0;
const fixture = openedOnce(startEmulatorFixture);

const newQueue = () => createTestQueue(fixture.sqs, `fair-${++queues}`, { VisibilityTimeout: "3600" });

/** Sends messages with the group's name as their body. */
async function send(queue: TestQueue, group: string | undefined, count: number): Promise<void> {
  const input = group === undefined ? {} : { MessageGroupId: group };
  for (let at = 0; at < count; at++) await queue.send(group ?? "no group", input);
}

async function receive(queue: TestQueue, count: number): Promise<Message[]> {
  const messages: Message[] = [];
  while (messages.length < count) {
    const part = await queue.receive({ MaxNumberOfMessages: Math.min(10, count - messages.length) });
    if (part.length === 0) break;
    messages.push(...part);
  }
  return messages;
}

/** The groups of the next messages, in order. */
const receiveGroups = async (queue: TestQueue, count: number) => messageBodies(await receive(queue, count));

it("a message group with 30 messages in flight and more than a tenth of all is served after the others, and as usual when nothing else waits", async () => {
  const queue = await newQueue();
  await send(queue, "noisy", 32);
  await receive(queue, 30);
  await send(queue, "one", 1);
  await send(queue, "two", 1);
  await send(queue, undefined, 1);
  expect(await receiveGroups(queue, 5)).toEqual(["one", "two", "no group", "noisy", "noisy"]);
});

it("a message group with 30 messages in flight and more than a tenth of all gives way to another such group with fewer messages in flight", async () => {
  const queue = await newQueue();
  for (const [group, count] of [
    ["more", 35],
    ["fewer", 30],
  ] as const) {
    await send(queue, group, count);
    await receive(queue, count);
  }
  await send(queue, "more", 1);
  await send(queue, "fewer", 1);
  expect(await receiveGroups(queue, 2)).toEqual(["fewer", "more"]);
});

it("a message group with 30 messages in flight and more than a tenth of all stays behind while it holds more than the others, although it is below 30 again", async () => {
  const queue = await newQueue();
  await send(queue, "noisy", 32);
  const held = await receive(queue, 30);
  await send(queue, "quiet", 1);
  expect(await receiveGroups(queue, 1)).toEqual(["quiet"]);
  for (const message of held.slice(0, 20)) await queue.delete(message);
  await send(queue, "quiet", 1);
  expect(await receiveGroups(queue, 2)).toEqual(["quiet", "noisy"]);
});

it.each([
  ["its messages are no longer in flight", (_queue: TestQueue, delete_: () => Promise<void>) => delete_()],
  ["nothing was sent to it for 5 minutes", async () => fixture.advance(5 * MINUTE)],
])(
  "a message group with 30 messages in flight and more than a tenth of all is served in order of arrival again when %s",
  async (_when, end) => {
    const queue = await newQueue();
    await send(queue, "noisy", 32);
    const held = await receive(queue, 30);
    await end(queue, async () => {
      for (const message of held) await queue.delete(message);
    });
    await send(queue, "quiet", 1);
    expect(await receiveGroups(queue, 3)).toEqual(["noisy", "noisy", "quiet"]);
  },
);

describe("messages are served in order of arrival", () => {
  it("messages are served in order of arrival below 30 messages of a group in flight", async () => {
    const queue = await newQueue();
    await send(queue, "busy", 31);
    await receive(queue, 29);
    await send(queue, "quiet", 1);
    expect(await receiveGroups(queue, 3)).toEqual(["busy", "busy", "quiet"]);
  });

  it("messages are served in order of arrival up to a tenth of all messages in flight", async () => {
    const queue = await newQueue();
    await send(queue, undefined, 270);
    await receive(queue, 270);
    await send(queue, "busy", 31);
    await receive(queue, 30);
    await send(queue, "quiet", 1);
    expect(await receiveGroups(queue, 2)).toEqual(["busy", "quiet"]);
  });

  it("messages are served in order of arrival without a group, because each is its own", async () => {
    const queue = await newQueue();
    await send(queue, undefined, 41);
    await receive(queue, 40);
    await send(queue, "quiet", 1);
    expect(await receiveGroups(queue, 2)).toEqual(["no group", "quiet"]);
  });
});
