import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { newUlid, ulidOf } from "../../../../shared/kernel/ids.ts";
import type { TenantId } from "../../../../shared/kernel/tenant.ts";
import { DAY, MINUTE } from "../../../../shared/kernel/time.ts";
import { deliveryStore } from "../../../../shared/stores/delivery/deliveries.ts";
import { conversationStore } from "../../../../shared/stores/inbox/conversations.ts";
import { messageStore } from "../../../../shared/stores/inbox/messages.ts";
import { type House, openHouse } from "../../../shared/flows/support/house.ts";
import { conversationOf, INBOX, messageOf, newTenant, PERSON } from "../../../shared/stores/support/samples.ts";
import { type Api, type ApiAnswer, openApi } from "../support/api-app.ts";

let house: House;
let api: Api;
let tenant: TenantId;
beforeAll(async () => {
  house = await openHouse();
  api = await openApi(house);
});
afterAll(() => house.close());
beforeEach(() => {
  tenant = newTenant();
});

const ENDPOINT = newUlid(0);

/** Two messages of a person and one of another within the last minute of their retention, then one of now. */
async function talk(): Promise<void> {
  const oldest = house.now() - 7 * DAY + MINUTE;
  const said = [
    { id: "m1", person: "41", sentAt: oldest },
    { id: "m2", person: PERSON, sentAt: oldest + 1 },
    { id: "m3", person: PERSON, sentAt: oldest + 2 },
    { id: "m4", person: "42", sentAt: oldest + 3 },
    { id: "m5", person: PERSON, sentAt: house.now() },
  ];
  for (const { id, person, sentAt } of said) {
    const message = messageOf(tenant, { id, sentAt, participant: { id: person, handle: null, username: null } });
    const { ref } = await messageStore(house.table).record(tenant, message, sentAt);
    await conversationStore(house.table).apply(tenant, message, INBOX);
    await deliveryStore(house.table).recordFirst(
      tenant,
      { endpointId: ENDPOINT, eventUlid: ulidOf(sentAt, id), eventType: "message.received", source: ref },
      { status: "delivered" },
      { kind: "answered", status: 200, retryAfter: null, durationMs: 1 },
      sentAt,
    );
  }
}

/** Walks up to the last row but one, one row a page. @returns asks for what lies below it */
async function walkBut(one: number, key: string, path: string): Promise<() => Promise<ApiAnswer>> {
  const below = async (cursor: string | null) =>
    api.ask(key, `${path}${path.includes("?") ? "&" : "?"}limit=1${cursor ? `&cursor=${cursor}` : ""}`);
  let cursor: string | null = null;
  for (let row = 0; row < one; row++) {
    const { status, body } = await below(cursor);
    expect(status).toBe(200);
    cursor = body.data.next_cursor;
    expect(cursor).not.toBeNull();
  }
  return () => below(cursor);
}

function rowsOf({ body }: ApiAnswer): unknown[] {
  const { messages, conversations, deliveries, audit } = body.data;
  return messages ?? conversations ?? deliveries ?? audit;
}

const conversation = () => encodeURIComponent(conversationOf(tenant));

describe("a cursor whose place has left the retention leads to an empty last page of", () => {
  it.each<[string, () => string, number]>([
    ["the messages", () => "/v1/messages", 3],
    ["the messages with those of test keys", () => "/v1/messages?include_test=true", 3],
    ["the messages of one direction", () => "/v1/messages?direction=inbound", 3],
    ["one conversation's messages", () => `/v1/messages?conversation_id=${conversation()}`, 2],
    [
      "one conversation's of one direction",
      () => `/v1/messages?direction=inbound&conversation_id=${conversation()}`,
      2,
    ],
    ["an opened conversation", () => `/v1/conversations/${conversation()}`, 2],
    ["the inbox", () => "/v1/conversations", 2],
    ["the filtered inbox", () => "/v1/conversations?unanswered=true", 2],
    ["an endpoint's deliveries", () => `/v1/webhooks/${ENDPOINT}/deliveries`, 3],
  ])("%s", async (_name, path, pages) => {
    const key = await api.keyOf(tenant);
    await talk();
    const goOn = await walkBut(pages, key, path());
    expect(rowsOf(await goOn())).toHaveLength(1);
    house.turn(2 * MINUTE);
    const after = await goOn();
    expect(after.status).toBe(200);
    expect(rowsOf(after)).toEqual([]);
    expect(after.body.data.next_cursor).toBeNull();
  });

  it("the audit trail", async () => {
    for (let keys = 0; keys < 3; keys++) await api.keyOf(tenant);
    house.turn(MINUTE);
    const key = await api.keyOf(tenant);
    const goOn = await walkBut(2, key, "/v1/audit");
    expect(rowsOf(await goOn())).toHaveLength(1);
    house.turn(400 * DAY);
    const after = await goOn();
    expect(after.status).toBe(200);
    expect(rowsOf(after)).toEqual([]);
    expect(after.body.data.next_cursor).toBeNull();
  });
});
