import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createApp } from "../../../../functions/http/app.ts";
import { apiRoutes } from "../../../../functions/routes/index.ts";
import { authenticate } from "../../../../shared/flows/access/authenticate.ts";
import { createKey } from "../../../../shared/flows/access/set-up-tenant.ts";
import { iso, MINUTE } from "../../../../shared/kernel/time.ts";
import { type HoldScene, openHoldScene } from "../../../shared/flows/support/hold-scene.ts";
import { type House, openHouse } from "../../../shared/flows/support/house.ts";

let house: House;
let scene: HoldScene;
let key: string;
let app: ReturnType<typeof createApp>;
beforeAll(async () => {
  house = await openHouse();
  scene = await openHoldScene(house);
  const ports = scene.apiPorts();
  key = (await createKey(ports, scene.tenant, { scope: "live", label: "", actor: "cli" }, house.now())).secret;
  app = createApp({
    endpoints: apiRoutes,
    ports,
    authenticate: (header) => authenticate(ports, header),
    rateLimit: async () => null,
    now: house.now,
    log: (line) => house.lines.push(line),
    checkData: true,
  });
});
afterAll(() => house.close());

interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: the app has compared the answer with its declared shape
  readonly body: any;
}

async function ask(method: string, path: string, body?: object, headers: Record<string, string> = {}): Promise<Answer> {
  const response = await app.request(path, {
    method,
    headers: { authorization: `Bearer ${key}`, ...headers },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  return { status: response.status, body: await response.json() };
}

const hold = (rest: object = {}, headers = {}) =>
  ask(
    "POST",
    "/v1/messages/human-agent",
    { conversation_id: scene.conversation, text: "hi", actor_id: "ann", ...rest },
    headers,
  );
const read = (id: string) => ask("GET", `/v1/messages/holds/${id}`);

describe("POST /v1/messages/human-agent", () => {
  it("answers 202 with the hold and, this once, the address of its check", async () => {
    const { status, body } = await hold();
    expect(status).toBe(202);
    const { id } = body.data.hold;
    const plain = {
      id,
      status: "awaiting_verification",
      conversation_id: scene.conversation,
      created_at: iso(house.now()),
      expires_at: iso(house.now() + 15 * MINUTE),
    };
    const url = `https://parley.example/verify?hold=${id}#t=${await scene.secret(id)}`;
    expect(body).toEqual({ ok: true, data: { hold: { ...plain, verify_url: url } } });
    expect((await read(id)).body).toEqual({ ok: true, data: { hold: plain } });
    expect(scene.calls).toEqual([]);
  });

  it("answers a repeat with the same Idempotency-Key word for word, the address included", async () => {
    const named = { "idempotency-key": "order-7" };
    const first = await hold({}, named);
    house.turn(MINUTE);
    expect(await hold({}, named)).toEqual(first);
    expect(await hold({ text: "other" }, named)).toMatchObject({
      status: 409,
      body: { error: { code: "idempotency_conflict" } },
    });
  });

  it("takes the names of old, media, and a message to thread under", async () => {
    const old = { conversationId: scene.conversation, actorId: "ann", text: "hi", reply_to: "m_1" };
    expect((await ask("POST", "/v1/messages/human-agent", old)).status).toBe(202);
    const attachments = [{ type: "image", url: "https://example.com/a.png" }];
    expect((await hold({ text: undefined, attachments })).status).toBe(202);
  });

  it.each([
    [{ actor_id: undefined }, 409, "missing_actor"],
    [{ actor_id: "" }, 409, "missing_actor"],
    [{ actor_id: 7 }, 400, "invalid_request"],
    [{ text: "" }, 400, "invalid_request"],
    [{ text: undefined }, 400, "invalid_request"],
    [{ attachments: [{ type: "image", url: "https://example.com/a.png" }] }, 400, "invalid_request"],
    [{ conversation_id: "CONV#x" }, 404, "conversation_not_found"],
  ])("with %j is %i %s", async (rest, status, code) => {
    expect(await hold(rest)).toMatchObject({ status, body: { error: { code } } });
  });
});

describe("GET /v1/messages/holds/{hold_id}", () => {
  it("tells the platform's message id once it is sent, and the error once it failed", async () => {
    const sent = await scene.hold();
    await scene.complete(sent);
    const answer = (await read(sent.id)).body.data.hold;
    expect(answer).toMatchObject({ status: "sent", platform_message_id: `${scene.tenant}-sent-1` });
    expect(answer).not.toHaveProperty("error");
    expect(answer).not.toHaveProperty("verify_url");

    scene.platformAnswers(async () => ({ kind: "unknown", detail: "outcome_unknown" }));
    const failed = await scene.hold();
    await scene.complete(failed);
    const told = (await read(failed.id)).body.data.hold;
    expect(told).toMatchObject({ status: "failed", error: { code: "send_failed", detail: "outcome_unknown" } });
    expect(told).not.toHaveProperty("platform_message_id");
  });

  it("never shows what was held, in any state", async () => {
    const { body } = await hold({ text: "canary in the text" });
    expect(JSON.stringify(body)).not.toContain("canary");
    expect(JSON.stringify(await read(body.data.hold.id))).not.toContain("canary");
  });
});
