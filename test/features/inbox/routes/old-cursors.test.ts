import { beforeEach, expect, it } from "vitest";
import { deriveUlid, newUlid } from "#base/kernel/ids.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { DAY, MINUTE, type Millis } from "#base/kernel/time.ts";
import { deliveryStore } from "#features/delivery/store/deliveries.ts";
import { conversationStore } from "#features/inbox/store/conversations.ts";
import { messageStore } from "#features/inbox/store/messages.ts";
import { openTestEnv } from "../../../support/flows/test-env.ts";
import { openedOnce } from "../../../support/opened.ts";
import { type ApiResponse, openApiApp } from "../../../support/routes/api-app.ts";
import {
  newTenant,
  PERSON,
  SAMPLE_INBOX,
  sampleConversationId,
  sampleMessage,
} from "../../../support/stores/samples.ts";

let tenant: TenantId;
const testEnv = openedOnce(openTestEnv);
const api = openedOnce(() => openApiApp(testEnv));
beforeEach(() => {
  tenant = newTenant();
});

const ENDPOINT = newUlid(0);

/** Four messages of three people in the last minute of their retention, and a current one. */
async function createMessages(): Promise<void> {
  const oldest = testEnv.now() - 7 * DAY + MINUTE;
  const texts = [
    { id: "m1", person: "41", sentAt: oldest },
    { id: "m2", person: PERSON, sentAt: oldest + 1 },
    { id: "m3", person: PERSON, sentAt: oldest + 2 },
    { id: "m4", person: "42", sentAt: oldest + 3 },
    { id: "m5", person: PERSON, sentAt: testEnv.now() },
  ];
  for (const { id, person, sentAt } of texts) {
    const message = sampleMessage(tenant, {
      id,
      sentAt,
      participant: { id: person, handle: null, username: null, name: null },
    });
    const { ref } = await messageStore(testEnv.table).record(tenant, message, sentAt);
    await conversationStore(testEnv.table).advanceHead(tenant, message, SAMPLE_INBOX);
    await deliveryStore(testEnv.table).recordFirst(
      tenant,
      { endpointId: ENDPOINT, eventUlid: deriveUlid(sentAt, id), eventType: "message.received", source: ref },
      {
        verdict: { status: "delivered" },
        outcome: { kind: "answered", status: 200, retryAfter: null, durationMs: 1 },
        settledAt: sentAt,
      },
    );
  }
}

/** Pages through `pageNumber` rows, one per page. @returns requests the next page */
async function walkToPage(pageNumber: number, key: string, path: string): Promise<() => Promise<ApiResponse>> {
  const below = async (cursor: string | null) =>
    api.request(key, `${path}${path.includes("?") ? "&" : "?"}limit=1${cursor ? `&cursor=${cursor}` : ""}`);
  let cursor: string | null = null;
  for (let row = 0; row < pageNumber; row++) {
    const { status, body } = await below(cursor);
    expect(status).toBe(200);
    cursor = body.data.next_cursor;
    expect(cursor).not.toBeNull();
  }
  return () => below(cursor);
}

function responseRows({ body }: ApiResponse): unknown[] {
  const { messages, conversations, deliveries, audit } = body.data;
  return messages ?? conversations ?? deliveries ?? audit;
}

/** Expects one row on a page, and none once its position has expired, after this time. */
async function expectExpired(requestNextPage: () => Promise<ApiResponse>, after: Millis): Promise<void> {
  expect(responseRows(await requestNextPage())).toHaveLength(1);
  testEnv.advance(after);
  const expired = await requestNextPage();
  expect(expired.status).toBe(200);
  expect(responseRows(expired)).toEqual([]);
  expect(expired.body.data.next_cursor).toBeNull();
}

const conversation = () => encodeURIComponent(sampleConversationId(tenant));

it.each<[string, () => string, number]>([
  ["the messages", () => "/v1/messages", 3],
  ["the messages including those of test keys", () => "/v1/messages?include_test=true", 3],
  ["the messages of one direction", () => "/v1/messages?direction=inbound", 3],
  ["one conversation's messages", () => `/v1/messages?conversation_id=${conversation()}`, 2],
  [
    "one conversation's messages of one direction",
    () => `/v1/messages?direction=inbound&conversation_id=${conversation()}`,
    2,
  ],
  ["an opened conversation", () => `/v1/conversations/${conversation()}`, 2],
  ["the inbox", () => "/v1/conversations", 2],
  ["the filtered inbox", () => "/v1/conversations?unanswered=true", 2],
  ["an endpoint's deliveries", () => `/v1/webhooks/${ENDPOINT}/deliveries`, 3],
])("a cursor whose position has expired gives an empty last page of %s", async (_name, path, pages) => {
  const key = await api.newKey(tenant);
  await createMessages();
  const requestNextPage = await walkToPage(pages, key, path());
  await expectExpired(requestNextPage, 2 * MINUTE);
});

it("a cursor whose position has expired gives an empty last page of the audit trail", async () => {
  for (let keys = 0; keys < 3; keys++) await api.newKey(tenant);
  testEnv.advance(MINUTE);
  const key = await api.newKey(tenant);
  const requestNextPage = await walkToPage(2, key, "/v1/audit");
  await expectExpired(requestNextPage, 400 * DAY);
});
