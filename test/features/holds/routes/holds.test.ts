import { beforeAll, expect, it } from "vitest";
import { iso, MINUTE } from "#base/kernel/time.ts";
import { takeProblems } from "../../../support/conformance/problems.ts";
import { openHoldFixture } from "../../../support/flows/hold-fixture.ts";
import { openTestEnv } from "../../../support/flows/test-env.ts";
import { openedOnce } from "../../../support/opened.ts";
import { testApp } from "../../../support/routes/test-app.ts";
import { createKey } from "../../access/flows/support/api-keys.ts";

let key: string;
let app: ReturnType<typeof testApp>;
const testEnv = openedOnce(openTestEnv);
const fixture = openedOnce(() => openHoldFixture(testEnv));
beforeAll(async () => {
  const ports = fixture.apiPorts();
  key = (await createKey(ports, fixture.tenant, { scope: "live", label: "", author: { actor: "cli" } }, testEnv.now()))
    .secret;
  app = testApp(testEnv, ports);
});

interface TestResponse {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: the app validates each response against its schema
  readonly body: any;
}

async function request(
  method: string,
  path: string,
  body?: object,
  headers: Record<string, string> = {},
): Promise<TestResponse> {
  const response = await app.request(path, {
    method,
    headers: { authorization: `Bearer ${key}`, ...headers },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  return { status: response.status, body: await response.json() };
}

const requestHold = (rest: object = {}, headers = {}) =>
  request(
    "POST",
    "/v1/messages/human-agent",
    { conversation_id: fixture.conversation, text: "hi", actor_id: "ann", ...rest },
    headers,
  );
const readHold = (id: string) => request("GET", `/v1/messages/holds/${id}`);

it("POST /v1/messages/human-agent answers 202 with the hold and, once, its verify_url", async () => {
  const { status, body } = await requestHold();
  expect(status).toBe(202);
  const { id } = body.data.hold;
  const plain = {
    id,
    status: "awaiting_verification",
    conversation_id: fixture.conversation,
    created_at: iso(testEnv.now()),
    expires_at: iso(testEnv.now() + 15 * MINUTE),
  };
  const url = `https://parley.example/verify?hold=${id}#t=${await fixture.secret(id)}`;
  expect(body).toEqual({ ok: true, data: { hold: { ...plain, verify_url: url } } });
  expect((await readHold(id)).body).toEqual({ ok: true, data: { hold: plain } });
  expect(fixture.calls).toEqual([]);
});

it("POST /v1/messages/human-agent answers a repeat with the same Idempotency-Key identically, verify_url included", async () => {
  const headers = { "idempotency-key": "order-7" };
  const first = await requestHold({}, headers);
  testEnv.advance(MINUTE);
  expect(await requestHold({}, headers)).toEqual(first);
  expect(await requestHold({ text: "other" }, headers)).toMatchObject({
    status: 409,
    body: { error: { code: "idempotency_conflict" } },
  });
});

it("POST /v1/messages/human-agent accepts legacy names, media, and a message to reply to", async () => {
  const old = { conversationId: fixture.conversation, actorId: "ann", text: "hi", reply_to: "m_1" };
  expect((await request("POST", "/v1/messages/human-agent", old)).status).toBe(202);
  expect(takeProblems()).toContain(
    "POST /v1/messages/human-agent → 202: request: must have required property 'conversation_id'",
  );
  const attachments = [{ type: "image", url: "https://example.com/a.png" }];
  expect((await requestHold({ text: undefined, attachments })).status).toBe(202);
});

it.each([
  [{ actor_id: undefined }, 409, "missing_actor"],
  [{ actor_id: "" }, 409, "missing_actor"],
  [{ actor_id: 7 }, 400, "invalid_request"],
  [{ text: "" }, 400, "invalid_request"],
  [{ text: undefined }, 400, "invalid_request"],
  [{ attachments: [{ type: "image", url: "https://example.com/a.png" }] }, 400, "invalid_request"],
  [{ conversation_id: "CONV#x" }, 404, "conversation_not_found"],
])("POST /v1/messages/human-agent with %j is %i %s", async (rest, status, code) => {
  expect(await requestHold(rest)).toMatchObject({ status, body: { error: { code } } });
});

it("GET /v1/messages/holds/{hold_id} returns the platform message id after the send, and the error after a failure", async () => {
  const sent = await fixture.newHold();
  await fixture.complete(sent);
  const response = (await readHold(sent.id)).body.data.hold;
  expect(response).toMatchObject({ status: "sent", platform_message_id: `${fixture.tenant}-sent-1` });
  expect(response).not.toHaveProperty("error");
  expect(response).not.toHaveProperty("verify_url");

  fixture.setPlatformResponse(async () => ({ kind: "unknown", detail: "outcome_unknown" }));
  const failed = await fixture.newHold();
  await fixture.complete(failed);
  const failedHold = (await readHold(failed.id)).body.data.hold;
  expect(failedHold).toMatchObject({ status: "failed", error: { code: "send_failed", detail: "outcome_unknown" } });
  expect(failedHold).not.toHaveProperty("platform_message_id");
});

it("GET /v1/messages/holds/{hold_id} never returns the held content, in any status", async () => {
  const { body } = await requestHold({ text: "canary in the text" });
  expect(JSON.stringify(body)).not.toContain("canary");
  expect(JSON.stringify(await readHold(body.data.hold.id))).not.toContain("canary");
});
