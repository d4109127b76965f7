import { afterAll, beforeAll, expect, it } from "vitest";
import { demoAccounts } from "../../local/seed.ts";
import { sentTo, untilIdle } from "./support/journals.ts";
import { type RunningLocal, startLocal } from "./support/local-stack.ts";
import { accountIds, inbound, newMid, newPerson, postSigned, textEntry } from "./support/platform.ts";
import { until } from "./support/poll.ts";
import { createHook, type Hook } from "./support/read-all.ts";
import { openReceiver, type Receiver } from "./support/receiver.ts";

// Each a word that occurs nowhere by itself.
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
} as const;

let stack: RunningLocal;
let receiver: Receiver;
let hooks: Hook[];
const person = newPerson();

beforeAll(async () => {
  const env = {
    PARLEY_META_APP_SECRET: canaries.metaSecret,
    PARLEY_INSTAGRAM_APP_SECRET: canaries.instagramSecret,
    PARLEY_VERIFY_TOKEN: canaries.verifyToken,
  };
  [stack, receiver] = await Promise.all([startLocal({ env }), openReceiver()]);
  // One that answers, one that fails, one where nobody listens.
  const dead = `http://127.0.0.1:9/${canaries.hookPath}`;
  hooks = [];
  for (const url of [`${receiver.url}?token=${canaries.hookPath}`, `${receiver.url}/500`, dead]) {
    hooks.push(await createHook(stack, url));
  }
  receiver.answer((_, nth) => ({ status: nth === 1 ? 500 : 200 }));
});
afterAll(async () => {
  await Promise.all([stack?.stop(), receiver?.close()]);
});

it("nothing that a person, a tenant or a platform keeps to itself is in the functions' log", async () => {
  const { messenger } = accountIds;
  const attachments = [{ type: "image", payload: { url: canaries.attachment } }];
  const written = textEntry(messenger, person, newMid(), canaries.inboundText, Date.now());
  const pictured = {
    time: Date.now(),
    id: messenger,
    messaging: [
      {
        sender: { id: person },
        recipient: { id: messenger },
        timestamp: Date.now(),
        message: { mid: newMid(), attachments },
      },
    ],
  };
  expect((await inbound(stack, "page", [written, pictured])).status).toBe(200);
  const unknown = textEntry("17841499999999999", person, newMid(), canaries.inboundText, Date.now());
  expect((await inbound(stack, "instagram", [unknown])).status).toBe(200);
  expect((await postSigned(stack, "page", Buffer.from(`{"${canaries.brokenBody}`))).status).toBe(200);
  const unsigned = {
    method: "POST",
    body: canaries.unsignedBody,
    headers: { "x-hub-signature-256": canaries.unsignedBody },
  };
  expect((await stack.request("/webhooks/messenger", unsigned)).status).toBe(401);
  const wrongToken = `/webhooks/messenger?hub.mode=subscribe&hub.verify_token=${canaries.query}&hub.challenge=${canaries.query}`;
  expect((await stack.request(wrongToken)).status).toBe(403);

  const sends = {
    account: messenger,
    connection: "messenger",
    person: canaries.personName,
    text: canaries.inboundText,
  };
  const { person: known } = await stack.sim<{ person: string }>("POST", "/person-sends", sends);
  await untilIdle(stack);
  const conversation_id = `CONV#demo#messenger#${messenger}#${known}`;
  const reply = (text: string, key?: string) =>
    stack.api("POST", "/v1/messages/reply", { conversation_id, text }, key).then(({ status }) => status);
  expect(await reply(canaries.replyText)).toBe(200);
  expect(await reply(canaries.testReply, stack.local.test_key)).toBe(200);
  for (const mode of ["token_revoked", "5xx", "reset_after_accept"]) {
    await stack.sim("POST", "/faults", { mode, for: 1 });
    expect(await reply(canaries.replyText)).toBe(502);
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
  await until("retries are made", () => stack.log().includes('"status":"delivered","attempt":2'));
  await until("the sweeper tells of itself", () => stack.log().includes('"event":"swept"'));

  const log = stack.log();
  // The log is there and tells of all this, or the rest would prove nothing.
  for (const event of ["batch", "attempt", "send", "profile", "intake_refused", "unknown_account", "swept"]) {
    expect(log).toContain(`"event":"${event}"`);
  }
  const secrets = [
    ...Object.values(canaries),
    ...demoAccounts.map(({ token }) => token),
    ...hooks.flatMap(({ secret }) => [secret, secret.slice(4)]),
    stack.local.live_key,
    stack.local.test_key,
    person,
    "127.0.0.1",
  ];
  expect(secrets.filter((secret) => log.includes(secret))).toEqual([]);
  expect(secrets.filter((secret) => stack.errors().includes(secret))).toEqual([]);
  // What a refusal tells, beside the words of the platform's own refusal, which this stack's simulator invents.
  expect(secrets.filter((secret) => refused.some(({ text }) => text.includes(secret)))).toEqual([]);
  const audit = (await stack.api("GET", "/v1/audit?limit=100")).text;
  expect(audit).toContain("webhook.create");
  // Who did it, and from which address, is what an audit row is for.
  expect(secrets.filter((secret) => secret !== "127.0.0.1" && audit.includes(secret))).toEqual([]);
  // The person's id is part of the conversation's key, and keys are what the queues carry.
  const queued = sentTo(stack.dataDir, (queue) => !/Inbound/.test(queue));
  expect(queued.length).toBeGreaterThan(5);
  const unspoken = secrets.filter((secret) => secret !== person);
  expect(unspoken.filter((secret) => queued.some((body) => body.includes(secret)))).toEqual([]);
});

it("every line of it is JSON of a known event", () => {
  const lines = stack.log().trim().split("\n");
  const events = new Set(lines.map((line) => (JSON.parse(line) as { event: string }).event));
  const known = ["batch", "record_dropped", "unknown_account", "attempt", "swept", "send", "profile", "intake_refused"];
  expect([...events].filter((event) => !known.includes(event))).toEqual([]);
});
