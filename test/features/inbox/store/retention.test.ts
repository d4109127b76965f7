import { beforeAll, expect, it } from "vitest";
import { deriveUlid } from "#base/kernel/ids.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { DAY } from "#base/kernel/time.ts";
import { openTable } from "#base/table/client.ts";
import { deliveryStore } from "#features/delivery/store/deliveries.ts";
import { conversationStore } from "#features/inbox/store/conversations.ts";
import { messageStore } from "#features/inbox/store/messages.ts";
import { startTestTable } from "../../../support/dynamodb.ts";
import { openedOnce } from "../../../support/opened.ts";
import { NOW, newTenant, SAMPLE_INBOX, sampleConversationId, sampleMessage } from "../../../support/stores/samples.ts";

const ENDPOINT = deriveUlid(NOW, "endpoint");
const LAST_VISIBLE_AT = NOW + 7 * DAY - 1;
const EXPIRED_AT = NOW + 7 * DAY;
let tenant: TenantId;

// One message, its head and its delivery, all of the same instant. These tests must not delete any of them.
const table = openedOnce(startTestTable);
const tableHandle = openedOnce(() => openTable(table.tableName, table.client));
beforeAll(async () => {
  tenant = newTenant();
  const message = sampleMessage(tenant, { id: "old" });
  const recorded = await messageStore(tableHandle).record(tenant, message, NOW);
  await messageStore(tableHandle).record(tenant, sampleMessage(tenant, { id: "test", scope: "test" }), NOW);
  await conversationStore(tableHandle).advanceHead(tenant, message, SAMPLE_INBOX);
  await deliveryStore(tableHandle).recordFirst(
    tenant,
    { endpointId: ENDPOINT, eventUlid: deriveUlid(NOW, "event"), eventType: "message.received", source: recorded.ref },
    {
      verdict: { status: "delivered" },
      outcome: { kind: "answered", status: 200, retryAfter: null, durationMs: 1 },
      settledAt: NOW,
    },
  );
});

const page = { includeTest: false, direction: null, before: null, limit: 9 } as const;
const readCounts: Record<string, (now: number) => Promise<number>> = {
  "the feed": async (now) => (await messageStore(tableHandle).feed(tenant, { ...page, now })).rows.length,
  "the feed by direction": async (now) =>
    (await messageStore(tableHandle).feed(tenant, { ...page, direction: "inbound", now })).rows.length,
  "the test feed": async (now) =>
    (await messageStore(tableHandle).feed(tenant, { ...page, includeTest: true, now })).rows.filter(
      ({ message }) => message.scope === "test",
    ).length,
  "a conversation's messages": async (now) => {
    const query = { ...page, conversationId: sampleConversationId(tenant), now };
    return (await messageStore(tableHandle).listByConversation(tenant, query)).rows.length;
  },
  "a message by its id": async (now) => ((await messageStore(tableHandle).getById(tenant, "old", now)) ? 1 : 0),
  "the inbox": async (now) =>
    (await conversationStore(tableHandle).inbox(tenant, { before: null, limit: 9, now })).heads.length,
  "a head": async (now) =>
    (await conversationStore(tableHandle).get(tenant, sampleConversationId(tenant), now)) ? 1 : 0,
  "an opened conversation": async (now) => {
    const query = { conversationId: sampleConversationId(tenant), includeTest: false, limit: 9, now };
    return (await conversationStore(tableHandle).getWithMessages(tenant, query))?.page.rows.length ?? 0;
  },
  "an endpoint's deliveries": async (now) =>
    (await deliveryStore(tableHandle).list(tenant, { endpointId: ENDPOINT, before: null, limit: 9, now })).rows.length,
};

it.each(Object.entries(readCounts))(
  "seven days after it was sent, to the millisecond, a message is gone from %s",
  async (_name, read) => {
    expect(await read(NOW)).toBe(1);
    expect(await read(LAST_VISIBLE_AT)).toBe(1);
    expect(await read(EXPIRED_AT)).toBe(0);
  },
);

it("seven days after it was sent, to the millisecond, a message is gone from the older messages of an active conversation", async () => {
  const conversationId = sampleConversationId(tenant, "77");
  const participant = { id: "77", handle: null, username: null, name: null };
  const newer = sampleMessage(tenant, { id: "newer", participant, sentAt: NOW + 1 });
  await messageStore(tableHandle).record(tenant, sampleMessage(tenant, { id: "older", participant }), NOW);
  await messageStore(tableHandle).record(tenant, newer, NOW);
  await conversationStore(tableHandle).advanceHead(tenant, newer, SAMPLE_INBOX);
  const query = { conversationId, includeTest: false, limit: 9, now: EXPIRED_AT };
  const page = (await conversationStore(tableHandle).getWithMessages(tenant, query))?.page;
  expect(page?.rows.map(({ message }) => message.id)).toEqual(["newer"]);
});
