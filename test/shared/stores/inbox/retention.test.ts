import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ulidOf } from "../../../../shared/kernel/ids.ts";
import type { TenantId } from "../../../../shared/kernel/tenant.ts";
import { DAY } from "../../../../shared/kernel/time.ts";
import { openTable, type Table } from "../../../../shared/stores/client.ts";
import { deliveryStore } from "../../../../shared/stores/delivery/deliveries.ts";
import { conversationStore } from "../../../../shared/stores/inbox/conversations.ts";
import { messageStore } from "../../../../shared/stores/inbox/messages.ts";
import { startTestTable, type TestTable } from "../../../support/dynamo.ts";
import { conversationOf, INBOX, messageOf, NOW, newTenant } from "../support/samples.ts";

const ENDPOINT = ulidOf(NOW, "endpoint");
const LAST_LIVING = NOW + 7 * DAY - 1;
const GONE = NOW + 7 * DAY;

let table: TestTable;
let opened: Table;
let tenant: TenantId;

// One message, its head and a delivery of it, all of the same instant; nothing of it may be deleted for these tests.
beforeAll(async () => {
  table = await startTestTable();
  opened = openTable(table.tableName, table.client);
  tenant = newTenant();
  const message = messageOf(tenant, { id: "old" });
  const kept = await messageStore(opened).record(tenant, message, NOW);
  await messageStore(opened).record(tenant, messageOf(tenant, { id: "test", scope: "test" }), NOW);
  await conversationStore(opened).apply(tenant, message, INBOX);
  await deliveryStore(opened).recordFirst(
    tenant,
    { endpointId: ENDPOINT, eventUlid: ulidOf(NOW, "event"), eventType: "message.received", source: kept.ref },
    { status: "delivered" },
    { kind: "answered", status: 200, retryAfter: null, durationMs: 1 },
    NOW,
  );
});
afterAll(() => table.close());

const reads: Record<string, (now: number) => Promise<number>> = {
  "the feed": async (now) =>
    (await messageStore(opened).feed(tenant, { includeTest: false, direction: null, before: null, limit: 9, now })).rows
      .length,
  "the feed by direction": async (now) =>
    (await messageStore(opened).feed(tenant, { includeTest: false, direction: "inbound", before: null, limit: 9, now }))
      .rows.length,
  "the test feed": async (now) =>
    (
      await messageStore(opened).feed(tenant, { includeTest: true, direction: null, before: null, limit: 9, now })
    ).rows.filter(({ message }) => message.scope === "test").length,
  "a conversation's messages": async (now) =>
    (
      await messageStore(opened).ofConversation(tenant, {
        conversationId: conversationOf(tenant),
        direction: null,
        includeTest: false,
        before: null,
        limit: 9,
        now,
      })
    ).rows.length,
  "a message by its id": async (now) => ((await messageStore(opened).byId(tenant, "old", now)) ? 1 : 0),
  "the inbox": async (now) =>
    (await conversationStore(opened).inbox(tenant, { before: null, limit: 9, now })).heads.length,
  "a head": async (now) => ((await conversationStore(opened).get(tenant, conversationOf(tenant), now)) ? 1 : 0),
  "an opened conversation": async (now) => {
    const query = { conversationId: conversationOf(tenant), includeTest: false, limit: 9, now };
    return (await conversationStore(opened).open(tenant, query))?.page.rows.length ?? 0;
  },
  "an endpoint's deliveries": async (now) =>
    (await deliveryStore(opened).list(tenant, { endpointId: ENDPOINT, before: null, limit: 9, now })).rows.length,
};

describe("seven days after it was sent, to the millisecond, a message is gone from", () => {
  it.each(Object.entries(reads))("%s", async (_name, read) => {
    expect(await read(NOW)).toBe(1);
    expect(await read(LAST_LIVING)).toBe(1);
    expect(await read(GONE)).toBe(0);
  });

  it("the older messages of a conversation that lives on", async () => {
    const conversationId = conversationOf(tenant, "77");
    const participant = { id: "77", handle: null, username: null };
    const newer = messageOf(tenant, { id: "newer", participant, sentAt: NOW + 1 });
    await messageStore(opened).record(tenant, messageOf(tenant, { id: "older", participant }), NOW);
    await messageStore(opened).record(tenant, newer, NOW);
    await conversationStore(opened).apply(tenant, newer, INBOX);
    const query = { conversationId, includeTest: false, limit: 9, now: GONE };
    const page = (await conversationStore(opened).open(tenant, query))?.page;
    expect(page?.rows.map(({ message }) => message.id)).toEqual(["newer"]);
  });
});
