import fc from "fast-check";
import { beforeEach, expect, it } from "vitest";
import type { TenantId } from "#base/kernel/tenant.ts";
import { type AccountRef, accountKey, type PlatformName, platforms } from "#features/accounts/rules/accounts.ts";
import { conversationId, type Direction } from "#features/inbox/rules/messages.ts";
import { conversationStore } from "#features/inbox/store/conversations.ts";
import { openTestEnv } from "../../../support/flows/test-env.ts";
import { openedOnce } from "../../../support/opened.ts";
import { openApiApp } from "../../../support/routes/api-app.ts";
import { newTenant, SAMPLE_INBOX, sampleMessage } from "../../../support/stores/samples.ts";

let tenant: TenantId;
let key: string;
const testEnv = openedOnce(openTestEnv);
const api = openedOnce(() => openApiApp(testEnv));
beforeEach(async () => {
  tenant = newTenant();
  key = await api.newKey(tenant);
});

interface ConversationSketch {
  readonly platform: PlatformName;
  readonly externalId: string;
  readonly last: Direction;
}

/** Creates a conversation whose last message has that direction. Later ones are listed first. */
async function createConversation(person: number, { platform, externalId, last }: ConversationSketch): Promise<string> {
  const account: AccountRef = { platform, externalId };
  const id = conversationId({ tenant, account, participantId: String(person) });
  const message = sampleMessage(tenant, {
    id: `m${person}`,
    account,
    conversationId: id,
    direction: last,
    sentAt: testEnv.now() - 1_000 + person,
  });
  await conversationStore(testEnv.table).advanceHead(tenant, message, SAMPLE_INBOX);
  return id;
}

interface InboxPage {
  readonly conversations: readonly { readonly id: string }[];
  readonly next_cursor: string | null;
}

async function fetchPage(query: string): Promise<InboxPage> {
  const { status, body } = await api.request(key, `/v1/conversations?${query}`);
  expect(status).toBe(200);
  return body.data;
}

async function listAll(query: string): Promise<string[]> {
  const ids: string[] = [];
  let cursor = "";
  do {
    const { conversations, next_cursor } = await fetchPage(`${query}${cursor}`);
    ids.push(...conversations.map(({ id }) => id));
    cursor = next_cursor === null ? "" : `&cursor=${next_cursor}`;
  } while (cursor !== "");
  return ids;
}

const instagram = { platform: "instagram", externalId: "1", last: "inbound" } as const;

it("the inbox's filters alone and combined list each match once, for any page size", async () => {
  const sketch = fc.record<ConversationSketch>({
    platform: fc.constantFrom(...platforms),
    externalId: fc.constantFrom("1", "2"),
    last: fc.constantFrom("inbound", "outbound", "echo"),
  });
  const filters = fc.record({
    unanswered: fc.constantFrom(undefined, "true", "false"),
    platform: fc.constantFrom(undefined, ...platforms),
    account_key: fc.constantFrom(undefined, "instagram#1", "messenger#2", "instagram#9"),
    limit: fc.constantFrom("1", "3", "100"),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(sketch, { maxLength: 7 }), filters, async (sketches, filter) => {
      tenant = newTenant();
      key = await api.newKey(tenant);
      const ids: string[] = [];
      for (const [person, one] of sketches.entries()) ids.unshift(await createConversation(person, one));
      const query = new URLSearchParams();
      for (const [name, value] of Object.entries(filter)) if (value !== undefined) query.set(name, value);
      const expected = ids.filter((_, i) => {
        const one = sketches[sketches.length - 1 - i] ?? instagram;
        return (
          (filter.unanswered !== "true" || one.last === "inbound") &&
          (filter.platform === undefined || filter.platform === one.platform) &&
          (filter.account_key === undefined || filter.account_key === accountKey(one))
        );
      });
      expect(await listAll(query.toString())).toEqual(expected);
    }),
    { numRuns: 40 },
  );
});

it("the inbox's filters examine at most 200 conversations: a page may be empty and still have a cursor", async () => {
  await createConversation(0, instagram);
  for (let person = 1; person <= 399; person++) await createConversation(person, { ...instagram, last: "echo" });
  const first = await fetchPage("unanswered=true");
  expect(first.conversations).toEqual([]);
  const second = await fetchPage(`unanswered=true&cursor=${first.next_cursor}`);
  expect(second.conversations).toHaveLength(1);
  expect(await fetchPage("unanswered=true&platform=messenger")).toMatchObject({ conversations: [] });
});

it("the inbox's filters are part of the cursor: it is valid only with the same filters", async () => {
  for (let person = 0; person < 3; person++) await createConversation(person, instagram);
  const filters = ["", "unanswered=true", "platform=instagram", "account_key=instagram%231"];
  for (const from of filters) {
    const { next_cursor } = await fetchPage(`limit=1&${from}`);
    expect(next_cursor).not.toBeNull();
    for (const to of filters) {
      const { status } = await api.request(key, `/v1/conversations?${to}&cursor=${next_cursor}`);
      expect([from, to, status]).toEqual([from, to, from === to ? 200 : 400]);
    }
  }
  const plain = await fetchPage("limit=1");
  expect((await fetchPage(`unanswered=false&cursor=${plain.next_cursor}`)).conversations).toHaveLength(2);
});

it.each([
  "unanswered=yes",
  "unanswered=",
  "unanswered=True",
  "platform=telegram",
  "platform=",
  "platform=Instagram",
  "account_key=instagram",
  "account_key=",
  "account_key=instagram%23",
  "account_key=telegram%231",
  "account_key=instagram%231%232",
  "account_key=instagram%23a%20b",
  "unanswered=true&unanswered=true",
])("the inbox's filters are refused when they are none: %s", async (query) => {
  const refused = await api.request(key, `/v1/conversations?${query}`);
  expect(refused).toMatchObject({ status: 400, body: { error: { code: "invalid_request" } } });
});

it("the inbox's filters match nothing for an account of another tenant, exactly as for an unknown one", async () => {
  await createConversation(0, instagram);
  const foreign = await testEnv.connect(newTenant());
  const responses = [];
  for (const account of [foreign, "17840000000000009"]) {
    responses.push(await api.request(key, `/v1/conversations?account_key=instagram%23${account}`));
  }
  expect(responses[0]).toEqual(responses[1]);
  expect(responses[0]).toMatchObject({ status: 200, body: { data: { conversations: [], next_cursor: null } } });
});
