import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createApp } from "../../../../functions/http/app.ts";
import { openapiOf } from "../../../../functions/http/openapi.ts";
import { apiRoutes } from "../../../../functions/routes/index.ts";
import type { Caller } from "../../../../shared/domain/access/api-keys.ts";
import { DAY, SECOND } from "../../../../shared/kernel/time.ts";
import { type House, openHouse } from "../../../shared/flows/support/house.ts";
import { type Outbox, openOutbox } from "../../../shared/flows/support/outbox.ts";
import { newTenant } from "../../../shared/stores/support/samples.ts";

let house: House;
let outbox: Outbox;
let caller: Caller;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());
beforeEach(async () => {
  outbox = await openOutbox(house);
  caller = { kind: "tenant_key", keyId: "k", tenant: outbox.tenant, scope: "live" };
});

async function ask(path: "reply" | "human-agent", body: object, headers: Record<string, string> = {}) {
  const app = createApp({
    endpoints: apiRoutes,
    ports: outbox.ports(),
    authenticate: async () => caller,
    rateLimit: async () => null,
    now: house.now,
    log: (line) => house.lines.push(line),
    checkData: true,
  });
  const init = { method: "POST", body: JSON.stringify(body), headers };
  const answer = await app.fetch(new Request(`http://gateway/v1/messages/${path}`, init), { sourceIp: "203.0.113.7" });
  const told = (await answer.json()) as { readonly error: { readonly message: string } };
  return { status: answer.status, headers: answer.headers, body: told };
}

const reply = (rest: object = {}, headers: Record<string, string> = {}) =>
  ask("reply", { conversation_id: outbox.id, text: "hi", ...rest }, headers);
const sent = { status: 200, body: { ok: true, data: { platform_message_id: expect.any(String) } } };
const refused = (status: number, code: string, detail: unknown = expect.any(String)) => ({
  status,
  body: { ok: false, error: { code, detail } },
});
const image = { type: "image", url: "https://cdn.example/a.png" };

describe("POST /v1/messages/reply", () => {
  it.each([
    ["nothing to say", { text: undefined }],
    ["an empty text", { text: " " }],
    ["text and attachments", { attachments: [image] }],
    ["eleven images", { text: undefined, attachments: Array(11).fill(image) }],
    ["an image beside a video", { text: undefined, attachments: [image, { ...image, type: "video" }] }],
    ["two videos", { text: undefined, attachments: Array(2).fill({ ...image, type: "video" }) }],
    ["an attachment of no kind", { text: undefined, attachments: [{ ...image, type: "share" }] }],
    ["an attachment with neither address nor id", { text: undefined, attachments: [{ type: "image" }] }],
    ["an actor", { actor_id: "usr_1" }],
    ["an actor by its name of old", { actorId: "usr_1" }],
    ["an answer to a message of 513 characters", { reply_to: "m".repeat(513) }],
    ["an empty reply_to", { reply_to: "" }],
    ["no conversation", { conversation_id: undefined }],
  ])("is 400 with %s", async (_name, rest) => {
    expect(await reply(rest)).toMatchObject(refused(400, "invalid_request", expect.stringMatching(/\S/)));
    expect(outbox.asked).toEqual([]);
  });

  it("takes ten images, an uploaded file, and a message to answer", async () => {
    expect(await reply({ text: null, attachments: Array(10).fill(image), reply_to: "m".repeat(512) })).toMatchObject(
      sent,
    );
    expect(await reply({ text: undefined, attachments: [{ type: "video", attachment_id: "42" }] })).toMatchObject(sent);
    expect(outbox.asked.map(({ content, replyTo }) => [content, replyTo?.length])).toEqual([
      [{ kind: "attachments", attachments: Array(10).fill(image) }, 512],
      [{ kind: "attachments", attachments: [{ type: "video", attachmentId: "42" }] }, undefined],
    ]);
  });

  it("tolerates the conversation's name of old, which no document shows; the name itself goes first", async () => {
    expect(await reply({ conversation_id: undefined, conversationId: outbox.id })).toMatchObject(sent);
    expect(await reply({ conversationId: "CONV#nobody" })).toMatchObject(sent);
    const document = JSON.stringify(openapiOf(apiRoutes, { title: "", version: "" }));
    expect(document).not.toContain("conversationId");
    expect(document).not.toContain("actorId");
  });

  it("of another tenant, to an operator without it, and to nobody is the same 404", async () => {
    caller = { kind: "tenant_key", keyId: "k", tenant: newTenant(), scope: "live" };
    const { body, status } = await reply();
    expect({ body, status }).toMatchObject(refused(404, "conversation_not_found", ""));
    const nobody = await reply({ conversation_id: "CONV#a#b" });
    expect(nobody.body).toEqual(body);
    caller = { kind: "operator_key", keyId: "o", tenants: [caller.tenant], scope: "live" };
    expect((await reply()).body).toEqual(body);
    caller = { ...caller, tenants: [outbox.tenant] };
    expect(await reply()).toMatchObject(sent);
  });

  it("is 409 rate_limited with Retry-After once the budget is spent", async () => {
    house.turn(10 * SECOND - (house.now() % (10 * SECOND)));
    for (let i = 0; i < 10; i++) expect(await reply()).toMatchObject(sent);
    const answer = await reply();
    expect(answer).toMatchObject(refused(409, "rate_limited", expect.stringMatching(/^until 2/)));
    expect(answer.headers.get("retry-after")).toBe("10");
  });

  it.each(["", " ", "two words", "é", "x".repeat(256)])("is 400 with the idempotency key %j", async (key) => {
    expect(await reply({}, { "idempotency-key": key })).toMatchObject(refused(400, "invalid_request"));
    expect(outbox.asked).toEqual([]);
  });

  it("with a key answers the first answer, whatever the body's fields are called and wherever they stand", async () => {
    const headers = { "idempotency-key": `!${"x".repeat(253)}~` };
    const first = await reply({}, headers);
    expect(first).toMatchObject(sent);
    const again = await ask("reply", { text: "hi", conversationId: outbox.id, more: 1, reply_to: null }, headers);
    expect([again.status, again.body]).toEqual([first.status, first.body]);
    expect(await reply({ text: "ho" }, headers)).toMatchObject(refused(409, "idempotency_conflict"));
    expect(outbox.asked).toHaveLength(1);
  });
});

describe("POST /v1/messages/human-agent", () => {
  const agent = (rest: object = {}) =>
    ask("human-agent", { conversation_id: outbox.id, text: "hi", actor_id: "usr_1", ...rest });

  it("is refused by the policy, in words that say why", async () => {
    const early = await agent();
    expect(early).toMatchObject(refused(409, "human_agent_unavailable"));
    expect(early.body.error.message).toMatch(/reply/);
    house.turn(DAY);
    expect(await agent({ actor_id: undefined })).toMatchObject(refused(409, "missing_actor"));
    expect(await agent({ actor_id: " " })).toMatchObject(refused(409, "missing_actor"));
    expect(await agent({ attachments: [image] })).toMatchObject(refused(400, "invalid_request"));
    house.turn(6 * DAY - 1);
    expect((await agent()).status).toBe(202);
    await outbox.echo(`${outbox.tenant}-native`, "ours");
    house.turn(1);
    const late = await agent();
    expect(late).toMatchObject(refused(409, "human_agent_unavailable"));
    expect(late.body.error.message).toMatch(/7 days/);
    expect(outbox.asked).toEqual([]);
  });

  it("holds the message and sends nothing", async () => {
    house.turn(DAY);
    expect(await agent({ actor_id: undefined, actorId: "usr_1" })).toMatchObject({
      status: 202,
      body: { data: { hold: { status: "awaiting_verification", verify_url: expect.stringContaining("#t=") } } },
    });
    expect([outbox.asked, await outbox.records()]).toEqual([[], []]);
  });
});
