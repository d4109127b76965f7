import fc from "fast-check";
import { expect, it } from "vitest";
import { isRefusal } from "#base/kernel/refusals.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { openTable } from "#base/table/client.ts";
import type { Scope } from "#features/access/rules/scope.ts";
import { listMessages, readConversation } from "#features/inbox/flows/read-inbox.ts";
import type { Direction } from "#features/inbox/rules/messages.ts";
import { conversationStore } from "#features/inbox/store/conversations.ts";
import { messageStore } from "#features/inbox/store/messages.ts";
import { startTestTable } from "../../../support/dynamodb.ts";
import { attachMeter } from "../../../support/meter.ts";
import { openedOnce } from "../../../support/opened.ts";
import { NOW, newTenant, SAMPLE_INBOX, sampleConversationId, sampleMessage } from "../../../support/stores/samples.ts";

const table = openedOnce(startTestTable);

function ports() {
  const tableHandle = openTable(table.tableName, table.client);
  return { conversations: conversationStore(tableHandle), messages: messageStore(tableHandle) };
}

/** Every id that a list shows, page by page. */
async function listAll(tenant: TenantId, limit: number, direction: Direction | null): Promise<string[]> {
  const visited: string[] = [];
  let before: string | null = null;
  do {
    const query = { conversationId: null, direction, includeTest: true, before, limit };
    const page = await listMessages(ports(), tenant, query, NOW);
    if (isRefusal(page)) throw new Error(page.refused);
    expect(page.rows.length).toBeLessThanOrEqual(limit);
    visited.push(...page.rows.map(({ message }) => message.id));
    before = page.next;
  } while (before !== null);
  return visited;
}

it("live and test messages in one list are listed once each and newest first, in any mix and page size", async () => {
  const drafts = fc.array(
    fc.record({
      scope: fc.constantFrom<Scope>("live", "test"),
      direction: fc.constantFrom<Direction>("inbound", "outbound"),
      ago: fc.integer({ min: 0, max: 3 }),
    }),
    { maxLength: 14 },
  );
  await fc.assert(
    fc.asyncProperty(
      drafts,
      fc.integer({ min: 1, max: 5 }),
      fc.constantFrom(null, "inbound" as const),
      async (all, limit, direction) => {
        const tenant = newTenant();
        const messages = all.map(({ ago, ...rest }, i) =>
          sampleMessage(tenant, { id: `m${i}`, sentAt: NOW - ago, ...rest }),
        );
        for (const message of messages) await ports().messages.record(tenant, message, NOW);
        const expected = messages.filter((message) => direction === null || message.direction === direction);
        const visited = await listAll(tenant, limit, direction);
        expect([...visited].sort()).toEqual(expected.map(({ id }) => id).sort());
        const times = visited.map((id) => messages[Number(id.slice(1))]?.sentAt ?? 0);
        expect(times).toEqual([...times].sort((a, b) => b - a));
      },
    ),
    { numRuns: 50 },
  );
});

it("another tenant's conversation is refused by its id without a read", async () => {
  const [owner, stranger] = [newTenant(), newTenant()];
  await ports().conversations.advanceHead(owner, sampleMessage(owner, { id: "m" }), SAMPLE_INBOX);
  const meter = attachMeter(table.client, table.tableName);
  const ids = [
    sampleConversationId(owner),
    "CONV#",
    "",
    `CONV#${stranger}#instagram#a#b#c`,
    `CONV#${stranger}#smoke#a#b`,
  ];
  const cost = await meter.measure("foreign", async () => {
    for (const conversationId of ids) {
      for (const before of [null, `${NOW}#x`]) {
        const page = { before, limit: 5, includeTest: true };
        const refused = { refused: "conversation_not_found" };
        expect(await readConversation(ports(), stranger, { conversationId, ...page }, NOW)).toEqual(refused);
        const query = { conversationId, direction: null, ...page };
        expect(await listMessages(ports(), stranger, query, NOW)).toEqual(refused);
      }
    }
  });
  meter.close();
  expect(cost.requests).toBe(0);
});
