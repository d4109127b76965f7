import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { createTestWebhook, listAllMessages } from "../support/api-calls.ts";
import { failureLines, waitUntilIdle } from "../support/emulator-journals.ts";
import { type LocalStack, startLocalStack } from "../support/local-stack.ts";
import { newPersonId, postWebhook } from "../support/platform-webhooks.ts";
import { catalogue, type EventSample } from "../support/samples/event-samples.ts";
import { groupByMessage, openReceiver, type Receiver } from "../support/webhook-receiver.ts";

let stack: LocalStack;
let receivers: Receiver[];
let samples: readonly EventSample[];
let messageSamples: readonly EventSample[];

beforeAll(async () => {
  [stack, receivers] = await Promise.all([
    startLocalStack({ env: { PARLEY_SQS_CHAOS: "0.5" } }),
    Promise.all([openReceiver(), openReceiver()]),
  ]);
  for (const { url } of receivers) await createTestWebhook(stack, url);
  // What was written before the stack connected its accounts, with a tolerance of a minute, belongs to no tenant.
  const people = { ig: newPersonId(), page: newPersonId(), msg: newPersonId() };
  // In `npm test` the kinds of events of one connection: `inbound.test.ts` has those of the others, without chaos.
  samples = catalogue(people, (await stack.now()) - 30_000).filter(
    ({ object }) => inject("fullRun") || object === "page",
  );
  messageSamples = samples.filter((kind) => kind.expected !== null);
});
afterAll(async () => {
  await Promise.all([stack?.stop(), ...(receivers ?? []).map((receiver) => receiver.close())]);
});

it("each webhook creates one message although queues repeat half of all messages in random order", async () => {
  const answers = await Promise.all(
    samples.flatMap(({ object, signer, entry }) => [1, 2].map(() => postWebhook(stack, object, [entry], { signer }))),
  );
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  await waitUntilIdle(stack, 45);
  const messages = await listAllMessages(stack);
  expect(messages).toHaveLength(messageSamples.length);
  for (const { name, mid, expected } of messageSamples.filter((kind) => kind.mid !== null)) {
    const { reply_to: _, ...expectedEvent } = expected ?? {};
    expect
      .soft(
        messages.filter(({ id }) => id === mid),
        name,
      )
      .toMatchObject([expectedEvent]);
  }
  expect(failureLines(stack.log())).toEqual([]);
});

it("each message is delivered to each endpoint at least once, always with the same event id and body", () => {
  for (const { deliveries: received } of receivers) {
    const deliveriesByMessage = new Map([
      ...groupByMessage(received, "message.received"),
      ...groupByMessage(received, "message.sent"),
    ]);
    expect(deliveriesByMessage.size).toBe(messageSamples.length);
    for (const [mid, deliveries] of deliveriesByMessage) {
      expect(new Set(deliveries.map(({ event }) => event.id)).size, mid).toBe(1);
      expect(new Set(deliveries.map(({ raw }) => raw.toString("utf8"))).size, mid).toBe(1);
    }
  }
});
