import { afterAll, beforeAll, expect, it } from "vitest";
import { failuresIn, untilIdle } from "../e2e/support/journals.ts";
import { type RunningLocal, startLocal } from "../e2e/support/local-stack.ts";
import { accountIds, inbound, newMid, newPerson } from "../e2e/support/platform.ts";
import { until } from "../e2e/support/poll.ts";
import { allMessages, createHook } from "../e2e/support/read-all.ts";
import { openReceiver, type Receiver } from "../e2e/support/receiver.ts";

let stack: RunningLocal;
let receiver: Receiver;
beforeAll(async () => {
  [stack, receiver] = await Promise.all([startLocal(), openReceiver()]);
  await createHook(stack, receiver.url);
});
afterAll(async () => {
  await Promise.all([stack?.stop(), receiver?.close()]);
});

it("one webhook of 1,000 updates, as many as a platform puts into one, is taken in and announced whole", async () => {
  const { messenger } = accountIds;
  const now = await stack.now();
  const people = Array.from({ length: 60 }, newPerson);
  const said = Array.from({ length: 900 }, (_, i) => ({
    mid: newMid(),
    text: `said ${i}`,
    sender: people[i % people.length] ?? "",
    timestamp: now - 900 + i,
  }));
  // A hundred are told of in the same webhook once more: edited.
  const edited = said.slice(0, 100);
  const messaging = [
    ...said.map(({ mid, text, sender, timestamp }) => ({ sender, timestamp, message: { mid, text } })),
    ...edited.map(({ mid, text, sender, timestamp }) => ({
      sender,
      timestamp: timestamp + 1_000,
      message_edit: { mid, text: `${text}, and more`, num_edit: 1 },
    })),
  ].map(({ sender, ...rest }) => ({ sender: { id: sender }, recipient: { id: messenger }, ...rest }));
  expect(messaging).toHaveLength(1_000);
  expect((await inbound(stack, "page", [{ time: now, id: messenger, messaging }])).status).toBe(200);

  const announced = (type: string) => receiver.received.filter(({ event }) => event.type === type);
  await until(
    "all is announced",
    () => announced("message.received").length + announced("message.edited").length >= 1_000,
    {
      seconds: 300,
    },
  );
  await untilIdle(stack, 60);
  // An event may come twice, and no message has two events.
  const midsOf = (type: string) =>
    [...new Map(announced(type).map(({ event }) => [event.id, event.data.message.id])).values()].sort();
  expect(midsOf("message.received")).toEqual(said.map(({ mid }) => mid).sort());
  expect(midsOf("message.edited")).toEqual(edited.map(({ mid }) => mid).sort());

  const shown = new Map((await allMessages(stack)).map(({ id, text }) => [id, text]));
  expect(shown.size).toBe(said.length);
  for (const [i, { mid, text }] of said.entries()) expect(shown.get(mid)).toBe(i < 100 ? `${text}, and more` : text);
  expect(failuresIn(stack.log())).toEqual([]);
});
