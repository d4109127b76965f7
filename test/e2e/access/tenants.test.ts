import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseApiKey } from "#features/access/rules/callers.ts";
import { runAdmin, runAdminJson } from "../support/admin.ts";
import { createTestWebhook, type TestWebhook } from "../support/api-calls.ts";
import type { ApiResponse } from "../support/api-response.ts";
import { waitUntilIdle } from "../support/emulator-journals.ts";
import { type LocalStack, openSharedStack } from "../support/local-stack.ts";
import { demoAccountIds, newMessageId, newPersonId, postWebhook, textEntry } from "../support/platform-webhooks.ts";
import { openReceiver, type Receiver } from "../support/webhook-receiver.ts";

let stack: LocalStack;
let receivers: { demo: Receiver; other: Receiver };
let hooks: { demo: TestWebhook; other: TestWebhook };
/** A key of the second tenant, an operator key for both, and an operator key for the second one. */
let keys: { other: string; both: string; onlyOther: string };
const person = newPersonId();
const mids = [newMessageId(), newMessageId()];
const conversation = `CONV#demo#messenger#${demoAccountIds.messenger}#${person}`;

beforeAll(async () => {
  const [running, demo, other] = await Promise.all([openSharedStack(), openReceiver(), openReceiver()]);
  stack = running;
  receivers = { demo, other };
  const { dataDir } = stack;
  await runAdminJson(dataDir, "tenant", "create", "other-shop", "--owner", "owner@example.com");
  const make = async (...args: string[]): Promise<string> => (await runAdminJson(dataDir, ...args)).secret;
  keys = {
    other: await make("key", "create", "--tenant", "other-shop", "--scope", "live"),
    both: await make("operator-key", "create", "--tenants", "demo,other-shop"),
    onlyOther: await make("operator-key", "create", "--tenants", "other-shop"),
  };
  hooks = {
    demo: await createTestWebhook(stack, demo.url),
    other: await createTestWebhook(stack, other.url, undefined, keys.other),
  };
  const at = await stack.now();
  const entries = mids.map((mid, n) => textEntry(demoAccountIds.messenger, person, mid, `text ${n}`, at - 100 + n));
  await postWebhook(stack, "page", entries);
  await waitUntilIdle(stack);
});
afterAll(async () => {
  await Promise.all([stack?.stop(), receivers?.demo.close(), receivers?.other.close()]);
});

function statusAndCode({ status, body }: ApiResponse): unknown[] {
  return [status, body.ok ? "ok" : body.error.code];
}
const encodeId = encodeURIComponent;

describe("a second tenant", () => {
  const get = (path: string): Promise<ApiResponse> => stack.api("GET", path, undefined, keys.other);

  it("a second tenant sees nothing of the first in any list", async () => {
    expect((await get("/v1/conversations")).body.data).toEqual({ conversations: [], next_cursor: null });
    expect((await get("/v1/messages")).body.data).toEqual({ messages: [], next_cursor: null });
    expect((await get("/v1/messages?include_test=true")).body.data).toEqual({ messages: [], next_cursor: null });
    expect((await get("/v1/accounts")).body.data).toEqual({ accounts: [] });
    expect((await get("/v1/webhooks")).body.data.endpoints.map(({ id }) => id)).toEqual([hooks.other.id]);
    const deliveries = await get(`/v1/webhooks/${hooks.demo.id}/deliveries`);
    expect(deliveries.body.data).toEqual({ deliveries: [], next_cursor: null });
  });

  it("a second tenant gets the same response for ids of the first as for unknown ids", async () => {
    const pairs = [
      [
        `/v1/conversations/${encodeId(conversation)}`,
        `/v1/conversations/${encodeId(`${conversation}0`)}`,
        "conversation_not_found",
      ],
      [
        `/v1/messages?conversation_id=${encodeId(conversation)}`,
        "/v1/messages?conversation_id=x",
        "conversation_not_found",
      ],
      [`/v1/messages/${mids[0]}`, "/v1/messages/m_unknown", "message_not_found"],
      [
        `/v1/webhooks/${hooks.demo.id}`,
        `/v1/webhooks/${hooks.demo.id.slice(0, -1)}${hooks.demo.id.endsWith("0") ? "1" : "0"}`,
        "endpoint_not_found",
      ],
    ] as const;
    for (const [foreign, unknown, code] of pairs) {
      const [one, two] = await Promise.all([get(foreign), get(unknown)]);
      expect(statusAndCode(one), foreign).toEqual([404, code]);
      expect(one.text, foreign).toBe(two.text);
    }
    const sent = () => stack.sim<{ sent: unknown[] }>("GET", "/sent");
    const before = await sent();
    const reply = await stack.api(
      "POST",
      "/v1/messages/reply",
      { conversation_id: conversation, text: "x" },
      keys.other,
    );
    expect(statusAndCode(reply)).toEqual([404, "conversation_not_found"]);
    expect(await sent()).toEqual(before);
  });

  it("a second tenant receives no events of the first, which receives all of its own", () => {
    expect(receivers.other.deliveries).toEqual([]);
    expect(receivers.demo.deliveries.map(({ event }) => event.data.message.id).sort()).toEqual([...mids].sort());
  });

  it("a second tenant gets 403 for the first tenant and for an unknown one, as the first does for it", async () => {
    const paths = [
      "/v1/conversations",
      "/v1/messages",
      "/v1/accounts",
      "/v1/webhooks",
      `/v1/webhooks/${hooks.demo.id}`,
    ];
    for (const path of paths) {
      expect(statusAndCode(await get(`${path}?tenant=demo`)), path).toEqual([403, "forbidden"]);
      expect(statusAndCode(await get(`${path}?tenant=unknown`)), path).toEqual([403, "forbidden"]);
      expect(statusAndCode(await stack.api("GET", `${path}?tenant=other-shop`)), path).toEqual([403, "forbidden"]);
    }
    const hook = { url: receivers.other.url };
    expect(statusAndCode(await stack.api("POST", "/v1/webhooks?tenant=demo", hook, keys.other))).toEqual([
      403,
      "forbidden",
    ]);
    expect((await stack.api("GET", "/v1/webhooks")).body.data.endpoints).toHaveLength(1);
  });
});

describe("an operator key", () => {
  const get = (path: string, key = keys.both): Promise<ApiResponse> => stack.api("GET", path, undefined, key);

  it("an operator key must name the tenant on every tenant route", async () => {
    for (const path of [
      "/v1/conversations",
      "/v1/messages",
      `/v1/messages/${mids[0]}`,
      "/v1/accounts",
      "/v1/webhooks",
    ]) {
      expect(statusAndCode(await get(path)), path).toEqual([400, "tenant_required"]);
      expect(statusAndCode(await get(`${path}?tenant=`)), path).toEqual([400, "invalid_request"]);
      expect(statusAndCode(await get(`${path}?tenant=Demo`)), path).toEqual([400, "invalid_request"]);
    }
    const hook = { url: receivers.other.url };
    expect(statusAndCode(await stack.api("POST", "/v1/webhooks", hook, keys.both))).toEqual([400, "tenant_required"]);
  });

  it("an operator key gives access to the tenants of its list only", async () => {
    expect((await get("/v1/messages?tenant=demo")).body.data.messages).toHaveLength(2);
    expect((await get("/v1/messages?tenant=other-shop")).body.data.messages).toEqual([]);
    expect(statusAndCode(await get("/v1/messages?tenant=unknown"))).toEqual([403, "forbidden"]);
    expect(statusAndCode(await get("/v1/messages?tenant=demo", keys.onlyOther))).toEqual([403, "forbidden"]);
    expect(statusAndCode(await get("/v1/messages", keys.onlyOther))).toEqual([400, "tenant_required"]);
  });

  it("an operator key reads a conversation only under its tenant", async () => {
    const id = encodeId(conversation);
    expect((await get(`/v1/conversations/${id}?tenant=demo`)).status).toBe(200);
    expect(statusAndCode(await get(`/v1/conversations/${id}?tenant=other-shop`))).toEqual([
      404,
      "conversation_not_found",
    ]);
  });

  it("an operator key cannot use a cursor of one tenant for another", async () => {
    const { body } = await get("/v1/messages?tenant=demo&limit=1");
    const cursor = body.data.next_cursor;
    expect(cursor).toMatch(/\S/);
    expect((await get(`/v1/messages?tenant=demo&cursor=${cursor}`)).body.data.messages).toHaveLength(1);
    expect(statusAndCode(await get(`/v1/messages?tenant=other-shop&cursor=${cursor}`))).toEqual([
      400,
      "invalid_request",
    ]);
    const foreign = await stack.api("GET", `/v1/messages?cursor=${cursor}`, undefined, keys.other);
    expect(statusAndCode(foreign)).toEqual([400, "invalid_request"]);
  });

  it("an operator key replies in conversations of its tenants without naming the tenant, and in no other", async () => {
    const send = (key: string) =>
      stack.api("POST", "/v1/messages/reply", { conversation_id: conversation, text: "x" }, key);
    expect(statusAndCode(await send(keys.onlyOther))).toEqual([404, "conversation_not_found"]);
    // The simulator does not know the person, so the platform refuses: the request reached it.
    expect(statusAndCode(await send(keys.both))).toEqual([502, "send_failed"]);
  });
});

it("the admin command returns unique keys in the documented format", () => {
  for (const key of Object.values(keys)) expect(parseApiKey(key)).toBe(key);
  expect(new Set(Object.values(keys)).size).toBe(3);
});

it("the admin command names another owner of a tenant", async () => {
  const named = await runAdminJson(stack.dataDir, "tenant", "invite-owner", "other-shop", "right@example.com");
  expect(named).toEqual({
    id: "other-shop",
    owner: "right@example.com",
    status: "invited: owner from the next sign-in on",
    revoked_invites: "1",
  });
});

it("the admin command refuses existing and unknown tenants, a bad slug and a bad scope in one line and exits with 1", async () => {
  const { dataDir } = stack;
  const runs = await Promise.all([
    runAdmin(dataDir, "tenant", "create", "other-shop", "--owner", "owner@example.com"),
    runAdmin(dataDir, "key", "create", "--tenant", "unknown-tenant", "--scope", "live"),
    runAdmin(dataDir, "tenant", "create", "Bad", "--owner", "owner@example.com"),
    runAdmin(dataDir, "key", "create", "--tenant", "demo", "--scope", "all"),
    runAdmin(dataDir, "tenant", "invite-owner", "unknown-tenant", "owner@example.com"),
    runAdmin(dataDir, "tenant", "invite-owner", "other-shop", "owner"),
  ]);
  for (const { code, output, errors } of runs) {
    expect([code, output]).toEqual([1, ""]);
    expect(errors).toMatch(/^[^\n]+\n$/);
  }
});
