import fc from "fast-check";
import { expect, it } from "vitest";
import type { TenantId } from "#base/kernel/tenant.ts";
import { openTable } from "#base/table/client.ts";
import { conversationStore } from "#features/inbox/store/conversations.ts";
import { tenantStateStore } from "#features/tenants/store/tenant-states.ts";
import { startTestTable } from "../../../support/dynamodb.ts";
import { openedOnce } from "../../../support/opened.ts";
import { NOW, newTenant, sampleMessage } from "../../../support/stores/samples.ts";

const testTable = openedOnce(startTestTable);
const table = openedOnce(() => openTable(testTable.tableName, testTable.client));
const conversations = openedOnce(() => conversationStore(table));

async function recordInbound(tenant: TenantId, person: number, sentAt: number, shards: number): Promise<void> {
  const participant = { id: `person-${person}`, handle: null, username: null, name: null };
  const conversationId = `CONV#${tenant}#instagram#17841400000000001#person-${person}`;
  const message = sampleMessage(tenant, { id: `${person}-${sentAt}`, conversationId, participant, sentAt });
  await conversations.advanceHead(tenant, message, { accountHandle: "@shop", shards });
}

it("an inbox read while messages arrive shows each conversation once, except those that moved to the top", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 25 }),
      fc.integer({ min: 1, max: 7 }),
      fc.array(fc.integer({ min: 0, max: 30 }), { maxLength: 8 }),
      fc.boolean(),
      async (people, limit, writers, grows) => {
        const tenant = newTenant();
        const shards = grows ? 2 : 1;
        if (grows) await tenantStateStore(table).growShards(tenant, 1, 2);
        for (let person = 0; person < people; person++)
          await recordInbound(tenant, person, NOW - 1_000 - person, shards);
        const listedIds: string[] = [];
        const moved = new Set<string>();
        let before: string | null = null;
        let later = 0;
        do {
          const page = await conversations.inbox(tenant, { before, limit, now: NOW });
          expect(page.heads.length).toBeLessThanOrEqual(limit);
          listedIds.push(...page.heads.map(({ ref }) => ref.participantId));
          before = page.next;
          const writer = writers[later++];
          if (writer !== undefined) {
            await recordInbound(tenant, writer, NOW + later, shards);
            moved.add(`person-${writer}`);
          }
        } while (before !== null);
        expect(new Set(listedIds).size).toBe(listedIds.length);
        const still = Array.from({ length: people }, (_, person) => `person-${person}`).filter((id) => !moved.has(id));
        expect(listedIds.filter((id) => !moved.has(id))).toEqual(still);
      },
    ),
    { numRuns: 30 },
  );
});
