import { afterAll, beforeAll, expect, it } from "vitest";
import { demoAccounts } from "../../../local/stack/seed.ts";
import { openSocket, refusalOf } from "../../support/sockets/test-socket.ts";
import { createTestWebhook, personWrites, type TestWebhook } from "../support/api-calls.ts";
import { dumpTable } from "../support/dump-table.ts";
import { sentBodies } from "../support/emulator-journals.ts";
import { type LocalStack, startLocalStack } from "../support/local-stack.ts";
import {
  demoAccountIds,
  type JsonObject,
  newMessageId,
  newPersonId,
  postSigned,
  postWebhook,
  textEntry,
} from "../support/platform-webhooks.ts";
import { waitFor } from "../support/wait-for.ts";
import { openReceiver, type Receiver } from "../support/webhook-receiver.ts";
import { pressLink } from "./press-link.ts";

// Each value is a word that occurs nowhere else.
const canaries = {
  inboundText: "canary-inbound-text",
  personName: "Canary-person-name",
  attachment: "https://cdn.example.net/canary-attachment",
  replyText: "canary-reply-text",
  testReply: "canary-test-reply",
  brokenBody: "canary-broken-body",
  unsignedBody: "canary-unsigned-body",
  unknownId: "canary-unknown-id",
  query: "canary-query",
  cursor: "canary-cursor",
  metaSecret: "canary-meta-secret",
  instagramSecret: "canary-instagram-secret",
  verifyToken: "canary-verify-token",
  wrongKey: "svc_live_canarywrongkey",
  hookPath: "canary-hook-path",
  editedText: "canary-edited-text",
  reaction: "canary-reaction",
  emoji: "canary-emoji",
  buttonTitle: "canary-button-title",
  buttonPayload: "canary-button-payload",
  quickReply: "canary-quick-reply",
  echoText: "canary-echo-text",
  metadata: "canary-metadata",
  policyReason: "canary-policy-reason",
  idempotencyKey: "canary-idempotency-key",
  otherReply: "canary-other-reply",
  heldText: "canary-held-text",
  actor: "canary-actor",
  wrongHoldSecret: "canary-wrong-hold-secret",
  wrongToken: "canary-wrong-token",
  wrongTicket: "wst_canary-wrong-ticket",
  frame: "canary-frame",
  // The simulator's message for an error that it knows only by its code.
  upstreamWords: "The platform refuses the call",
} as const;

let stack: LocalStack;
let receiver: Receiver;
let hooks: TestWebhook[];
let conversation: string;
const person = newPersonId();
/** The ids of people and conversations. */
const people: string[] = [person];
const { messenger, instagramLogin, instagramPage } = demoAccountIds;

beforeAll(async () => {
  const env = {
    PARLEY_META_APP_SECRET: canaries.metaSecret,
    PARLEY_INSTAGRAM_APP_SECRET: canaries.instagramSecret,
    PARLEY_VERIFY_TOKEN: canaries.verifyToken,
  };
  [stack, receiver] = await Promise.all([startLocalStack({ env }), openReceiver()]);
  // One that responds, one that fails, one that is unreachable.
  const dead = `http://127.0.0.1:9/${canaries.hookPath}`;
  hooks = [];
  for (const url of [`${receiver.url}?token=${canaries.hookPath}`, `${receiver.url}/500`, dead]) {
    hooks.push(await createTestWebhook(stack, url));
  }
  receiver.respondWith((_, nth) => ({ status: nth === 1 ? 500 : 200 }));
});
afterAll(async () => {
  await Promise.all([stack?.stop(), receiver?.close()]);
});

/** The values that must not leak. */
const secrets = () => [
  ...Object.values(canaries),
  ...demoAccounts.map(({ token }) => token),
  ...hooks.flatMap(({ secret }) => [secret, secret.slice(4)]),
  stack.info.live_key,
  stack.info.test_key,
  ...people,
  "127.0.0.1",
];

/** Searches all output of Parley for these values, except the responses to authorized callers. */
async function expectNothingLeaked(secretTexts: readonly string[], extraTexts: readonly string[] = []): Promise<void> {
  const hidden = [...secrets(), ...extraTexts];
  // The address of the stack itself is in the links of errors.
  const foundIn = (...texts: string[]) => {
    const searched = texts.map((text) => text.replaceAll(stack.info.base_url, ""));
    return hidden.filter((secret) => searched.some((text) => text.includes(secret)));
  };
  expect(foundIn(stack.log())).toEqual([]);
  expect(foundIn(stack.errors())).toEqual([]);
  // Refusals, without the platform's own message, which the simulator invents.
  expect(foundIn(...secretTexts)).toEqual([]);
  const audit = (await stack.api("GET", "/v1/audit?limit=100")).text;
  expect(audit).toContain("webhook.create");
  // An audit row names the actor, the resource and the address by design.
  const audited = foundIn(audit).filter((secret) => secret !== "127.0.0.1" && secret !== canaries.actor);
  expect(audited).toEqual([]);
  // Queue messages carry conversation keys, which contain the id of the person.
  const queued = sentBodies(stack.dataDir, (queue) => !/Inbound/.test(queue));
  expect(queued.length).toBeGreaterThan(5);
  expect(foundIn(...queued).filter((secret) => !people.includes(secret))).toEqual([]);
}

const reply = (text: string, key?: string) =>
  stack.api("POST", "/v1/messages/reply", { conversation_id: conversation, text }, key);

it("no secret of a person, a tenant or a platform is in the logs of the functions", async () => {
  const attachments = [{ type: "image", payload: { url: canaries.attachment } }];
  const entry = textEntry(messenger, person, newMessageId(), canaries.inboundText, Date.now());
  const pictured = {
    time: Date.now(),
    id: messenger,
    messaging: [
      {
        sender: { id: person },
        recipient: { id: messenger },
        timestamp: Date.now(),
        message: { mid: newMessageId(), attachments },
      },
    ],
  };
  expect((await postWebhook(stack, "page", [entry, pictured])).status).toBe(200);
  const unknown = textEntry("17841499999999999", person, newMessageId(), canaries.inboundText, Date.now());
  expect((await postWebhook(stack, "instagram", [unknown])).status).toBe(200);
  expect((await postSigned(stack, "page", Buffer.from(`{"${canaries.brokenBody}`))).status).toBe(200);
  const unsigned = {
    method: "POST",
    body: canaries.unsignedBody,
    headers: { "x-hub-signature-256": canaries.unsignedBody },
  };
  expect((await stack.request("/webhooks/messenger", unsigned)).status).toBe(401);
  const wrongToken = `/webhooks/messenger?hub.mode=subscribe&hub.verify_token=${canaries.query}&hub.challenge=${canaries.query}`;
  expect((await stack.request(wrongToken)).status).toBe(403);

  conversation = await personWrites(stack, "messenger", canaries.personName, canaries.inboundText);
  const personId = conversation.split("#").at(-1) ?? "";
  people.push(personId, conversation);
  expect((await reply(canaries.replyText)).status).toBe(200);
  expect((await reply(canaries.testReply, stack.info.test_key)).status).toBe(200);
  for (const mode of ["5xx", "reset_after_accept", "token_revoked"]) {
    await stack.sim("POST", "/faults", { mode, for: 1 });
    expect((await reply(canaries.replyText)).status).toBe(502);
  }
  const refused = await Promise.all(
    [
      stack.api("POST", "/v1/messages/reply", `{"${canaries.brokenBody}`),
      stack.api("GET", `/v1/messages/${canaries.unknownId}`),
      stack.api("GET", `/v1/messages?cursor=${canaries.cursor}`),
      stack.api("GET", `/v1/messages?limit=${canaries.query}`),
      stack.api("GET", `/${canaries.query}`),
      stack.api("GET", "/v1/messages", undefined, canaries.wrongKey),
      stack.api("POST", "/v1/webhooks", { url: `http://10.0.0.1/${canaries.hookPath}` }),
    ].map((answer) => answer.then(({ status, text }) => ({ status, text }))),
  );
  expect(refused.map(({ status }) => status)).toEqual([400, 404, 400, 400, 404, 401, 400]);
  await stack.clock("PT2M");
  await waitFor("retries are made", () => /"attempt":2,"attempts_max":10,"verdict":"delivered"/.test(stack.log()));
  await waitFor("the sweep is logged", () => stack.log().includes('"event":"sweep.completed"'));

  const log = stack.log();
  // The log contains these events; otherwise the test would prove nothing.
  for (const event of [
    "worker.completed",
    "delivery.attempted",
    "send.completed",
    "profile.fetched",
    "intake.refused",
    "account.unknown",
    "sweep.completed",
  ]) {
    expect(log).toContain(`"event":"${event}"`);
  }
  await expectNothingLeaked(refused.map(({ text }) => text));
});

it("no ticket, session or frame is logged by the realtime stream, and no ticket is stored", async () => {
  const signedIn = await pressLink(stack.info.sign_in_url);
  const cookies = signedIn.headers.getSetCookie().map((cookie) => cookie.split(";")[0] ?? "");
  expect(cookies).toHaveLength(2);
  const [session = "", csrf = ""] = cookies.map((cookie) => cookie.split("=")[1] ?? "");
  const headers = { cookie: cookies.join("; "), "x-csrf-token": csrf };
  const forSession = await stack.request("/console/session/ws-ticket", { method: "POST", headers });
  // The last one stays unused, so that the table has its row.
  const answers = [
    forSession,
    await stack.api("POST", "/v1/realtime/ticket"),
    await stack.api("POST", "/v1/realtime/ticket"),
  ];
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  const [ofSession, ofKey, unused] = answers.map(({ body }) => (body.data as unknown as { ticket: string }).ticket);
  const open = (ticket = "") => openSocket(`${stack.info.ws_url}?ticket=${ticket}`);
  // Refused for its origin, for its ticket, and for a ticket that was used.
  expect(await refusalOf(open(ofSession))).toBe(403);
  expect(await refusalOf(open(canaries.wrongTicket))).toBe(401);
  const socket = await open(ofKey);
  expect(await refusalOf(open(ofKey))).toBe(401);

  const isHello = (text: string) => text.includes('"type":"hello"');
  await stack.clock("PT3S");
  await socket.next(isHello);
  const sends = { account: instagramLogin, connection: "instagram_login", person: canaries.personName };
  const { person: personId } = await stack.sim<{ person: string }>("POST", "/person-sends", {
    ...sends,
    text: canaries.inboundText,
  });
  people.push(personId);
  await socket.next((text) => text.includes('"conversation.updated"') && text.includes(canaries.inboundText));
  for (let i = 0; i <= 60; i++) socket.send(canaries.frame);
  await socket.ended;
  expect(stack.log()).toContain('"worker":"push"');
  expect(stack.log()).not.toContain('"operation":"socket');
  await expectNothingLeaked([], [ofSession ?? "", ofKey ?? "", session, csrf].flatMap(withoutPrefix));
  const table = await dumpTable(stack);
  for (const ticket of [unused, ofSession, ofKey].flatMap((secret = "") => withoutPrefix(secret)))
    expect(table.includes(ticket)).toBe(false);
});

/** A secret, also as it would be logged without its prefix. */
function withoutPrefix(secret: string): string[] {
  expect(secret.length).toBeGreaterThan(20);
  return [secret, secret.slice(4)];
}

it("no secret is logged by sends, account changes, held messages and erasures", async () => {
  // A separate account, because the token of the other one was revoked.
  const sends = { account: instagramPage, connection: "instagram_page", person: canaries.personName };
  const { person: personId } = await stack.sim<{ person: string }>("POST", "/person-sends", {
    ...sends,
    text: canaries.inboundText,
  });
  conversation = `CONV#demo#instagram#${instagramPage}#${personId}`;
  people.push(personId, conversation);
  const post = async (id: string, event: JsonObject) => {
    const at = await stack.now();
    const entry = { time: at, id, messaging: [{ timestamp: at, ...event }] };
    expect((await postWebhook(stack, "instagram", [entry])).status).toBe(200);
  };
  const happened = (event: JsonObject, from = personId, to: string = instagramPage) =>
    post(instagramPage, { sender: { id: from }, recipient: { id: to }, ...event });
  const waitForEvent = (text: string) =>
    waitFor(`the event with ${text} is delivered`, () => receiver.deliveries.some(({ raw }) => raw.includes(text)));
  const mid = newMessageId();
  const quick_reply = { payload: canaries.quickReply };
  await happened({ message: { mid, text: canaries.inboundText, quick_reply } });
  await happened({ message_edit: { mid, text: canaries.editedText, num_edit: 1 } });
  const reaction = { mid, action: "react", reaction: canaries.reaction, emoji: canaries.emoji };
  await happened({ reaction });
  const postback = { mid: newMessageId(), title: canaries.buttonTitle, payload: canaries.buttonPayload };
  await happened({ postback });
  const echo = { mid: newMessageId(), is_echo: true, app_id: 77, text: canaries.echoText, metadata: canaries.metadata };
  await happened({ message: echo }, instagramPage, personId);
  const { editedText, reaction: reactedWith, buttonTitle, echoText } = canaries;
  for (const text of [editedText, reactedWith, buttonTitle, echoText]) await waitForEvent(text);
  for (const action of ["warning", "block", "unblock"]) {
    const policy_enforcement = { action, reason: canaries.policyReason };
    await post(instagramLogin, { recipient: { id: instagramLogin }, policy_enforcement });
    if (action === "block") await waitForEvent("account.restricted");
  }
  await waitForEvent("account.recovered");

  const once = (text: string, key: string) =>
    stack.request("/v1/messages/reply", {
      method: "POST",
      headers: { authorization: `Bearer ${stack.info.live_key}`, "idempotency-key": key },
      body: JSON.stringify({ conversation_id: conversation, text }),
    });
  expect((await once(canaries.otherReply, canaries.idempotencyKey)).status).toBe(200);
  await stack.sim("POST", "/faults", { mode: "error", code: 9977, for: 1 });
  const upstream = await reply(canaries.otherReply);
  expect([upstream.status, upstream.body.error.detail]).toEqual([502, `(#9977) ${canaries.upstreamWords}`]);
  const refusals = [
    await once(canaries.replyText, canaries.idempotencyKey),
    await once(canaries.replyText, `${canaries.idempotencyKey} `.repeat(2).trim()),
  ];

  await stack.clock("PT25H");
  const body = { conversation_id: conversation, text: canaries.heldText, actor_id: canaries.actor };
  const response = await stack.api("POST", "/v1/messages/human-agent", body);
  expect(response.status).toBe(202);
  const { hold } = response.body.data as unknown as { hold: { id: string; verify_url: string } };
  const secret = hold.verify_url.split("#t=")[1] ?? "";
  expect(secret.length).toBeGreaterThan(20);
  const check = (step: string, body: object) =>
    stack.request(`/verify/holds/${hold.id}${step}`, { method: "POST", body: JSON.stringify(body) });
  const checkResponse = await check("", { secret });
  expect([checkResponse.status, checkResponse.text.includes(canaries.heldText)]).toEqual([200, true]);
  refusals.push(
    await check("", { secret: canaries.wrongHoldSecret }),
    await check("/complete", { secret, token: canaries.wrongToken, solutions: [1] }),
    await stack.api("POST", "/v1/messages/human-agent", { ...body, actor_id: null }),
    await stack.api("DELETE", `/v1/conversations/${encodeURIComponent(conversation)}`, undefined, stack.info.test_key),
    await stack.api("DELETE", `/v1/conversations/${encodeURIComponent(`${conversation}9`)}`),
  );
  expect(refusals.map(({ status }) => status)).toEqual([409, 400, 404, 400, 409, 403, 404]);

  const erased = await stack.api("DELETE", `/v1/conversations/${encodeURIComponent(conversation)}`);
  expect([erased.status, erased.body.data]).toMatchObject([200, { removed: { conversation: 1, holds: 1 } }]);
  await stack.clock("PT4M");
  await waitFor("the erasure has ended", () => stack.log().includes('"pass":"later"'));

  for (const event of ["account.policy_applied", "erasure.pass_completed", "send.completed"])
    expect(stack.log()).toContain(`"event":"${event}"`);
  const audit = (await stack.api("GET", "/v1/audit?limit=100")).text;
  for (const action of ["hold.create", "conversation.erase"]) expect(audit).toContain(action);
  await expectNothingLeaked(
    refusals.map(({ text }) => text),
    [secret],
  );
});

it("every log line is JSON of a known event", () => {
  const lines = stack.log().trim().split("\n");
  const events = new Set(lines.map((line) => (JSON.parse(line) as { event: string }).event));
  const logEvents = [
    "worker.completed",
    "record.dropped",
    "account.unknown",
    "account.checked",
    "account_checks.queued",
    "delivery.attempted",
    "delivery.not_attempted",
    "deliveries.checked",
    "deliveries.rescheduled",
    "sweep.completed",
    "send.completed",
    "profile.fetched",
    "intake.refused",
    "account.policy_applied",
    "erasure.pass_completed",
    "sends.settled",
    "endpoint.failing",
    "raw_webhooks.purged",
    "uploads.purged",
    "dead_letters.purged",
    "realtime.request_failed",
    "realtime.dropped",
    "realtime.frame_too_large",
    "metrics.counted",
  ];
  expect([...events].filter((event) => !logEvents.includes(event))).toEqual([]);
});
