import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { App } from "../../../functions/http/app.ts";
import { callerCredentials } from "../../../functions/http/caller-credentials.ts";
import { apiRoutes } from "../../../functions/routes/index.ts";
import { deliveryId } from "../../../shared/domain/delivery/deliveries.ts";
import { conversationId } from "../../../shared/domain/inbox/conversations.ts";
import { createOperatorKey } from "../../../shared/flows/access/keys.ts";
import { newUlid } from "../../../shared/kernel/ids.ts";
import type { TenantId } from "../../../shared/kernel/tenant.ts";
import { DAY } from "../../../shared/kernel/time.ts";
import { conversationStore } from "../../../shared/stores/inbox/conversations.ts";
import { messageStore } from "../../../shared/stores/inbox/messages.ts";
import { createKey } from "../../shared/flows/access/support/api-keys.ts";
import { createEndpointAt } from "../../shared/flows/support/test-endpoints.ts";
import { openTestEnv, type TestEnv } from "../../shared/flows/support/test-env.ts";
import { newTenant, PERSON, SAMPLE_INBOX, sampleMessage } from "../../shared/stores/support/samples.ts";
import { openApiApp } from "./support/api-app.ts";
import { testApp } from "./support/test-app.ts";

// A response to an id of another tenant is byte for byte the response to an unknown id.

type ResourceKind = "conversation" | "message" | "endpoint" | "delivery" | "hold" | "key";
interface RequestCase {
  readonly kind: ResourceKind;
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  readonly path: (id: string) => string;
  readonly body?: (id: string) => object;
  readonly code: string;
}

const ownIds = { endpoint: "" };
const requestCases: Record<string, RequestCase> = {
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
  "DELETE /v1/keys/{id}": {
    kind: "key",
    method: "DELETE",
    path: (id) => `/v1/keys/${id}`,
    code: "key_not_found",
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
  "GET /v1/webhooks/{id}/deliveries/{deliveryId}": {
    kind: "delivery",
    method: "GET",
    path: (id) => `/v1/webhooks/${ownIds.endpoint}/deliveries/${id}`,
    code: "delivery_not_found",
  },
  "POST /v1/webhooks/{id}/deliveries/{deliveryId}/replay": {
    kind: "delivery",
    method: "POST",
    path: (id) => `/v1/webhooks/${ownIds.endpoint}/deliveries/${id}/replay`,
    code: "delivery_not_found",
  },
};

let testEnv: TestEnv;
let app: App;
let key: string;
let foreignIds: Record<ResourceKind, Record<string, string>>;

function conversationIdWith(tenant: TenantId, participantId = PERSON): string {
  return conversationId({ tenant, account: { platform: "instagram", externalId: `ig-${tenant}` }, participantId });
}

/** Records an inbound message to an account of the tenant. @returns the id of the message */
async function recordInbound(tenant: TenantId, sentAt: number, participantId = PERSON): Promise<string> {
  const id = `mid-${tenant}-${participantId}-${sentAt}`;
  const message = sampleMessage(tenant, {
    id,
    account: { platform: "instagram", externalId: `ig-${tenant}` },
    conversationId: conversationIdWith(tenant, participantId),
    participant: { id: participantId, handle: null, username: null, name: null },
    sentAt,
  });
  await messageStore(testEnv.table).record(tenant, message, testEnv.now());
  await conversationStore(testEnv.table).advanceHead(tenant, message, SAMPLE_INBOX);
  return id;
}

beforeAll(async () => {
  testEnv = await openTestEnv();
  const api = await openApiApp(testEnv);
  app = testApp(testEnv, api.ports, {
    ...callerCredentials(api.ports),
    rateLimit: async () => null,
  });
  const [ownTenant, theirs] = [newTenant(), newTenant()];
  const keySettings = { scope: "live", label: "", actor: "cli" } as const;
  const ownKey = await createKey(api.ports, ownTenant, keySettings, testEnv.now());
  key = ownKey.secret;
  await Promise.all([testEnv.connect(ownTenant), testEnv.connect(theirs)]);
  const [expired, foreign] = [
    await recordInbound(ownTenant, testEnv.now() - 7 * DAY, "5550001"),
    await recordInbound(theirs, testEnv.now()),
  ];
  const queues = await testEnv.newQueues();
  ownIds.endpoint = (await createEndpointAt(testEnv, queues, ownTenant, "http://127.0.0.1:9/mine")).id;
  const theirEndpoint = (await createEndpointAt(testEnv, queues, theirs, "http://127.0.0.1:9/theirs")).id;
  const event = newUlid(testEnv.now());
  const impossible = {
    "no id at all": "%20",
    "a path": "..%2F..%2Fadmin",
    "a null byte": "%00",
    "very long": "x".repeat(3_000),
  };
  const encoded = encodeURIComponent;
  foreignIds = {
    conversation: {
      "another tenant's": encoded(conversationIdWith(theirs)),
      expired: encoded(conversationIdWith(ownTenant, "5550001")),
      "its parts in another order": encoded(`CONV#instagram#${ownTenant}#1#2`),
      "encoded twice": encoded(encoded(conversationIdWith(ownTenant))),
      ...impossible,
    },
    message: { "another tenant's": encoded(foreign), expired: encoded(expired), ...impossible },
    endpoint: { "another tenant's": theirEndpoint, "a lower-case id": ownIds.endpoint.toLowerCase(), ...impossible },
    delivery: {
      "another endpoint's": deliveryId(event, theirEndpoint),
      "of no event": deliveryId(event, ownIds.endpoint),
      ...impossible,
    },
    hold: { "of another form": "hold_1", ...impossible },
    key: {
      "another tenant's": (await createKey(api.ports, theirs, keySettings, testEnv.now())).id,
      "an operator's": (await createOperatorKey(api.ports, [ownTenant], keySettings, testEnv.now())).id,
      "a lower-case id": ownKey.id.toLowerCase(),
      "its secret": ownKey.secret,
      ...impossible,
    },
  };
});
afterAll(() => testEnv.close());

const unknownIds: Record<ResourceKind, () => string> = {
  conversation: () => encodeURIComponent("CONV#nobody-at-all#instagram#1#2"),
  message: () => "nobody-sent-this",
  endpoint: () => newUlid(1),
  delivery: () => deliveryId(newUlid(1), ownIds.endpoint),
  hold: () => `hold_${newUlid(1)}`,
  key: () => newUlid(1),
};

async function sendRequest({ method, path, body }: RequestCase, id: string) {
  const init = body ? { body: JSON.stringify(body(id)) } : {};
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const response = await app.fetch(new Request(`http://gateway${path(id)}`, { method, headers, ...init }), {});
  const stableHeaders = [...response.headers].filter(([name]) => name !== "x-correlation-id");
  return { status: response.status, headers: stableHeaders, text: await response.text() };
}

describe.each(Object.entries(requestCases))("%s", (_, ask) => {
  it("answers every id of another tenant with the same bytes", async () => {
    const nobodys = await sendRequest(ask, unknownIds[ask.kind]());
    expect(nobodys.status).toBe(404);
    expect(JSON.parse(nobodys.text).error.code).toBe(ask.code);
    for (const [idKind, id] of Object.entries(foreignIds[ask.kind])) {
      expect(await sendRequest(ask, id), idKind).toEqual(nobodys);
    }
  });
});

it("every route with an id is covered here", () => {
  const routesWithIds = apiRoutes
    .filter(({ path }) => path.includes("{"))
    .map(({ method, path }) => `${method} ${path}`);
  const lists = ["GET /v1/webhooks/{id}/deliveries"];
  expect(routesWithIds.filter((route) => !(route in requestCases) && !lists.includes(route))).toEqual([]);
});
