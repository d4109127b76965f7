import { DeleteCommand, GetCommand } from "@aws-sdk/lib-dynamodb";
import { beforeEach, expect, it } from "vitest";
import type { TenantId } from "#base/kernel/tenant.ts";
import { DAY, HOUR, MINUTE, SECOND } from "#base/kernel/time.ts";
import { headAttributes as Head } from "#features/inbox/store/attributes.ts";
import { conversationStore } from "#features/inbox/store/conversations.ts";
import { headKey } from "#features/inbox/store/keys.ts";
import { messageStore } from "#features/inbox/store/messages.ts";
import { newConversation } from "../../../../support/flows/new-conversation.ts";
import {
  editEvent,
  ingestEvents,
  type PlatformEvent,
  textEvent,
  unsendEvent,
} from "../../../../support/flows/platform-events.ts";
import { openTestEnv } from "../../../../support/flows/test-env.ts";
import { openedOnce } from "../../../../support/opened.ts";

const testEnv = openedOnce(openTestEnv);
const queues = openedOnce(() => testEnv.newQueues());

let tenant: TenantId;
let account: string;
let conversation: string;
beforeEach(async () => {
  ({ tenant, account, conversation } = await newConversation(testEnv));
});

const ingestEvent = (platformEvent: PlatformEvent) =>
  ingestEvents(testEnv.ingestPorts(queues), account, [platformEvent], testEnv.now());

async function head(): Promise<Record<string, unknown>> {
  const { client, name: TableName } = testEnv.table;
  const { Item = {} } = await client.send(new GetCommand({ TableName, Key: headKey(conversation) }));
  return Item;
}

/** The table's time to live removes the head. */
async function endHead(): Promise<void> {
  const { client, name: TableName } = testEnv.table;
  await client.send(new DeleteCommand({ TableName, Key: headKey(conversation) }));
}

async function texts(): Promise<string[]> {
  const { rows } = await messageStore(testEnv.table).listByConversation(tenant, {
    conversationId: conversation,
    direction: null,
    includeTest: false,
    before: null,
    limit: 10,
    now: testEnv.now(),
  });
  return rows.map(({ message }) => (message.unsentAt === undefined ? message.text : "unsent"));
}

it("a change that comes before its message leaves the end of the conversation's head as it is", async () => {
  const sentAt = testEnv.now();
  await ingestEvent(textEvent("first", "shown", sentAt));
  const endsAt = Math.ceil((sentAt + 7 * DAY) / SECOND);
  testEnv.advance(6 * DAY);
  await ingestEvent(unsendEvent("missing", testEnv.now()));
  expect(await head()).toMatchObject({ [Head.ttl]: endsAt, [Head.lastText]: "shown" });
});

it("a head that ends within the hour ends when such a change comes", async () => {
  const sentAt = testEnv.now();
  await ingestEvent(textEvent("first", "shown", sentAt));
  testEnv.advance(7 * DAY - HOUR + MINUTE);
  await ingestEvent(editEvent("missing", "edited", 1, testEnv.now()));
  expect(JSON.stringify(await head())).not.toContain("shown");
  const { heads } = await conversationStore(testEnv.table).inbox(tenant, {
    before: null,
    limit: 10,
    now: testEnv.now(),
  });
  expect(heads).toEqual([]);
  // The head is that of a conversation without a message.
  await ingestEvent(textEvent("next", "new", testEnv.now()));
  expect(await head()).toMatchObject({ [Head.lastText]: "new" });
});

it.each([
  ["while the head stands", false],
  ["after the head has ended", true],
])("the unsend of a message that comes days later applies to it %s", async (_, hasEnded) => {
  await ingestEvent(textEvent("first", "shown", testEnv.now()));
  testEnv.advance(6 * DAY);
  const sentAt = testEnv.now();
  await ingestEvent(unsendEvent("late", sentAt + SECOND));
  testEnv.advance(2 * DAY);
  if (hasEnded) await endHead();
  const { events } = await ingestEvent(textEvent("late", "taken back", sentAt));
  expect(events).toEqual([]);
  expect(await texts()).toEqual(["unsent"]);
});
