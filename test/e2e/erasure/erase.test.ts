import { beforeAll, expect, it } from "vitest";
import { openedOnce } from "../../support/opened.ts";
import { createTestWebhook, personWrites, type TestWebhook } from "../support/api-calls.ts";
import type { ApiResponse } from "../support/api-response.ts";
import { dumpTable } from "../support/dump-table.ts";
import { failureLines, waitUntilIdle } from "../support/emulator-journals.ts";
import { openSharedStack } from "../support/local-stack.ts";
import { demoAccountIds, newMessageId, newPersonId, postWebhook, textEntry } from "../support/platform-webhooks.ts";
import { waitFor } from "../support/wait-for.ts";
import { openReceiver } from "../support/webhook-receiver.ts";

const canaries = { text: "canary-erased-text", reply: "canary-erased-reply", name: "Canary Erased" };

let hooks: TestWebhook[];
let person: string;
let conversation: string;
let otherConversation: string;
const messageId = newMessageId();
const otherPerson = newPersonId();
const { messenger } = demoAccountIds;
const stack = openedOnce(openSharedStack);
const receiver = openedOnce(openReceiver);
beforeAll(async () => {
  hooks = [await createTestWebhook(stack, receiver.url), await createTestWebhook(stack, "http://127.0.0.1:9/unused")];
  conversation = await personWrites(stack, "messenger", canaries.name, canaries.text);
  person = conversation.split("#").at(-1) ?? "";
  otherConversation = `CONV#demo#messenger#${messenger}#${otherPerson}`;
  const at = await stack.now();
  const others = textEntry(messenger, otherPerson, newMessageId(), "of another", at);
  expect(
    (await postWebhook(stack, "page", [textEntry(messenger, person, messageId, canaries.text, at), others])).status,
  ).toBe(200);
  await waitUntilIdle(stack);
  const replied = await stack.api("POST", "/v1/messages/reply", {
    conversation_id: conversation,
    text: canaries.reply,
  });
  expect(replied.status).toBe(200);
  await waitFor("the echo is delivered", async () => {
    const { pending } = await stack.sim<{ pending: unknown[] }>("GET", "/state");
    return pending.length === 0;
  });
  await waitUntilIdle(stack);
});

const conversationPath = (id: string) => `/v1/conversations/${encodeURIComponent(id)}`;
const erase = (id = conversation, key?: string): Promise<ApiResponse> =>
  stack.api("DELETE", conversationPath(id), undefined, key);
const removedCounts = ({ body }: ApiResponse) =>
  body.data as unknown as { done: boolean; removed: Record<string, number> };

it("erasing a conversation is refused for a test key and 404 for a foreign or malformed id", async () => {
  expect((await erase(conversation, stack.info.test_key)).status).toBe(403);
  for (const id of ["CONV#x", conversation.replace("demo", "other"), `${conversation}1`]) {
    const { status, body } = await erase(id);
    expect([status, body.error.code]).toEqual([404, "conversation_not_found"]);
  }
  expect((await stack.api("GET", conversationPath(conversation))).status).toBe(200);
});

it("erasing a conversation returns what it removed, and no API response contains the person", async () => {
  const table = await dumpTable(stack);
  for (const canary of [...Object.values(canaries), person]) expect(table).toContain(canary);
  const response = await erase();
  expect(response.status).toBe(200);
  expect(removedCounts(response)).toEqual({
    done: true,
    removed: {
      conversation: 1,
      profile: 1,
      messages: 3,
      markers: 1,
      // Three messages at an endpoint that responds and at one that is unreachable.
      deliveries: 6,
      send_records: 1,
      uploads: 0,
      holds: 0,
    },
  });
  expect((await stack.api("GET", conversationPath(conversation))).status).toBe(404);
  expect((await stack.api("GET", `/v1/messages/${messageId}`)).status).toBe(404);
  for (const list of ["/v1/conversations", "/v1/messages?include_test=true"]) {
    const { text } = await stack.api("GET", list);
    expect(text).toContain("of another");
    for (const canary of [canaries.text, canaries.reply, person]) expect(text).not.toContain(canary);
  }
  const again = await erase();
  expect([again.status, removedCounts(again).done]).toEqual([200, true]);
  expect(Object.values(removedCounts(again).removed).every((count) => count === 0)).toBe(true);
});

it("erasing a conversation leaves nothing of the person in the table after its second pass, and everything of others", async () => {
  await stack.clock("PT1M");
  await waitUntilIdle(stack);
  await stack.clock("PT4M");
  await waitFor("the second pass has ended", () => stack.log().includes('"pass":"later"'));
  await waitUntilIdle(stack);
  const table = await dumpTable(stack);
  for (const canary of [canaries.text, canaries.reply, canaries.name, person]) expect(table).not.toContain(canary);
  expect(table).toContain(otherPerson);
  expect((await stack.api("GET", conversationPath(otherConversation))).status).toBe(200);
  const { body } = await stack.api("GET", `/v1/webhooks/${hooks[0]?.id}/deliveries`);
  expect(body.data.deliveries).toHaveLength(1);
});

it("erasing a conversation has one audit row, which names the conversation by a hash", async () => {
  const { text, body } = await stack.api("GET", "/v1/audit");
  const { audit } = body.data as unknown as { audit: { action: string; resource: string; detail: object }[] };
  const erased = audit.filter(({ action }) => action === "conversation.erase");
  expect(erased).toHaveLength(1);
  expect(erased[0]?.resource).toMatch(/^conversation:sha256:[0-9a-f]{16}$/);
  expect(erased[0]?.detail).toMatchObject({ conversation: 1, messages: 3, deliveries: 6 });
  expect(text).not.toContain(person);
});

it("erasing a conversation is not undone by a repeated platform webhook; a new message starts a new conversation", async () => {
  const before = receiver.deliveries.length;
  const at = await stack.now();
  // Long before the erasure by the clock of the stack, which was advanced since.
  await postWebhook(stack, "page", [textEntry(messenger, person, messageId, canaries.text, at - 10 * 60_000)]);
  await waitUntilIdle(stack);
  expect((await stack.api("GET", conversationPath(conversation))).status).toBe(404);
  expect(receiver.deliveries).toHaveLength(before);
  await postWebhook(stack, "page", [textEntry(messenger, person, newMessageId(), "hello again", at)]);
  await waitUntilIdle(stack);
  const { body } = await stack.api("GET", conversationPath(conversation));
  expect(body.data.messages.map(({ text }) => text)).toEqual(["hello again"]);
  expect(failureLines(stack.log())).toEqual([]);
});
