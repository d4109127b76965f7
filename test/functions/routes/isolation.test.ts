import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type App, createApp } from "../../../functions/http/app.ts";
import { apiRoutes } from "../../../functions/routes/index.ts";
import { deliveryId } from "../../../shared/domain/delivery/deliveries.ts";
import { conversationId } from "../../../shared/domain/inbox/conversations.ts";
import { authenticate } from "../../../shared/flows/access/authenticate.ts";
import { newUlid } from "../../../shared/kernel/ids.ts";
import type { TenantId } from "../../../shared/kernel/tenant.ts";
import { DAY } from "../../../shared/kernel/time.ts";
import { conversationStore } from "../../../shared/stores/inbox/conversations.ts";
import { messageStore } from "../../../shared/stores/inbox/messages.ts";
import { type House, openHouse } from "../../shared/flows/support/house.ts";
import { endpointAt } from "../../shared/flows/support/receivers.ts";
import { INBOX, messageOf, newTenant, PERSON } from "../../shared/stores/support/samples.ts";
import { openApi } from "./support/api-app.ts";

// Whoever asks with an id that is not theirs learns nothing from the answer: it is, byte for byte, the answer to an id
// that nobody has.

type Kind = "conversation" | "message" | "endpoint" | "delivery" | "hold";
interface Ask {
  readonly kind: Kind;
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  readonly path: (id: string) => string;
  readonly body?: (id: string) => object;
  readonly code: string;
}

const own = { endpoint: "" };
const asks: Record<string, Ask> = {
  "GET /v1/conversations/{id}": {
    kind: "conversation",
    method: "GET",
    path: (id) => `/v1/conversations/${id}`,
    code: "conversation_not_found",
  },
  "DELETE /v1/conversations/{id}": {
    kind: "conversation",
    method: "DELETE",
    path: (id) => `/v1/conversations/${id}`,
    code: "conversation_not_found",
  },
  "GET /v1/messages?conversation_id=": {
    kind: "conversation",
    method: "GET",
    path: (id) => `/v1/messages?conversation_id=${id}`,
    code: "conversation_not_found",
  },
  "POST /v1/messages/reply": {
    kind: "conversation",
    method: "POST",
    path: () => "/v1/messages/reply",
    body: (id) => ({ conversation_id: decodeURIComponent(id), text: "hi" }),
    code: "conversation_not_found",
  },
  "POST /v1/messages/human-agent": {
    kind: "conversation",
    method: "POST",
    path: () => "/v1/messages/human-agent",
    body: (id) => ({ conversation_id: decodeURIComponent(id), text: "hi", actor_id: "ann" }),
    code: "conversation_not_found",
  },
  "GET /v1/messages/{id}": {
    kind: "message",
    method: "GET",
    path: (id) => `/v1/messages/${id}`,
    code: "message_not_found",
  },
  "GET /v1/messages/holds/{hold_id}": {
    kind: "hold",
    method: "GET",
    path: (id) => `/v1/messages/holds/${id}`,
    code: "hold_not_found",
  },
  "GET /v1/webhooks/{id}": {
    kind: "endpoint",
    method: "GET",
    path: (id) => `/v1/webhooks/${id}`,
    code: "endpoint_not_found",
  },
  "PATCH /v1/webhooks/{id}": {
    kind: "endpoint",
    method: "PATCH",
    path: (id) => `/v1/webhooks/${id}`,
    body: () => ({ status: "paused" }),
    code: "endpoint_not_found",
  },
  "DELETE /v1/webhooks/{id}": {
    kind: "endpoint",
    method: "DELETE",
    path: (id) => `/v1/webhooks/${id}`,
    code: "endpoint_not_found",
  },
  "POST /v1/webhooks/{id}/rotate": {
    kind: "endpoint",
    method: "POST",
    path: (id) => `/v1/webhooks/${id}/rotate`,
    code: "endpoint_not_found",
  },
  "POST /v1/webhooks/{id}/test": {
    kind: "endpoint",
    method: "POST",
    path: (id) => `/v1/webhooks/${id}/test`,
    code: "endpoint_not_found",
  },
  "GET /v1/webhooks/{id}/deliveries/summary": {
    kind: "endpoint",
    method: "GET",
    path: (id) => `/v1/webhooks/${id}/deliveries/summary`,
    code: "endpoint_not_found",
  },
  "POST /v1/webhooks/{id}/deliveries/replay": {
    kind: "endpoint",
    method: "POST",
    path: (id) => `/v1/webhooks/${id}/deliveries/replay?from=0`,
    code: "endpoint_not_found",
  },
  "POST /v1/webhooks/{id}/deliveries/{deliveryId}/replay": {
    kind: "delivery",
    method: "POST",
    path: (id) => `/v1/webhooks/${own.endpoint}/deliveries/${id}/replay`,
    code: "delivery_not_found",
  },
};

let house: House;
let app: App;
let key: string;
let strangers: Record<Kind, Record<string, string>>;

function conversationWith(tenant: TenantId, participantId = PERSON): string {
  return conversationId({ tenant, account: { platform: "instagram", externalId: `ig-${tenant}` }, participantId });
}

/** A person wrote to a tenant's account at an instant. @returns the message's id */
async function wrote(tenant: TenantId, sentAt: number, participantId = PERSON): Promise<string> {
  const id = `mid-${tenant}-${participantId}-${sentAt}`;
  const message = messageOf(tenant, {
    id,
    account: { platform: "instagram", externalId: `ig-${tenant}` },
    conversationId: conversationWith(tenant, participantId),
    participant: { id: participantId, handle: null, username: null },
    sentAt,
  });
  await messageStore(house.table).record(tenant, message, house.now());
  await conversationStore(house.table).apply(tenant, message, INBOX);
  return id;
}

beforeAll(async () => {
  house = await openHouse();
  const api = await openApi(house);
  app = createApp({
    endpoints: apiRoutes,
    ports: api.ports,
    authenticate: (authorization) => authenticate(api.ports, authorization),
    rateLimit: async () => null,
    now: house.now,
    log: (line) => house.lines.push(line),
  });
  const [mine, theirs] = [newTenant(), newTenant()];
  key = await api.keyOf(mine);
  await Promise.all([house.connect(mine), house.connect(theirs)]);
  const [expired, foreign] = [await wrote(mine, house.now() - 7 * DAY, "5550001"), await wrote(theirs, house.now())];
  const lane = await house.newLane();
  own.endpoint = (await endpointAt(house, lane, mine, "http://127.0.0.1:9/mine")).id;
  const theirEndpoint = (await endpointAt(house, lane, theirs, "http://127.0.0.1:9/theirs")).id;
  const event = newUlid(house.now());
  const impossible = {
    "no id at all": "%20",
    "a path": "..%2F..%2Fadmin",
    "a null byte": "%00",
    "very long": "x".repeat(3_000),
  };
  const encoded = encodeURIComponent;
  strangers = {
    conversation: {
      "another tenant's": encoded(conversationWith(theirs)),
      expired: encoded(conversationWith(mine, "5550001")),
      "its parts in another order": encoded(`CONV#instagram#${mine}#1#2`),
      "encoded twice": encoded(encoded(conversationWith(mine))),
      ...impossible,
    },
    message: { "another tenant's": encoded(foreign), expired: encoded(expired), ...impossible },
    endpoint: { "another tenant's": theirEndpoint, "a lower-case id": own.endpoint.toLowerCase(), ...impossible },
    delivery: {
      "another endpoint's": deliveryId(event, theirEndpoint),
      "of no event": deliveryId(event, own.endpoint),
      ...impossible,
    },
    hold: { "of another form": "hold_1", ...impossible },
  };
});
afterAll(() => house.close());

const unknown: Record<Kind, () => string> = {
  conversation: () => encodeURIComponent("CONV#nobody-at-all#instagram#1#2"),
  message: () => "nobody-sent-this",
  endpoint: () => newUlid(1),
  delivery: () => deliveryId(newUlid(1), own.endpoint),
  hold: () => `hold_${newUlid(1)}`,
};

async function answer({ method, path, body }: Ask, id: string) {
  const init = body ? { body: JSON.stringify(body(id)) } : {};
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const response = await app.fetch(new Request(`http://gateway${path(id)}`, { method, headers, ...init }), {});
  const kept = [...response.headers].filter(([name]) => name !== "x-correlation-id");
  return { status: response.status, headers: kept, text: await response.text() };
}

describe.each(Object.entries(asks))("%s", (_, ask) => {
  it("answers every id that is not this tenant's with the same bytes", async () => {
    const nobodys = await answer(ask, unknown[ask.kind]());
    expect(nobodys.status).toBe(404);
    expect(JSON.parse(nobodys.text).error.code).toBe(ask.code);
    for (const [what, id] of Object.entries(strangers[ask.kind])) {
      expect(await answer(ask, id), what).toEqual(nobodys);
    }
  });
});

it("every route that names a thing by its id is asked here", () => {
  const named = apiRoutes.filter(({ path }) => path.includes("{")).map(({ method, path }) => `${method} ${path}`);
  const lists = ["GET /v1/webhooks/{id}/deliveries"];
  expect(named.filter((route) => !(route in asks) && !lists.includes(route))).toEqual([]);
});
