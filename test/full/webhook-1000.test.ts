import { expect, it } from "vitest";
import { listAllMessages, openSubscribedReceiver } from "../e2e/support/api-calls.ts";
import { failureLines, waitUntilIdle } from "../e2e/support/emulator-journals.ts";
import { startLocalStack } from "../e2e/support/local-stack.ts";
import { demoAccountIds, newMessageId, newPersonId, postWebhook } from "../e2e/support/platform-webhooks.ts";
import { waitFor } from "../e2e/support/wait-for.ts";
import { openedOnce } from "../support/opened.ts";

const stack = openedOnce(startLocalStack);
const receiver = openedOnce(() => openSubscribedReceiver(stack));

it("one webhook of 1,000 updates, a platform's maximum, is ingested and published completely", async () => {
  const { messenger } = demoAccountIds;
  const now = await stack.now();
  const people = Array.from({ length: 60 }, newPersonId);
  const events = Array.from({ length: 900 }, (_, i) => ({
    mid: newMessageId(),
    text: `said ${i}`,
    sender: people[i % people.length] ?? "",
    timestamp: now - 900 + i,
  }));
  // A hundred of the messages are also edited in the same webhook.
  const edited = events.slice(0, 100);
  const messaging = [
    ...events.map(({ mid, text, sender, timestamp }) => ({ sender, timestamp, message: { mid, text } })),
    ...edited.map(({ mid, text, sender, timestamp }) => ({
      sender,
      timestamp: timestamp + 1_000,
      message_edit: { mid, text: `${text}, and more`, num_edit: 1 },
    })),
  ].map(({ sender, ...rest }) => ({ sender: { id: sender }, recipient: { id: messenger }, ...rest }));
  expect(messaging).toHaveLength(1_000);
  expect((await postWebhook(stack, "page", [{ time: now, id: messenger, messaging }])).status).toBe(200);

  const deliveriesOfType = (type: string) => receiver.deliveries.filter(({ event }) => event.type === type);
  await waitFor(
    "all events are delivered",
    () => deliveriesOfType("message.received").length + deliveriesOfType("message.edited").length >= 1_000,
    {
      seconds: 300,
    },
  );
  await waitUntilIdle(stack, 60);
  // An event may come twice, and no message has two events.
  const midsOf = (type: string) =>
    [...new Map(deliveriesOfType(type).map(({ event }) => [event.id, event.data.message.id])).values()].sort();
  expect(midsOf("message.received")).toEqual(events.map(({ mid }) => mid).sort());
  expect(midsOf("message.edited")).toEqual(edited.map(({ mid }) => mid).sort());

  const listedTexts = new Map((await listAllMessages(stack)).map(({ id, text }) => [id, text]));
  expect(listedTexts.size).toBe(events.length);
  for (const [i, { mid, text }] of events.entries())
    expect(listedTexts.get(mid)).toBe(i < 100 ? `${text}, and more` : text);
  expect(failureLines(stack.log())).toEqual([]);
});
