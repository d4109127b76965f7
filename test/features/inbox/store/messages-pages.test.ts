import { beforeAll, beforeEach, expect, it } from "vitest";
import type { TenantId } from "#base/kernel/tenant.ts";
import { openTable } from "#base/table/client.ts";
import type { Message } from "#features/inbox/rules/messages.ts";
import { type Conversations, conversationStore } from "#features/inbox/store/conversations.ts";
import { type MessagePage, type Messages, messageStore } from "#features/inbox/store/messages.ts";
import { startTestTable } from "../../../support/dynamodb.ts";
import { attachMeter } from "../../../support/meter.ts";
import { openedOnce } from "../../../support/opened.ts";
import { NOW, newTenant, SAMPLE_INBOX, sampleConversationId, sampleMessage } from "../../../support/stores/samples.ts";

let messages: Messages;
let conversations: Conversations;
let tenant: TenantId;
const table = openedOnce(startTestTable);
beforeAll(async () => {
  const tableHandle = openTable(table.tableName, table.client);
  messages = messageStore(tableHandle);
  conversations = conversationStore(tableHandle);
});
beforeEach(() => {
  tenant = newTenant();
});

type ReadPage = (before: string | null) => Promise<MessagePage>;

async function record(count: number, rest: (i: number) => Partial<Message> = () => ({})): Promise<string[]> {
  const ids = Array.from({ length: count }, (_, i) => `m${i}`);
  await Promise.all(ids.map((id, i) => messages.record(tenant, sampleMessage(tenant, { id, ...rest(i) }), NOW)));
  return ids;
}

async function listAll(read: ReadPage, between: () => Promise<unknown> = async () => {}) {
  const pages: string[][] = [];
  let before: string | null = null;
  do {
    const page = await read(before);
    pages.push(page.rows.map(({ message }) => message.id));
    before = page.next;
    await between();
  } while (before !== null);
  return { pages, visited: pages.flat() };
}

const feed =
  (limit: number, rest: Partial<Parameters<Messages["feed"]>[1]> = {}): ReadPage =>
  (before) =>
    messages.feed(tenant, { includeTest: false, direction: null, before, limit, now: NOW, ...rest });
const conversation =
  (limit: number, rest: Partial<Parameters<Messages["listByConversation"]>[1]> = {}): ReadPage =>
  (before) =>
    messages.listByConversation(tenant, {
      conversationId: sampleConversationId(tenant),
      direction: null,
      includeTest: false,
      before,
      limit,
      now: NOW,
      ...rest,
    });

it.each([1, 7, 50, 100])("paging has each of 250 messages of one millisecond once, in pages of %i", async (limit) => {
  const count = limit === 1 ? 40 : 250;
  const ids = await record(count);
  for (const read of [feed(limit), conversation(limit)]) {
    const { pages, visited } = await listAll(read);
    expect([...visited].sort()).toEqual([...ids].sort());
    expect(pages.slice(0, -1).every((page) => page.length === limit)).toBe(true);
  }
});

it("paging has each message that existed at the start once while newer ones arrive", async () => {
  const ids = await record(120);
  let arrived = 0;
  const arrive = async () => {
    for (let i = 0; i < 3; i++) {
      const id = `new${arrived++}`;
      await messages.record(tenant, sampleMessage(tenant, { id, sentAt: NOW + arrived }), NOW);
    }
  };
  for (const read of [feed(9), conversation(9)]) {
    const { visited } = await listAll(read, arrive);
    const old = visited.filter((id) => id.startsWith("m"));
    expect([...old].sort()).toEqual([...ids].sort());
    expect(new Set(visited).size).toBe(visited.length);
  }
});

it("paging has no next page when the last one is exactly full, and one when there is another message", async () => {
  await record(10);
  expect((await feed(10)(null)).next).toBeNull();
  expect((await conversation(10)(null)).next).toBeNull();
  expect((await feed(9)(null)).next).not.toBeNull();
  expect((await conversation(9)(null)).next).not.toBeNull();
});

it("paging continues after a query that ended at 1 MB", async () => {
  const url = `https://cdn.example/${"x".repeat(4_000)}`;
  const attachments = Array.from({ length: 30 }, () => ({ type: "image" as const, url }));
  const ids = await record(24, () => ({ attachments }));
  for (const read of [feed(50), conversation(50), feed(50, { direction: "inbound" })]) {
    const { visited } = await listAll(read);
    expect([...visited].sort()).toEqual([...ids].sort());
  }
  await conversations.advanceHead(tenant, sampleMessage(tenant, { id: "m0" }), SAMPLE_INBOX);
  const conversationId = sampleConversationId(tenant);
  const conversationPage = await conversations.getWithMessages(tenant, {
    conversationId,
    includeTest: false,
    limit: 50,
    now: NOW,
  });
  const first = conversationPage?.page.rows.map(({ message }) => message.id) ?? [];
  expect(first.length).toBeLessThan(24);
  const rest: ReadPage = (before) => conversation(50)(before ?? conversationPage?.page.next ?? null);
  expect([...first, ...(await listAll(rest)).visited].sort()).toEqual([...ids].sort());
});

it("paging is newest first", async () => {
  await record(20, (i) => ({ sentAt: NOW - ((i * 7) % 20) }));
  const times = (await feed(100)(null)).rows.map(({ message }) => message.sentAt);
  expect(times).toEqual(Array.from({ length: 20 }, (_, i) => NOW - i));
});

it("a direction filter returns only its own messages, each once, however rare they are", async () => {
  await record(230, (i) => ({ direction: i % 23 === 0 ? "echo" : "inbound", sentAt: NOW - i }));
  const echoes = Array.from({ length: 10 }, (_, i) => `m${i * 23}`);
  for (const read of [feed(4, { direction: "echo" }), conversation(4, { direction: "echo" })]) {
    expect((await listAll(read)).visited).toEqual(echoes);
  }
});

it("a direction filter examines at most 200 rows for a page, and continues from there", async () => {
  await record(450, (i) => ({ direction: i === 449 ? "outbound" : "inbound", sentAt: NOW - i }));
  const { pages } = await listAll(feed(50, { direction: "outbound" }));
  expect(pages).toEqual([[], [], ["m449"]]);
  const meter = attachMeter(table.client, table.tableName);
  const cost = await meter.measure("filtered page", () => feed(50, { direction: "outbound" })(null));
  meter.close();
  expect(cost.requests).toBe(1);
});

it("a direction filter has no next page when there are exactly 200 rows", async () => {
  await record(200, (i) => ({ sentAt: NOW - i }));
  const { visited } = await listAll(feed(100, { direction: "outbound" }));
  expect(visited).toEqual([]);
  const { pages } = await listAll(feed(100, { direction: "inbound" }));
  expect(pages.flat()).toHaveLength(200);
});

it("test traffic has its own feed, read beside the live one, and shows in a conversation only on request", async () => {
  await record(6, (i) => ({ scope: i % 2 === 0 ? "live" : "test", sentAt: NOW - i }));
  expect((await listAll(feed(2))).visited).toEqual(["m0", "m2", "m4"]);
  expect((await listAll(feed(2, { includeTest: true }))).visited).toEqual(["m0", "m1", "m2", "m3", "m4", "m5"]);
  expect((await listAll(conversation(2))).visited).toEqual(["m0", "m2", "m4"]);
  expect((await listAll(conversation(2, { includeTest: true }))).visited).toEqual(["m0", "m1", "m2", "m3", "m4", "m5"]);
  expect((await messages.getById(tenant, "m1", NOW))?.scope).toBe("test");
});

it("test traffic is left out of a conversation with its head in the same way", async () => {
  await record(4, (i) => ({ scope: i % 2 === 0 ? "live" : "test", sentAt: NOW - i }));
  await conversations.advanceHead(tenant, sampleMessage(tenant, { id: "m0" }), SAMPLE_INBOX);
  const ids = async (includeTest: boolean) => {
    const query = { conversationId: sampleConversationId(tenant), includeTest, limit: 10, now: NOW };
    return (await conversations.getWithMessages(tenant, query))?.page.rows.map(({ message }) => message.id);
  };
  expect(await ids(false)).toEqual(["m0", "m2"]);
  expect(await ids(true)).toEqual(["m0", "m1", "m2", "m3"]);
});
