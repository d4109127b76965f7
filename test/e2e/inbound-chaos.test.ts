import { afterAll, beforeAll, expect, it } from "vitest";
import { catalogue } from "./support/catalogue.ts";
import { failuresIn, untilIdle } from "./support/journals.ts";
import { type RunningLocal, startLocal } from "./support/local-stack.ts";
import { inbound, newPerson } from "./support/platform.ts";
import { allMessages, createHook } from "./support/read-all.ts";
import { byMessage, openReceiver, type Receiver } from "./support/receiver.ts";

let stack: RunningLocal;
let receivers: Receiver[];
const kinds = catalogue({ ig: newPerson(), page: newPerson(), msg: newPerson() }, Date.now() - 60_000);
const kept = kinds.filter((kind) => kind.expected !== null);

beforeAll(async () => {
  [stack, receivers] = await Promise.all([
    startLocal({ env: { PARLEY_SQS_CHAOS: "0.5" } }),
    Promise.all([openReceiver(), openReceiver()]),
  ]);
  for (const { url } of receivers) await createHook(stack, url);
});
afterAll(async () => {
  await Promise.all([stack?.stop(), ...(receivers ?? []).map((receiver) => receiver.close())]);
});

it("with queues that repeat half of all messages in any order, each webhook still leaves one message", async () => {
  const answers = await Promise.all(
    kinds.flatMap(({ object, signer, entry }) => [1, 2].map(() => inbound(stack, object, [entry], { signer }))),
  );
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  await untilIdle(stack, 45);
  const messages = await allMessages(stack);
  expect(messages).toHaveLength(kept.length);
  for (const { name, mid, expected } of kept.filter((kind) => kind.mid !== null)) {
    const { reply_to: _, ...shown } = expected ?? {};
    expect
      .soft(
        messages.filter(({ id }) => id === mid),
        name,
      )
      .toMatchObject([shown]);
  }
  expect(failuresIn(stack.log())).toEqual([]);
});

it("and is announced to each endpoint at least once, always with the same event id and body", () => {
  for (const { received } of receivers) {
    const announced = new Map([...byMessage(received, "message.received"), ...byMessage(received, "message.sent")]);
    expect(announced.size).toBe(kept.length);
    for (const [mid, deliveries] of announced) {
      expect(new Set(deliveries.map(({ event }) => event.id)).size, mid).toBe(1);
      expect(new Set(deliveries.map(({ raw }) => raw.toString("utf8"))).size, mid).toBe(1);
    }
  }
});
