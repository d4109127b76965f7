import fc from "fast-check";
import { beforeEach, expect, it } from "vitest";
import type { TenantId } from "#base/kernel/tenant.ts";
import { DAY, HOUR, MINUTE } from "#base/kernel/time.ts";
import { openTable } from "#base/table/client.ts";
import { type ConversationHead, needsReply } from "#features/inbox/rules/messages.ts";
import { conversationStore } from "#features/inbox/store/conversations.ts";
import { tenantStateStore } from "#features/tenants/store/tenant-states.ts";
import { startTestTable } from "../../../support/dynamodb.ts";
import { openedOnce } from "../../../support/opened.ts";
import { NOW, newTenant, SAMPLE_INBOX, sampleMessage } from "../../../support/stores/samples.ts";

let tenant: TenantId;
const testTable = openedOnce(startTestTable);
const table = openedOnce(() => openTable(testTable.tableName, testTable.client));
const conversations = openedOnce(() => conversationStore(table));
beforeEach(() => {
  tenant = newTenant();
});

/** A person writes. @param ago how long before now, in milliseconds */
async function personWrites(person: string, ago: number, shards = 1): Promise<void> {
  const message = sampleMessage(tenant, {
    id: `${person} ${ago}`,
    conversationId: `CONV#${tenant}#instagram#17841400000000001#${person}`,
    participant: { id: person, handle: null, username: null, name: null },
    direction: "inbound",
    sentAt: NOW - ago,
  });
  await conversations.advanceHead(tenant, message, { ...SAMPLE_INBOX, shards });
}

interface ListOptions {
  readonly now?: number;
  readonly filter?: (head: ConversationHead) => boolean;
  readonly between?: () => Promise<unknown>;
}

/** Everyone in page order. `between` runs after each page. `laterBy`: how much time passes between two pages. */
async function listAll(limit: number, options: ListOptions & { laterBy?: number } = {}): Promise<string[]> {
  const { filter = needsReply, between, laterBy = 0 } = options;
  const people: string[] = [];
  let after: string | null = null;
  let now = options.now ?? NOW;
  do {
    const page = await conversations.closingInbox(tenant, { after, limit, filter, now });
    expect(page.heads.length).toBeLessThanOrEqual(limit);
    people.push(...page.heads.map(({ ref }) => ref.participantId));
    after = page.next;
    now += laterBy;
    if (after !== null) await between?.();
  } while (after !== null);
  return people;
}

it("the person whose window closes first comes first, and those to whom only a person may write come last", async () => {
  await personWrites("just-closed", DAY);
  await personWrites("closes-next", DAY - 1);
  await personWrites("newest", 0);
  await personWrites("ends-tonight", 6 * DAY);
  await personWrites("open", 5 * HOUR);
  expect(await listAll(10)).toEqual(["closes-next", "open", "newest", "ends-tonight", "just-closed"]);
});

it("what is older than the retention is not listed", async () => {
  await personWrites("stored", 7 * DAY - 1);
  await personWrites("gone", 7 * DAY);
  expect(await listAll(10)).toEqual(["stored"]);
});

it("answered and done conversations are not listed, and a page of them is empty with a cursor", async () => {
  for (let person = 0; person < 5; person++) await personWrites(`person-${person}`, person * HOUR);
  const filter = ({ ref }: ConversationHead) => ref.participantId === "person-0";
  expect(await listAll(2, { filter })).toEqual(["person-0"]);
});

it("no conversation is skipped or listed twice when windows close between two pages", async () => {
  // Each page takes an hour, in which the window of the next ones closes.
  const expected: string[] = [];
  for (let person = 0; person < 12; person++) {
    await personWrites(`person-${person}`, DAY - (person + 1) * 10 * MINUTE);
    expected.push(`person-${person}`);
  }
  await personWrites("as-person", 2 * DAY);
  expect(await listAll(2, { laterBy: HOUR })).toEqual([...expected, "as-person"]);
});

it("an inbox of several shards is read in the same order for any page size, also while its shards grow", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(fc.integer({ min: 0, max: 6 * 24 * 60 }), { minLength: 1, maxLength: 14 }),
      fc.integer({ min: 1, max: 5 }),
      fc.constantFrom(1, 2, 4),
      async (minutes, limit, shards) => {
        tenant = newTenant();
        const states = tenantStateStore(table);
        if (shards > 1) await states.growShards(tenant, 1, shards);
        for (const [index, ago] of minutes.entries()) await personWrites(`p${index}`, ago * MINUTE, shards);
        const byPosition = [...minutes.entries()].sort(([, a], [, b]) => {
          const [isOpen, isOtherOpen] = [a < 24 * 60, b < 24 * 60];
          return isOpen === isOtherOpen ? b - a : isOpen ? -1 : 1;
        });
        const grow = () => states.growShards(tenant, shards, shards * 2);
        expect(await listAll(limit, { between: grow })).toEqual(byPosition.map(([index]) => `p${index}`));
      },
    ),
    { numRuns: 25 },
  );
});
