import { beforeEach, expect, it } from "vitest";
import { sha256Hex } from "#base/kernel/bytes.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { DAY, HOUR, MINUTE, SECOND } from "#base/kernel/time.ts";
import { auditStore } from "#features/access/store/audit.ts";
import { eraseConversation } from "#features/erasure/flows/erase.ts";
import { encodeErasure } from "#features/erasure/queue.ts";
import { addRemovalCounts, noRemovals } from "#features/erasure/rules/erasures.ts";
import { listMessages, readConversation } from "#features/inbox/flows/read-inbox.ts";
import { conversationStore } from "#features/inbox/store/conversations.ts";
import { messageStore } from "#features/inbox/store/messages.ts";
import { injectFaults } from "../../../support/faults.ts";
import {
  allRows,
  type DataSubject,
  putEndpointRow,
  type Row,
  rowsMentioning,
  runErasure,
  seedDataSubject,
  tenantCaller,
} from "../../../support/flows/data-subject.ts";
import { queueDepth } from "../../../support/flows/queue-worker.ts";
import { newTenant, SAMPLE_INBOX, sampleConversationId, sampleMessage } from "../../../support/stores/samples.ts";
import { useSubject } from "./support/erased-conversations.ts";

const { drain, erase, expectErased, queues, subject, testEnv } = useSubject({
  endpoints: { one: "active", gone: "deleted" },
});
let tenant: TenantId;
beforeEach(() => {
  ({ tenant } = subject);
});

const notFound = { refused: "conversation_not_found" };
const auditRows = async (forTenant = tenant) =>
  (await auditStore(testEnv.table).list(forTenant, { before: null, limit: 50, now: testEnv.now() })).rows.filter(
    ({ action }) => action === "conversation.erase",
  );
const head = () => conversationStore(testEnv.table).get(tenant, subject.conversation, testEnv.now());
const erasureIdOf = ({ conversation }: Pick<DataSubject, "conversation">) => sha256Hex(conversation);

it("erasing a conversation removes and counts every kind of row, including deliveries of deleted endpoints", async () => {
  expect(await rowsMentioning(testEnv, subject)).not.toEqual([]);
  expect(await erase()).toEqual({ done: true, removed: subject.counts });
  const remaining = await rowsMentioning(testEnv, subject);
  // The emptied head, and the erasure, which still has the conversation's id.
  expect(remaining.map(({ SK }) => SK).sort()).toEqual(["R", "~HEAD"]);
  expect(Object.keys(remaining.find(({ SK }) => SK === "~HEAD") ?? {}).sort()).toEqual(["PK", "SK", "ea", "x"]);
  await expectErased();
});

it("erasing a conversation leaves only a marker of hashes and a time, for 7 days and an hour", async () => {
  const erasedAt = testEnv.now();
  await erase();
  await drain();
  const rows = (await allRows(testEnv)).filter(({ PK }) => PK.includes(erasureIdOf(subject)));
  const x = Math.ceil((erasedAt + 7 * DAY + HOUR) / 1_000);
  const [marks, marker] = rows.sort((a, b) => (a.SK < b.SK ? -1 : 1));
  expect(rows).toHaveLength(2);
  expect(marker).toEqual({ PK: `ER#${erasureIdOf(subject)}`, SK: "R", ea: erasedAt, x });
  expect(marks).toEqual({
    PK: `ER#${erasureIdOf(subject)}`,
    SK: expect.stringMatching(/^P#/),
    k: expect.any(Array),
    x,
  });
  expect(marks?.k).toEqual(Array(subject.counts.messages).fill(expect.stringMatching(/^[0-9A-Z]{10}$/)));
});

it("erasing a conversation changes no row of another person, or of another tenant's conversation with the same person", async () => {
  const neighbour = await seedDataSubject(testEnv, tenant, subject.endpointIds, { person: "7700000000000077" });
  const stranger = newTenant();
  await seedDataSubject(testEnv, stranger, [await putEndpointRow(testEnv, stranger, "one")]);
  const others = async () =>
    (await allRows(testEnv)).filter(
      (row) => JSON.stringify(row).includes(stranger) || row.PK === neighbour.conversation,
    );
  const before = await others();
  const neighbours = await rowsMentioning(testEnv, neighbour);
  await erase();
  await drain();
  expect(await others()).toEqual(before);
  expect(await rowsMentioning(testEnv, neighbour)).toHaveLength(neighbours.length);
  expect(before.length).toBeGreaterThan(30);
});

it("erasing a conversation removes it from the inbox, the detail, the feed and the lookup by id at once", async () => {
  const messages = messageStore(testEnv.table);
  const existingText = `${subject.person} said 0`;
  expect(await messages.getById(tenant, existingText, testEnv.now())).not.toBeNull();
  await erase();
  const query = { before: null, limit: 9, now: testEnv.now() };
  expect((await conversationStore(testEnv.table).inbox(tenant, query)).heads).toEqual([]);
  expect(await head()).toBeNull();
  expect(await messages.getById(tenant, existingText, testEnv.now())).toBeNull();
  const feed = await messages.feed(tenant, { ...query, direction: null, includeTest: true });
  expect("rows" in feed && feed.rows).toEqual([]);
});

it("a process that has shown a conversation no longer opens or lists it within a second of its erasure", async () => {
  const ports = testEnv.apiPorts(await testEnv.newQueues());
  const query = { conversationId: subject.conversation, before: null, limit: 9, includeTest: false };
  const open = () => readConversation(ports, tenant, query, testEnv.now());
  const list = () => listMessages(ports, tenant, { ...query, direction: null }, testEnv.now());
  expect(await open()).toMatchObject({ head: { id: subject.conversation } });
  expect(await list()).toMatchObject({ next: null });
  await erase();
  testEnv.advance(SECOND);
  expect([await open(), await list()]).toEqual([notFound, notFound]);
});

it("erasing a conversation writes one audit row with its hash and the counts", async () => {
  await erase();
  await drain();
  await erase();
  const { sendRecords, ...rest } = subject.counts;
  expect(await auditRows()).toMatchObject([
    {
      resource: `conversation:sha256:${erasureIdOf(subject).slice(0, 16)}`,
      actor: "key:k1",
      ip: "203.0.113.7",
      detail: { ...rest, send_records: sendRecords },
    },
  ]);
  expect(JSON.stringify(await auditRows())).not.toContain(subject.person);
});

it("erasing a conversation counts a profile only when one is stored", async () => {
  const participant = { id: "88", handle: null, username: null, name: null };
  const message = sampleMessage(tenant, { id: "m88", participant, sentAt: testEnv.now() });
  await messageStore(testEnv.table).record(tenant, message, testEnv.now());
  await conversationStore(testEnv.table).advanceHead(tenant, message, SAMPLE_INBOX);
  expect(await runErasure(testEnv, queues, { tenant, conversation: sampleConversationId(tenant, "88") })).toEqual({
    done: true,
    removed: { ...noRemovals, conversation: 1, messages: 1 },
  });
});

it("erasing a conversation erases messages that the platform stamped ahead of our clock", async () => {
  const ahead = sampleMessage(tenant, { id: "ahead", sentAt: testEnv.now() + MINUTE });
  await messageStore(testEnv.table).record(tenant, ahead, testEnv.now());
  await conversationStore(testEnv.table).advanceHead(tenant, ahead, SAMPLE_INBOX);
  const { messages } = subject.counts;
  expect(await erase()).toMatchObject({ removed: { messages: messages + 1 } });
});

it("erasing a conversation logs the counts of its passes without identifying the person", async () => {
  testEnv.lines.length = 0;
  await erase();
  await drain();
  const passes = testEnv.lines.filter(({ event }) => event === "erasure.pass_completed");
  const { messages, markers, sendRecords, uploads, holds, deliveries } = subject.counts;
  const rows = messages + markers + sendRecords + uploads + holds;
  const erasure = erasureIdOf(subject).slice(0, 16);
  expect(passes).toEqual([
    { event: "erasure.pass_completed", erasure, pass: "first", rows, deliveries },
    { event: "erasure.pass_completed", erasure, pass: "later", rows: 0, deliveries: 0 },
  ]);
});

it("erasing again removes nothing and renews the marker while it exists, and returns not found afterwards", async () => {
  await erase();
  expect(await erase()).toEqual({ done: true, removed: noRemovals });
  await drain();
  expect(await erase()).toEqual({ done: true, removed: noRemovals });
  await drain();
  for (let calls = 0; calls < 2; calls++) {
    const calledAt = testEnv.now();
    expect(await erase()).toEqual({ done: true, removed: noRemovals });
    await drain();
    const marker = (await allRows(testEnv)).find(({ PK, SK }) => PK === `ER#${erasureIdOf(subject)}` && SK === "R");
    const x = Math.ceil((calledAt + 7 * DAY + HOUR) / 1_000);
    expect(marker).toEqual({ PK: `ER#${erasureIdOf(subject)}`, SK: "R", ea: calledAt, x });
    testEnv.advance(calledAt + 7 * DAY + HOUR - SECOND - testEnv.now());
  }
  testEnv.advance(2 * SECOND);
  expect(await erase()).toEqual(notFound);
  expect(await queueDepth(testEnv.eventSource, queues.erasures)).toBe(0);
  expect(await auditRows()).toHaveLength(1);
});

it("erasing again continues with the remaining rows and returns the counts of all of them", async () => {
  const long = await seedDataSubject(testEnv, tenant, subject.endpointIds, {
    person: "9900000000000099",
    messages: 250,
  });
  testEnv.advance(SECOND);
  const first = await runErasure(testEnv, queues, long, 1);
  expect(first).toMatchObject({ done: false, removed: { conversation: 1, profile: 1 } });
  const second = await runErasure(testEnv, queues, long, 1);
  expect(second).toMatchObject({ done: false });
  expect(await auditRows()).toEqual([]);
  expect(await runErasure(testEnv, queues, long)).toEqual({ done: true, removed: long.counts });
  expect(await runErasure(testEnv, queues, long)).toEqual({ done: true, removed: noRemovals });
  expect(await auditRows()).toHaveLength(1);
  await expectErased(long);
});

it("erasing again reports that the background has finished", async () => {
  expect(await erase(0)).toEqual({
    done: false,
    removed: { ...noRemovals, conversation: 1, profile: 1 },
  });
  expect(await head()).toBeNull();
  await drain();
  expect(await erase()).toEqual({ done: true, removed: noRemovals });
  await drain();
  const { sendRecords, ...rest } = subject.counts;
  expect(await auditRows()).toMatchObject([{ actor: "key:k1", detail: { ...rest, send_records: sendRecords } }]);
  expect(await rowsMentioning(testEnv, subject)).toEqual([]);
});

it("erasing again removes the rows that a crashed run counted, without counting them again", async () => {
  const end = injectFaults(testEnv.client, ({ command }) => (command === "BatchWriteItem" ? "crash" : "pass"));
  await expect(erase()).rejects.toThrow("crashed");
  end();
  expect(await erase()).toEqual({ done: true, removed: subject.counts });
  expect((await rowsMentioning(testEnv, subject)).map(({ SK }) => SK).sort()).toEqual(["R", "~HEAD"]);
});

it("erasing twice concurrently removes and counts each row once", async () => {
  const answers = await Promise.all([erase(), erase(), erase()]);
  expect(answers.filter((answer) => "done" in answer && answer.done)).toHaveLength(3);
  expect(answers).toContainEqual({ done: true, removed: subject.counts });
  for (const answer of answers) {
    expect([subject.counts, noRemovals]).toContainEqual("removed" in answer && answer.removed);
  }
  expect(await auditRows()).toHaveLength(1);
  await expectErased();
});

it.each([
  ["erases what came since too", Number.POSITIVE_INFINITY],
  ["returns 202 if there is no time for what came since", 2],
])("erasing again during the first pass of an earlier call %s", async (_name, pages) => {
  expect(await erase(0)).toMatchObject({ done: false });
  testEnv.advance(20 * SECOND);
  const message = sampleMessage(tenant, { id: "new", text: "again", sentAt: testEnv.now() });
  await messageStore(testEnv.table).record(tenant, message, testEnv.now());
  await conversationStore(testEnv.table).advanceHead(tenant, message, SAMPLE_INBOX);
  testEnv.advance(SECOND);
  const newer = { ...noRemovals, conversation: 1, messages: 1 };
  if (pages === 2) {
    expect(await erase(pages)).toEqual({ done: false, removed: subject.counts });
    expect(await erase()).toEqual({ done: true, removed: newer });
  } else {
    const removed = addRemovalCounts(subject.counts, newer);
    expect(await erase()).toEqual({ done: true, removed });
  }
  expect(await head()).toBeNull();
  expect(await auditRows()).toHaveLength(2);
  await drain();
  expect((await allRows(testEnv)).filter(({ PK }) => PK === subject.conversation)).toEqual([]);
});

it("erasing again erases a conversation that started after the first erasure", async () => {
  await erase();
  testEnv.advance(MINUTE);
  const second = await seedDataSubject(testEnv, tenant, subject.endpointIds, { messages: 1 });
  testEnv.advance(SECOND);
  expect(await runErasure(testEnv, queues, second)).toEqual({ done: true, removed: second.counts });
  await expectErased();
  expect(await auditRows()).toHaveLength(2);
});

it("a conversation that starts while the person's earlier one is erased keeps all its rows", async () => {
  expect(await erase(0)).toMatchObject({ done: false });
  testEnv.advance(1);
  const message = sampleMessage(tenant, { id: "new", text: "again", sentAt: testEnv.now() });
  const recorded = await messageStore(testEnv.table).record(tenant, message, testEnv.now());
  expect(await conversationStore(testEnv.table).advanceHead(tenant, message, SAMPLE_INBOX)).toMatchObject({
    started: true,
  });
  await drain();
  expect(await head()).toMatchObject({ lastMessageText: "again", participantHandle: null });
  expect((await messageStore(testEnv.table).getByRefs(tenant, [recorded.ref])).size).toBe(1);
  const { sendRecords, ...rest } = subject.counts;
  expect(await auditRows()).toMatchObject([{ detail: { ...rest, send_records: sendRecords } }]);
  const rows = (await allRows(testEnv)).filter(({ PK }) => PK === subject.conversation);
  expect(rows.map(({ SK }: Row) => SK.slice(0, 2))).toEqual(["M#", "~H"]);
});

const ask = (conversationId: string, caller = tenantCaller(tenant), asTenant = tenant) =>
  eraseConversation(
    testEnv.erasePorts(queues),
    { tenant: asTenant, conversationId, author: { caller, ip: null }, now: testEnv.now(), time: testEnv },
    () => true,
  );

it("permission to erase is refused to a test key for any conversation", async () => {
  const test = tenantCaller(tenant, "test");
  for (const id of [subject.conversation, sampleConversationId(tenant, "unknown"), "x"]) {
    expect(await ask(id, test)).toEqual({ refused: "live_key_required" });
  }
  expect(await head()).not.toBeNull();
});

it("a conversation to erase is not found for an id that is malformed, another tenant's or unused, also after its 7 days", async () => {
  const stranger = newTenant();
  for (const id of [
    "",
    "x",
    `${subject.conversation}#x`,
    sampleConversationId(tenant, "1"),
    sampleConversationId(stranger),
  ]) {
    expect(await ask(id)).toEqual(notFound);
  }
  expect(await ask(subject.conversation, tenantCaller(stranger), stranger)).toEqual(notFound);
  testEnv.advance(7 * DAY);
  expect(await ask(sampleConversationId(tenant, "1"))).toEqual(notFound);
  expect(await ask(subject.conversation, tenantCaller(stranger), stranger)).toEqual(notFound);
  expect(await queueDepth(testEnv.eventSource, queues.erasures)).toBe(0);
});

it("the queue message of an erasure identifies the conversation by its hash only", async () => {
  const body = encodeErasure({ tenant, erasureId: erasureIdOf(subject) });
  expect(body).toContain(erasureIdOf(subject));
  expect(body).not.toContain(subject.person);
});
