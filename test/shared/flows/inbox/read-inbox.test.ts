import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Direction, Scope } from "../../../../shared/domain/inbox/messages.ts";
import { listMessages, openConversation } from "../../../../shared/flows/inbox/read-inbox.ts";
import { isRefusal } from "../../../../shared/kernel/refusals.ts";
import type { TenantId } from "../../../../shared/kernel/tenant.ts";
import { openTable } from "../../../../shared/stores/client.ts";
import { conversationStore } from "../../../../shared/stores/inbox/conversations.ts";
import { messageStore } from "../../../../shared/stores/inbox/messages.ts";
import { startTestTable, type TestTable } from "../../../support/dynamo.ts";
import { meterOf } from "../../../support/meter.ts";
import { conversationOf, INBOX, messageOf, NOW, newTenant } from "../../stores/support/samples.ts";

let table: TestTable;
beforeAll(async () => {
  table = await startTestTable();
});
afterAll(() => table.close());

function ports() {
  const opened = openTable(table.tableName, table.client);
  return { conversations: conversationStore(opened), messages: messageStore(opened) };
}

/** Every id that a list shows, page by page. */
async function walk(tenant: TenantId, limit: number, direction: Direction | null): Promise<string[]> {
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

describe("live and test messages in one list", () => {
  it("are visited once each and newest first, however they are mixed and whatever the page's size", async () => {
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
          const kept = all.map(({ ago, ...rest }, i) => messageOf(tenant, { id: `m${i}`, sentAt: NOW - ago, ...rest }));
          for (const message of kept) await ports().messages.record(tenant, message, NOW);
          const wanted = kept.filter((message) => direction === null || message.direction === direction);
          const visited = await walk(tenant, limit, direction);
          expect([...visited].sort()).toEqual(wanted.map(({ id }) => id).sort());
          const times = visited.map((id) => kept[Number(id.slice(1))]?.sentAt ?? 0);
          expect(times).toEqual([...times].sort((a, b) => b - a));
        },
      ),
      { numRuns: 50 },
    );
  });
});

describe("another tenant's conversation", () => {
  it("is refused by its id alone: no row is read", async () => {
    const [owner, stranger] = [newTenant(), newTenant()];
    await ports().conversations.apply(owner, messageOf(owner, { id: "m" }), INBOX);
    const meter = meterOf(table.client, table.tableName);
    const ids = [conversationOf(owner), "CONV#", "", `CONV#${stranger}#instagram#a#b#c`, `CONV#${stranger}#smoke#a#b`];
    const cost = await meter.during("foreign", async () => {
      for (const conversationId of ids) {
        for (const before of [null, `${NOW}#x`]) {
          const page = { before, limit: 5, includeTest: true };
          const refused = { refused: "conversation_not_found" };
          expect(await openConversation(ports(), stranger, { conversationId, ...page }, NOW)).toEqual(refused);
          const query = { conversationId, direction: null, ...page };
          expect(await listMessages(ports(), stranger, query, NOW)).toEqual(refused);
        }
      }
    });
    meter.close();
    expect(cost.requests).toBe(0);
  });
});
