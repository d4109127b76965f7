import fc from "fast-check";
import { beforeEach, expect, it } from "vitest";
import type { TenantId } from "#base/kernel/tenant.ts";
import { openTable } from "#base/table/client.ts";
import { conversationStore } from "#features/inbox/store/conversations.ts";
import { messageStore } from "#features/inbox/store/messages.ts";
import { tenantStateStore } from "#features/tenants/store/tenant-states.ts";
import { startTestTable } from "../../../support/dynamodb.ts";
import { openedOnce } from "../../../support/opened.ts";
import { NOW, newTenant, sampleMessage } from "../../../support/stores/samples.ts";

let tenant: TenantId;
const testTable = openedOnce(startTestTable);
const table = openedOnce(() => openTable(testTable.tableName, testTable.client));
const messages = openedOnce(() => messageStore(table));
const conversations = openedOnce(() => conversationStore(table));
beforeEach(() => {
  tenant = newTenant();
});

const conversationIdOf = (person: number) => `CONV#${tenant}#instagram#17841400000000001#person-${person}`;

async function storeMessage(
  person: number,
  sentAt: number,
  shards: number,
  scope: "live" | "test" = "live",
): Promise<string> {
  const id = `${person}-${sentAt}-${scope}`;
  const participant = { id: `person-${person}`, handle: null, username: null, name: null };
  const message = sampleMessage(tenant, { id, conversationId: conversationIdOf(person), participant, sentAt, scope });
  await messages.record(tenant, message, NOW, shards);
  return id;
}

/** All ids in page order; `between` runs after each page. */
async function listAll(limit: number, query: { includeTest?: boolean; between?: () => Promise<unknown> } = {}) {
  const ids: string[] = [];
  let before: string | null = null;
  do {
    const page = await messages.feed(tenant, {
      includeTest: query.includeTest ?? false,
      direction: null,
      before,
      limit,
      now: NOW,
    });
    expect(page.rows.length).toBeLessThanOrEqual(limit);
    ids.push(...page.rows.map(({ message }) => message.id));
    before = page.next;
    if (before !== null) await query.between?.();
  } while (before !== null);
  return ids;
}

it("a feed of several shards is read newest first, each message once, for any page size and any growth of its shards", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.tuple(fc.integer({ min: 0, max: 9 }), fc.constantFrom("live", "test") as fc.Arbitrary<"live" | "test">),
        {
          maxLength: 40,
        },
      ),
      fc.integer({ min: 1, max: 12 }),
      fc.boolean(),
      async (messageSpecs, limit, includeTest) => {
        tenant = newTenant();
        let shards = 1;
        const expected: { id: string; sentAt: number }[] = [];
        for (const [index, [person, scope]] of messageSpecs.entries()) {
          if (index === 15 || index === 25) {
            await tenantStateStore(table).growShards(tenant, shards, shards * 2);
            shards *= 2;
          }
          const sentAt = NOW - ((index * 7919) % 100_000) - index;
          const id = await storeMessage(person, sentAt, shards, scope);
          if (scope === "live" || includeTest) expected.push({ id, sentAt });
        }
        const ids = expected.sort((a, b) => b.sentAt - a.sentAt).map(({ id }) => id);
        expect(await listAll(limit, { includeTest })).toEqual(ids);
      },
    ),
    { numRuns: 25 },
  );
});

it("a feed of several shards is read whole while new messages arrive and its shards double", async () => {
  await tenantStateStore(table).growShards(tenant, 1, 2);
  const before: string[] = [];
  for (let index = 0; index < 40; index++) before.push(await storeMessage(index % 7, NOW - 1_000 + index, 2));
  let page = 0;
  const visited = await listAll(6, {
    between: async () => {
      if (page === 2) await tenantStateStore(table).growShards(tenant, 2, 4);
      await storeMessage(page % 7, NOW + page, page < 2 ? 2 : 4);
      page++;
    },
  });
  expect(visited).toEqual(before.reverse());
});

it("a feed of several shards has the right number of shards when two workers grow it at once, or one grows it twice", async () => {
  const states = tenantStateStore(table);
  await Promise.all([states.growShards(tenant, 1, 2), states.growShards(tenant, 1, 2)]);
  await states.growShards(tenant, 1, 8);
  expect((await states.get(tenant)).shards).toBe(2);
});

async function recordInbound(person: number, sentAt: number, shards: number): Promise<void> {
  const participant = { id: `person-${person}`, handle: null, username: null, name: null };
  const conversationId = conversationIdOf(person);
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
        tenant = newTenant();
        const shards = grows ? 2 : 1;
        if (grows) await tenantStateStore(table).growShards(tenant, 1, 2);
        for (let person = 0; person < people; person++) await recordInbound(person, NOW - 1_000 - person, shards);
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
            await recordInbound(writer, NOW + later, shards);
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
