import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type App, createApp } from "../../../functions/http/app.ts";
import { apiRoutes } from "../../../functions/routes/index.ts";
import { eventTypes } from "../../../shared/domain/events/events.ts";
import { authenticate, keepPace } from "../../../shared/flows/access/authenticate.ts";
import { createKey } from "../../../shared/flows/access/set-up-tenant.ts";
import { newUlid } from "../../../shared/kernel/ids.ts";
import type { TenantId } from "../../../shared/kernel/tenant.ts";
import { iso } from "../../../shared/kernel/time.ts";
import { deliveryStore } from "../../../shared/stores/delivery/deliveries.ts";
import { conversationStore } from "../../../shared/stores/inbox/conversations.ts";
import { messageStore } from "../../../shared/stores/inbox/messages.ts";
import { type House, openHouse } from "../../shared/flows/support/house.ts";
import { conversationOf, INBOX, messageOf, newTenant } from "../../shared/stores/support/samples.ts";

let house: House;
let app: App;
let tenant: TenantId;
let key: string;
let ports: ReturnType<House["apiPorts"]>;
beforeAll(async () => {
  house = await openHouse();
  ports = house.apiPorts(await house.newLane());
  app = createApp({
    endpoints: apiRoutes,
    ports,
    authenticate: (authorization) => authenticate(ports, authorization),
    rateLimit: (caller, now) => keepPace(ports, caller, now),
    now: house.now,
    log: (line) => house.lines.push(line),
    checkData: true,
  });
});
afterAll(() => house.close());
beforeEach(async () => {
  tenant = newTenant();
  key = await keyOf(tenant);
});

const keyOf = async (of: TenantId, scope: "live" | "test" = "live") => {
  return (await createKey(ports, of, { scope, label: "", actor: "cli" }, house.now())).secret;
};

interface Answer {
  readonly status: number;
  readonly retryAfter: string | null;
  // biome-ignore lint/suspicious/noExplicitAny: the app has compared the answer with its declared shape
  readonly body: any;
}

async function ask(path: string, options: { key?: string; body?: unknown } = {}): Promise<Answer> {
  const response = await app.request(path, {
    headers: { authorization: `Bearer ${options.key ?? key}`, "content-type": "application/json" },
    ...(options.body === undefined ? {} : { method: "POST", body: JSON.stringify(options.body) }),
  });
  return { status: response.status, retryAfter: response.headers.get("retry-after"), body: await response.json() };
}

async function said(id: string, at = house.now()): Promise<void> {
  const message = messageOf(tenant, { id, sentAt: at, text: `text ${id}` });
  await messageStore(house.table).record(tenant, message, at);
  await conversationStore(house.table).apply(tenant, message, INBOX);
}

describe("reading", () => {
  it("walks messages, a conversation and the inbox through their cursors, each once", async () => {
    for (let i = 0; i < 7; i++) await said(`m${i}`);
    const id = encodeURIComponent(conversationOf(tenant));
    for (const path of [
      "/v1/messages?limit=3",
      `/v1/conversations/${id}?limit=3`,
      `/v1/messages?limit=3&conversation_id=${id}`,
    ]) {
      const visited: string[] = [];
      for (let cursor = ""; ; ) {
        const { body } = await ask(`${path}${cursor}`);
        visited.push(...body.data.messages.map((message: { id: string }) => message.id));
        if (body.data.next_cursor === null) break;
        cursor = `&cursor=${body.data.next_cursor}`;
      }
      expect(visited.sort()).toEqual(["m0", "m1", "m2", "m3", "m4", "m5", "m6"]);
    }
    const inbox = await ask("/v1/conversations");
    expect(inbox.body.data).toMatchObject({ conversations: [{ id: conversationOf(tenant) }], next_cursor: null });
  });

  it("takes a cursor for the very query it came from, and for no other tenant", async () => {
    for (let i = 0; i < 3; i++) await said(`m${i}`);
    const { body } = await ask("/v1/messages?limit=1");
    const cursor = body.data.next_cursor;
    expect((await ask(`/v1/messages?limit=2&cursor=${cursor}`)).status).toBe(200);
    const strange = await keyOf(newTenant());
    for (const [path, with_] of [
      [`/v1/conversations?cursor=${cursor}`, key],
      [`/v1/messages?direction=inbound&cursor=${cursor}`, key],
      [`/v1/messages?include_test=true&cursor=${cursor}`, key],
      [`/v1/messages?cursor=${cursor}`, strange],
      [`/v1/messages?cursor=${cursor}x`, key],
    ] as const) {
      expect(await ask(path, { key: with_ })).toMatchObject({
        status: 400,
        body: { error: { code: "invalid_request" } },
      });
    }
  });

  it("answers another tenant's ids word for word as ids of nobody", async () => {
    await said("private");
    const stranger = await keyOf(newTenant());
    const pairs = [
      [`/v1/conversations/${encodeURIComponent(conversationOf(tenant))}`, "/v1/conversations/CONV%23x"],
      [`/v1/messages?conversation_id=${encodeURIComponent(conversationOf(tenant))}`, "/v1/messages?conversation_id=x"],
      ["/v1/messages/private", "/v1/messages/nothing"],
    ] as const;
    for (const [foreign, unknown] of pairs) {
      expect((await ask(foreign)).status).toBe(200);
      const refused = await ask(foreign, { key: stranger });
      expect(refused.status).toBe(404);
      expect(refused).toEqual(await ask(unknown, { key: stranger }));
    }
    expect((await ask(`/v1/messages?tenant=${tenant}`, { key: stranger })).status).toBe(403);
  });

  it("shows test traffic to those who ask alone", async () => {
    const message = messageOf(tenant, { id: "t1", scope: "test", sentAt: house.now() });
    await messageStore(house.table).record(tenant, message, house.now());
    await said("l1", house.now() - 1);
    const ids = async (path: string) => (await ask(path)).body.data.messages.map((one: { id: string }) => one.id);
    expect(await ids("/v1/messages")).toEqual(["l1"]);
    expect(await ids("/v1/messages?include_test=true")).toEqual(["t1", "l1"]);
    expect((await ask("/v1/messages/t1")).status).toBe(404);
    expect((await ask("/v1/messages/t1?include_test=true")).status).toBe(200);
  });
});

describe("webhooks", () => {
  it("are made for every event unless told otherwise; the secret is answered once and never again", async () => {
    const made = await ask("/v1/webhooks", { body: { url: "http://127.0.0.1:1/in" } });
    expect(made.body.data.endpoint.events).toEqual(eventTypes);
    const secret = made.body.data.signing_secret;
    expect(secret).toMatch(/^whs_/);
    const list = await ask("/v1/webhooks");
    const read = await ask(`/v1/webhooks/${made.body.data.endpoint.id}`);
    expect(list.body.data.endpoints).toEqual([read.body.data.endpoint]);
    expect(JSON.stringify([list, read])).toContain(secret.slice(0, 12));
    expect(JSON.stringify([list, read])).not.toContain(secret.slice(0, 13));
  });

  it("are refused with a word for it where the gate or the request is wrong", async () => {
    for (const body of [
      { url: "http://10.0.0.1/in" },
      { url: "http://127.0.0.1:1/", events: [] },
      { url: "http://127.0.0.1:1/", events: ["message.unknown"] },
      {},
    ]) {
      const refused = await ask("/v1/webhooks", { body });
      expect(refused).toMatchObject({ status: 400, body: { error: { code: "invalid_request" } } });
      expect(refused.body.error.detail).not.toBe("");
    }
  });

  it("list their deliveries in pages; unknown, foreign and impossible ids have an empty history", async () => {
    const endpointId = newUlid(house.now());
    const ulids = Array.from({ length: 5 }, () => newUlid(house.now()));
    for (const eventUlid of ulids) {
      await deliveryStore(house.table).recordFirst(
        tenant,
        {
          endpointId,
          eventUlid,
          eventType: "message.received",
          source: { conversationId: conversationOf(tenant), place: "p" },
        },
        { status: "retrying", nextRetryAt: house.now() + 5_000 },
        { kind: "answered", status: 503, retryAfter: null, durationMs: 3 },
        house.now(),
      );
    }
    const first = await ask(`/v1/webhooks/${endpointId}/deliveries?limit=3`);
    const second = await ask(`/v1/webhooks/${endpointId}/deliveries?limit=3&cursor=${first.body.data.next_cursor}`);
    const all = [...first.body.data.deliveries, ...second.body.data.deliveries];
    expect(new Set(all.map((row: { delivery_id: string }) => row.delivery_id)).size).toBe(5);
    expect(second.body.data.next_cursor).toBeNull();
    const empty = { status: 200, body: { data: { deliveries: [], next_cursor: null } } };
    const stranger = await keyOf(newTenant());
    expect(await ask(`/v1/webhooks/${endpointId}/deliveries`, { key: stranger })).toMatchObject(empty);
    expect(await ask("/v1/webhooks/%23/deliveries")).toMatchObject(empty);
    expect(await ask(`/v1/webhooks/${newUlid(house.now())}/deliveries`)).toMatchObject(empty);
  });
});

describe("a reply", () => {
  const reply = (rest: object = {}, with_ = key) =>
    ask("/v1/messages/reply", { key: with_, body: { conversation_id: conversationOf(tenant), text: "hi", ...rest } });

  it("takes a text, and neither attachments nor an actor", async () => {
    for (const rest of [{ attachments: [] }, { actor_id: "u" }, { text: "" }, { text: 7 }, { conversation_id: "" }]) {
      expect(await reply(rest)).toMatchObject({ status: 400, body: { error: { code: "invalid_request" } } });
    }
  });

  it("to an account that is not connected is a 404 of its own", async () => {
    await said("m1");
    expect(await reply()).toMatchObject({ status: 404, body: { error: { code: "account_not_found" } } });
    expect(await reply({}, await keyOf(newTenant()))).toMatchObject({
      status: 404,
      body: { error: { code: "conversation_not_found" } },
    });
  });
});

describe("every route that takes a key", () => {
  it("refuses without one", async () => {
    for (const { method, path, auth } of apiRoutes) {
      const response = await app.request(path.replace("{id}", "x"), { method });
      expect([method, path, response.status === 401]).toEqual([method, path, auth === "key"]);
    }
  });

  it("answers 429 with Retry-After once the minute's requests are used up", async () => {
    const caller = await authenticate(ports, `Bearer ${key}`);
    if ("refused" in caller) throw new Error(caller.refused);
    await Promise.all(Array.from({ length: 600 }, () => keepPace(ports, caller, house.now())));
    const refused = await ask("/v1/accounts");
    expect(refused).toMatchObject({ status: 429, body: { error: { code: "rate_limited" } } });
    expect(Number(refused.retryAfter)).toBe(60 - new Date(house.now()).getUTCSeconds());
  });

  it("needs none to say that the service is there", async () => {
    const ping = await (await app.request("/v1/ping")).json();
    expect(ping).toMatchObject({ ok: true, data: { name: "parley", time: iso(house.now()) } });
    expect((await app.request("/health")).status).toBe(200);
    expect((await app.request("/")).status).toBe(404);
  });
});
