import { beforeEach, expect, it } from "vitest";
import type { TenantId } from "#base/kernel/tenant.ts";
import { HOUR } from "#base/kernel/time.ts";
import { conversationStore } from "#features/inbox/store/conversations.ts";
import { openTestEnv } from "../../../support/flows/test-env.ts";
import { openedOnce } from "../../../support/opened.ts";
import { openApiApp } from "../../../support/routes/api-app.ts";
import { newTenant, SAMPLE_INBOX, sampleConversationId, sampleMessage } from "../../../support/stores/samples.ts";

let tenant: TenantId;
let key: string;
const testEnv = openedOnce(openTestEnv);
const api = openedOnce(() => openApiApp(testEnv));
beforeEach(async () => {
  tenant = newTenant();
  key = await api.newKey(tenant);
});

const path = () => `/v1/conversations/${encodeURIComponent(sampleConversationId(tenant))}`;
const write = (id: string, direction: "inbound" | "outbound", ago: number) =>
  conversationStore(testEnv.table).advanceHead(
    tenant,
    sampleMessage(tenant, { id, direction, sentAt: testEnv.now() - ago }),
    SAMPLE_INBOX,
  );
const patch = (body: object) => api.patch(key, path(), body);

it("a conversation that is done needs no reply until the person writes again", async () => {
  await write("m1", "inbound", HOUR);
  const done = await patch({ done: true });
  expect(done).toMatchObject({
    status: 200,
    body: { data: { conversation: { needs_reply: false, unanswered: true, done_at: expect.any(String) } } },
  });
  expect(await patch({ done: true })).toMatchObject({ body: { data: done.body.data } });
  await write("m2", "inbound", 0);
  const { conversation } = (await api.request(key, path())).body.data;
  expect(conversation).toMatchObject({ needs_reply: true, done_at: null });
  expect(conversation.waiting_since).toBe(new Date(testEnv.now() - HOUR).toISOString());
});

it("a conversation needs a reply again when the mark is removed", async () => {
  await write("m1", "inbound", HOUR);
  await patch({ done: true });
  const { conversation } = (await patch({ done: false })).body.data;
  expect(conversation).toMatchObject({ needs_reply: true, done_at: null });
});

it("a conversation that was answered stays as it is", async () => {
  await write("m1", "inbound", HOUR);
  await write("m2", "outbound", 0);
  const { conversation } = (await patch({ done: true })).body.data;
  expect(conversation).toMatchObject({ needs_reply: false, unanswered: false, done_at: null, waiting_since: null });
});

it.each([{}, { done: "yes" }, { done: null }, { done: 1 }])(
  "a body of %o is refused and changes nothing",
  async (body) => {
    await write("m1", "inbound", HOUR);
    expect(await patch(body)).toMatchObject({ status: 400, body: { error: { code: "invalid_request" } } });
    expect((await api.request(key, path())).body.data.conversation.done_at).toBeNull();
  },
);

it("a test key cannot mark a conversation as done", async () => {
  await write("m1", "inbound", HOUR);
  const testKey = await api.newKey(tenant, "test");
  expect(await api.patch(testKey, path(), { done: true })).toMatchObject({ status: 403 });
  expect((await api.request(key, path())).body.data.conversation.done_at).toBeNull();
});

it("an order without the filter for those who need a reply is refused, and so is an unknown order", async () => {
  for (const query of ["order=closing", "order=closing&needs_reply=false", "needs_reply=true&order=newest"]) {
    const answer = await api.request(key, `/v1/conversations?${query}`);
    expect(answer).toMatchObject({ status: 400, body: { error: { code: "invalid_request" } } });
  }
});

it("those who need a reply are listed with both orders, and a cursor belongs to its order", async () => {
  const ids = ["first", "second", "third"];
  for (const [index, person] of ids.entries()) {
    const conversationId = `CONV#${tenant}#instagram#17841400000000001#${person}`;
    const participant = { id: person, handle: null, username: null, name: null };
    const sentAt = testEnv.now() - (3 - index) * HOUR;
    const message = sampleMessage(tenant, { id: person, direction: "inbound", conversationId, participant, sentAt });
    await conversationStore(testEnv.table).advanceHead(tenant, message, SAMPLE_INBOX);
  }
  const list = async (query: string) => (await api.request(key, `/v1/conversations?${query}`)).body.data;
  const people = (page: { conversations: { participant_id: string }[] }) =>
    page.conversations.map(({ participant_id }) => participant_id);
  expect(people(await list("needs_reply=true"))).toEqual(["third", "second", "first"]);
  const page = await list("needs_reply=true&order=closing&limit=2");
  expect(people(page)).toEqual(["first", "second"]);
  expect(people(await list(`needs_reply=true&order=closing&limit=2&cursor=${page.next_cursor}`))).toEqual(["third"]);
  const wrong = await api.request(key, `/v1/conversations?needs_reply=true&limit=2&cursor=${page.next_cursor}`);
  expect(wrong).toMatchObject({ status: 400, body: { error: { code: "invalid_request" } } });
});
