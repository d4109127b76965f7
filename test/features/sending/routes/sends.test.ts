import { beforeEach, expect, it } from "vitest";
import { DAY, SECOND } from "#base/kernel/time.ts";
import type { KeyCaller } from "#features/access/rules/callers.ts";
import { openApiDocument } from "#http/openapi/document.ts";
import { apiRoutes } from "../../../../functions/api/routes.ts";
import { takeProblems } from "../../../support/conformance/problems.ts";
import { openReplyFixture } from "../../../support/flows/reply-fixture.ts";
import { openTestEnv } from "../../../support/flows/test-env.ts";
import { openedEach, openedOnce } from "../../../support/opened.ts";
import { keyOf, testApp } from "../../../support/routes/test-app.ts";
import { newTenant } from "../../../support/stores/samples.ts";

let caller: KeyCaller;
const testEnv = openedOnce(openTestEnv);
const fixture = openedEach(() => openReplyFixture(testEnv));
beforeEach(async () => {
  caller = { kind: "tenant_key", keyId: "k", tenant: fixture.tenant, scope: "live" };
});

async function request(path: "reply" | "human-agent", body: object, headers: Record<string, string> = {}) {
  const app = testApp(testEnv, fixture.ports(), keyOf(caller));
  const init = { method: "POST", body: JSON.stringify(body), headers };
  const response = await app.fetch(new Request(`http://gateway/v1/messages/${path}`, init), {
    sourceIp: "203.0.113.7",
  });
  const responseBody = (await response.json()) as {
    readonly error: { readonly message: string; readonly errors?: unknown };
  };
  return { status: response.status, headers: response.headers, body: responseBody };
}

const reply = (rest: object = {}, headers: Record<string, string> = {}) =>
  request("reply", { conversation_id: fixture.id, text: "hi", ...rest }, headers);
const sentResponse = { status: 200, body: { ok: true, data: { platform_message_id: expect.any(String) } } };
const refusedResponse = (status: number, code: string, detail: unknown = expect.any(String)) => ({
  status,
  body: { ok: false, error: { code, detail } },
});
/** What the document says of a request with a legacy name. */
/** The body is neither of the documented two: one needs a conversation, the other one attachments. */
const withoutConversation = [
  expect.stringContaining("request: must have required property 'conversation_id'"),
  expect.stringContaining("request: must have required property 'attachments'"),
  expect.stringContaining("request: must match exactly one schema in oneOf"),
];
const image = { type: "image", url: "https://cdn.example/a.png" };

it.each([
  ["no content", { text: undefined }],
  ["an empty text", { text: " " }],
  ["text and attachments", { attachments: [image] }],
  ["eleven images", { text: undefined, attachments: Array(11).fill(image) }],
  ["an image beside a video", { text: undefined, attachments: [image, { ...image, type: "video" }] }],
  ["two videos", { text: undefined, attachments: Array(2).fill({ ...image, type: "video" }) }],
  ["an attachment of an unknown type", { text: undefined, attachments: [{ ...image, type: "share" }] }],
  ["an attachment without url and id", { text: undefined, attachments: [{ type: "image" }] }],
  ["an actor", { actor_id: "usr_1" }],
  ["an actor by its legacy name", { actorId: "usr_1" }],
  ["a reply_to of 513 characters", { reply_to: "m".repeat(513) }],
  ["an empty reply_to", { reply_to: "" }],
  ["no conversation", { conversation_id: undefined }],
])("a reply is 400 with %s", async (_name, rest) => {
  expect(await reply(rest)).toMatchObject(refusedResponse(400, "invalid_request", expect.stringMatching(/\S/)));
  expect(fixture.platformCalls).toEqual([]);
});

it("a reply accepts ten images, an uploaded file, and a message to reply to", async () => {
  expect(await reply({ text: null, attachments: Array(10).fill(image), reply_to: "m".repeat(512) })).toMatchObject(
    sentResponse,
  );
  expect(await reply({ text: undefined, attachments: [{ type: "video", attachment_id: "42" }] })).toMatchObject(
    sentResponse,
  );
  expect(fixture.platformCalls.map(({ content, replyTo }) => [content, replyTo?.length])).toEqual([
    [{ kind: "attachments", attachments: Array(10).fill(image) }, 512],
    [{ kind: "attachments", attachments: [{ type: "video", attachmentId: "42" }] }, undefined],
  ]);
});

it("a reply accepts the undocumented legacy name of the conversation; the documented name wins", async () => {
  expect(await reply({ conversation_id: undefined, conversationId: fixture.id })).toMatchObject(sentResponse);
  expect(takeProblems()).toEqual(withoutConversation);
  expect(await reply({ conversationId: "CONV#unknown" })).toMatchObject(sentResponse);
  const document = JSON.stringify(openApiDocument(apiRoutes, { title: "", version: "" }));
  expect(document).not.toContain("conversationId");
  expect(document).not.toContain("actorId");
});

it("a conversation of another tenant, outside an operator key, and unknown is the same 404", async () => {
  caller = { kind: "tenant_key", keyId: "k", tenant: newTenant(), scope: "live" };
  const { body, status } = await reply();
  expect({ body, status }).toMatchObject(refusedResponse(404, "conversation_not_found", ""));
  const otherTenant = await reply({ conversation_id: "CONV#a#b" });
  expect(otherTenant.body).toEqual(body);
  const operator = { kind: "operator_key", keyId: "o", suspendedTenants: [], scope: "live" } as const;
  caller = { ...operator, tenants: [caller.tenant] };
  expect((await reply()).body).toEqual(body);
  caller = { ...operator, tenants: [fixture.tenant] };
  expect(await reply()).toMatchObject(sentResponse);
});

it("a reply is 409 rate_limited with Retry-After once the budget is used", async () => {
  testEnv.advance(10 * SECOND - (testEnv.now() % (10 * SECOND)));
  for (let i = 0; i < 10; i++) expect(await reply()).toMatchObject(sentResponse);
  const response = await reply();
  expect(response).toMatchObject(refusedResponse(409, "rate_limited", expect.stringMatching(/^until 2/)));
  expect(response.headers.get("retry-after")).toBe("10");
});

it.each(["", " ", "two words", "é", "x".repeat(256)])("a reply is 400 with the idempotency key %j", async (key) => {
  expect(await reply({}, { "idempotency-key": key })).toMatchObject(refusedResponse(400, "invalid_request"));
  expect(fixture.platformCalls).toEqual([]);
});

it("a refused reply says which window is closed, and what is still possible", async () => {
  const messageOf = async () => {
    const response = await reply();
    expect(response).toMatchObject(refusedResponse(409, "window_closed", ""));
    return response.body.error.message;
  };
  testEnv.advance(DAY);
  const still = "A named person can still send the message: use the human-agent route.";
  expect(await messageOf()).toBe(`The 24-hour reply window is closed. ${still}`);
  testEnv.advance(6 * DAY - SECOND);
  await fixture.echo(`${fixture.tenant}-native`, "ours");
  testEnv.advance(SECOND);
  expect(await messageOf()).toBe(
    "The 24-hour reply window and the 7-day human-agent window are closed. Wait for the participant's next message.",
  );
});

it("an invalid reply's answer names the field and what is wrong with it", async () => {
  const errorOf = async (rest: object) => (await reply({ text: undefined, ...rest })).body.error;
  const both = [{ field: "attachments[1]", problem: "must have either url or attachment_id" }];
  expect(await errorOf({ attachments: [image, { type: "image" }] })).toMatchObject({
    message: "attachments[1] must have either url or attachment_id.",
    errors: both,
  });
  expect(await errorOf({ attachments: [{ type: "image", url: "http://cdn.example/a.png" }] })).toMatchObject({
    message: "attachments[0].url must be an https address of at most 2048 characters.",
    errors: [{ field: "attachments[0].url" }],
  });
  expect(await errorOf({})).toMatchObject({ message: "body must have either text or attachments." });
  expect(await errorOf({ text: "x".repeat(1_001) })).toMatchObject({
    message: "text is too long: Instagram accepts 1000 bytes of UTF-8.",
    detail: "text_too_long",
    errors: [{ field: "text", problem: "is too long: Instagram accepts 1000 bytes of UTF-8" }],
  });
});

it("a reply is marked as replayed when an idempotency key gives the first response again", async () => {
  const headers = { "idempotency-key": "once" };
  expect((await reply({}, headers)).headers.get("idempotent-replayed")).toBeNull();
  const again = await reply({}, headers);
  expect([again.status, again.headers.get("idempotent-replayed")]).toEqual([200, "true"]);
  const conflict = await reply({ text: "ho" }, headers);
  expect([conflict.status, conflict.headers.get("idempotent-replayed")]).toEqual([409, null]);
});

it("a reply with an idempotency key returns the first response, regardless of names and order of the body's fields", async () => {
  const headers = { "idempotency-key": `!${"x".repeat(253)}~` };
  const first = await reply({}, headers);
  expect(first).toMatchObject(sentResponse);
  const again = await request("reply", { text: "hi", conversationId: fixture.id, more: 1, reply_to: null }, headers);
  expect(takeProblems()).toEqual(withoutConversation);
  expect([again.status, again.body]).toEqual([first.status, first.body]);
  expect(await reply({ text: "ho" }, headers)).toMatchObject(refusedResponse(409, "idempotency_conflict"));
  expect(fixture.platformCalls).toHaveLength(1);
});

const agent = (rest: object = {}) =>
  request("human-agent", { conversation_id: fixture.id, text: "hi", actor_id: "usr_1", ...rest });

it("a message of a human agent is refused by the policy with the reason", async () => {
  const firstResponse = await agent();
  expect(firstResponse).toMatchObject(refusedResponse(409, "human_agent_unavailable"));
  expect(firstResponse.body.error.message).toBe("The 24-hour reply window is open. Use the reply route.");
  testEnv.advance(DAY);
  expect(await agent({ actor_id: undefined })).toMatchObject(refusedResponse(409, "missing_actor"));
  expect(await agent({ actor_id: " " })).toMatchObject(refusedResponse(409, "missing_actor"));
  expect(await agent({ attachments: [image] })).toMatchObject(refusedResponse(400, "invalid_request"));
  testEnv.advance(6 * DAY - 1);
  expect((await agent()).status).toBe(202);
  await fixture.echo(`${fixture.tenant}-native`, "ours");
  testEnv.advance(1);
  const late = await agent();
  expect(late).toMatchObject(refusedResponse(409, "human_agent_unavailable"));
  expect(late.body.error.message).toBe(
    "The 7-day human-agent window is closed. Wait for the participant's next message.",
  );
  expect(fixture.platformCalls).toEqual([]);
});

it("a message of a human agent is marked as replayed when an idempotency key gives the first hold again", async () => {
  testEnv.advance(DAY);
  const body = { conversation_id: fixture.id, text: "hi", actor_id: "usr_1" };
  const held = () => request("human-agent", body, { "idempotency-key": "held-once" });
  const replayed = [await held(), await held()].map(({ headers }) => headers.get("idempotent-replayed"));
  expect(replayed).toEqual([null, "true"]);
});

it("a message of a human agent is held, and nothing is sent", async () => {
  testEnv.advance(DAY);
  expect(await agent({ actor_id: undefined, actorId: "usr_1" })).toMatchObject({
    status: 202,
    body: { data: { hold: { status: "awaiting_verification", verify_url: expect.stringContaining("#t=") } } },
  });
  expect([fixture.platformCalls, await fixture.records()]).toEqual([[], []]);
});
