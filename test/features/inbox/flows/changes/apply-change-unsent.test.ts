import { expect, it } from "vitest";
import { isRefusal } from "#base/kernel/refusals.ts";
import { DAY, HOUR, iso, SECOND } from "#base/kernel/time.ts";
import { listMessages } from "#features/inbox/flows/read-inbox.ts";
import { conversationStore } from "#features/inbox/store/conversations.ts";
import { PENDING_MESSAGES_MAX } from "#features/inbox/store/pending-changes.ts";
import { useChangeFixture } from "../../../../support/flows/change-fixture.ts";
import { newConversation } from "../../../../support/flows/new-conversation.ts";
import {
  editEvent,
  eventData,
  ingestEvents,
  listFeed,
  textEvent,
  unsendEvent,
} from "../../../../support/flows/platform-events.ts";

const { testEnv, queues, fixture } = useChangeFixture();

it("an unsent message is shown as unsent by every read, without content, and published once", async () => {
  const { account, conversation, at, ingest: take, head, expectUnsent, shownTexts } = fixture;
  const [received] = await take(textEvent("m1", "first", at), textEvent("m2", "secret", at + 1));
  const events = await take(unsendEvent("m1", at + 2));
  expect(events.map(({ type }) => type)).toEqual(["message.deleted"]);
  expect(events.map(eventData)).toEqual([
    {
      message: {
        id: "m1",
        conversation_id: conversation,
        account_key: `instagram#${account}`,
        platform: "instagram",
        deleted_at: iso(at + 2),
      },
      by: "participant",
    },
  ]);
  expect(received?.body).toContain("first");
  expect(await shownTexts()).toEqual(["secret"]);
  await expectUnsent("m1");
  expect((await head())?.lastMessageText).toBe("secret");

  testEnv.advance(HOUR);
  const again = await take(unsendEvent("m1", at + 2));
  expect(again.map(({ ulid }) => ulid)).toEqual(events.map(({ ulid }) => ulid));
  expect(again.map(({ body }) => body)).toEqual(events.map(({ body }) => body));
  expect(again.every(({ repeated }) => repeated)).toBe(true);
});

it("an unsent message leaves no text on the head when it was the newest, and nothing else of the head changes", async () => {
  const { at, ingest: take, head, shownTexts } = fixture;
  await take(textEvent("m1", "first", at), textEvent("m2", "secret", at + 1));
  const before = await head();
  await take(unsendEvent("m2", at + 2));
  expect(await head()).toEqual({ ...before, lastMessageText: "" });
  expect(await shownTexts()).toEqual(["first"]);
});

it("an unsent message is in no stored event, and neither are its edits", async () => {
  const { at, ingest: take, tenantItems: everything } = fixture;
  const [received] = await take(textEvent("m1", "secret", at));
  const edits = await take(editEvent("m1", "secret 1", 1, at + 1), editEvent("m1", "secret 2", 2, at + 2));
  expect([received, ...edits].map((event) => event?.body?.includes("secret"))).toEqual([true, true, true]);
  await take(unsendEvent("m1", at + 3));
  expect(JSON.stringify(await everything())).not.toContain("secret");
});

it("an unsent message does not return when its webhook is redelivered hours or days later", async () => {
  const { tenant, at, ingest: take, head } = fixture;
  await take(textEvent("m1", "secret", at));
  await take(unsendEvent("m1", at + 1));
  for (const wait of [0, HOUR, 6 * DAY]) {
    testEnv.advance(wait);
    expect(await take(textEvent("m1", "secret", at))).toEqual([]);
    expect(await listFeed(testEnv, tenant)).toEqual([]);
    expect((await head())?.lastMessageText).toBe("");
  }
});

it("an unsent message is not published when it was unsent before it arrived, and still opens the reply window", async () => {
  const { conversation, at, ingest: take, head, rawHead, expectUnsent, shownTexts } = fixture;
  const events = await take(unsendEvent("m1", at + 1));
  expect(events.map(({ type }) => type)).toEqual(["message.deleted"]);
  expect(await head()).toBeNull();
  expect(await take(textEvent("m1", "secret", at))).toEqual([]);
  expect(await shownTexts()).toEqual([]);
  await expectUnsent("m1");

  const other = await newConversation(testEnv);
  const ports = testEnv.ingestPorts(queues);
  for (const each of [textEvent("m1", "secret", at), unsendEvent("m1", at + 1)]) {
    await ingestEvents(ports, other.account, [each], testEnv.now());
  }
  const inOrder = await conversationStore(testEnv.table).get(other.tenant, other.conversation, testEnv.now());
  expect(await head()).toEqual({ ...inOrder, id: conversation, ref: (await head())?.ref });
  expect(await head()).toMatchObject({ lastMessageText: "", lastInboundAt: at, lastAt: at });
  expect(await rawHead()).not.toHaveProperty("aw");
  for (let i = 0; i < 2; i++) expect(await take(textEvent("m1", "secret", at))).toEqual([]);
});

it("an unsent message of the account is emptied too, and its event says so", async () => {
  const { conversation, at, ingest: take, head, shownTexts } = fixture;
  await take(textEvent("m1", "hello", at), textEvent("m2", "our secret", at + 1, { fromAccount: true }));
  const events = await take(unsendEvent("m2", at + 2, { fromAccount: true }));
  expect(events.map((event) => eventData(event).message)).toMatchObject([{ id: "m2", conversation_id: conversation }]);
  expect(events.map((event) => eventData(event).by)).toEqual(["account"]);
  expect(await shownTexts()).toEqual(["hello"]);
  expect(await head()).toMatchObject({ lastMessageText: "", lastDirection: "echo", lastOutboundAt: at + 1 });
  expect(await take(textEvent("m2", "our secret", at + 1, { fromAccount: true }))).toEqual([]);
  expect(await shownTexts()).toEqual(["hello"]);
});

it("an unsent message is found before the index has it, and among more than one page of rows", async () => {
  const { tenant, account, at, ingest: take, rawHead, expectUnsent } = fixture;
  await take(
    ...Array.from({ length: 120 }, (_, i) => textEvent(`n${i}`, "x", at + i)),
    textEvent("m1", "secret", at + 5),
  );
  const ports = testEnv.ingestPorts(queues);
  const blind = { ...ports, messageChanges: { ...ports.messageChanges, find: async () => null } };
  await ingestEvents(blind, account, [unsendEvent("m1", at + 200)], testEnv.now());
  expect((await listFeed(testEnv, tenant)).map(({ id }) => id)).not.toContain("m1");
  await expectUnsent("m1");
  expect(await rawHead()).not.toHaveProperty("aw");
});

it("an unsent message does not shift the pages of other messages", async () => {
  const { tenant, conversation, at, inboxPorts, ingest: take } = fixture;
  await take(...Array.from({ length: 6 }, (_, i) => textEvent(`m${i}`, `${i}`, at + i)));
  await take(...[1, 2, 4, 5].map((i) => unsendEvent(`m${i}`, at + 10)));
  const texts: string[] = [];
  let before: string | null = null;
  do {
    const query = { conversationId: conversation, before, limit: 2, includeTest: false, direction: null };
    const page = await listMessages(inboxPorts, tenant, query, testEnv.now());
    if (isRefusal(page)) throw new Error("The conversation is not found.");
    texts.push(...page.rows.map(({ message }) => message.text));
    before = page.next;
  } while (before !== null);
  expect(texts).toEqual(["", "", "3", "", "", "0"]);
});

it("an unsent message that never arrives adds little to the head, however many there are", async () => {
  const { at, ingest: take, rawHead, shownTexts } = fixture;
  await take(textEvent("m0", "hello", at));
  for (let i = 0; i < PENDING_MESSAGES_MAX * 2; i++) {
    testEnv.advance(SECOND);
    await take(unsendEvent(`old${i}`, at));
  }
  const marks = (await rawHead()).aw as Set<string>;
  expect(marks.size).toBeLessThanOrEqual(PENDING_MESSAGES_MAX);
  // The newest remain.
  expect(await take(textEvent(`old${PENDING_MESSAGES_MAX * 2 - 1}`, "secret", at))).toEqual([]);
  expect(await shownTexts()).toEqual(["hello"]);
});
