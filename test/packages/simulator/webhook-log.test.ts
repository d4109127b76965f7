import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { signatureHeaders } from "../../../packages/simulator/src/webhooks/signing.ts";
import { startTestSimulator, startWebhookReceiver, testSecrets } from "./simulator-fixture.ts";

async function startReady() {
  const hook = await startWebhookReceiver();
  const simulator = await startTestSimulator(hook.url);
  const logOf = async (mid: string) =>
    (await simulator.get(`/_sim/webhooks?mid=${encodeURIComponent(mid)}`)).body.webhooks;
  return { hook, simulator, logOf };
}

test("each message has the webhook that went out: address, headers, exact body, and the receiver's answers", async () => {
  const { hook, simulator, logOf } = await startReady();
  const { mid } = await simulator.personSends("login", { text: "Grüße" });
  const [webhook, ...others] = await logOf(mid);
  expect(others).toEqual([]);
  const [received] = hook.got;
  expect(webhook).toMatchObject({ url: `${hook.url}/webhooks/instagram`, body: received?.raw, secret: "instagram" });
  expect(webhook.body).toContain("Gr\\u00fc\\u00dfe");
  const { "X-Hub-Signature-256": signature } = signatureHeaders(webhook.body, testSecrets.instagram);
  expect(webhook.headers).toMatchObject({ "Content-Type": "application/json", "X-Hub-Signature-256": signature });
  expect(received?.headers["x-hub-signature-256"]).toBe(signature);
  expect(webhook.attempts).toEqual([
    { at: expect.any(Number), status: 200, problem: null, duration_ms: expect.any(Number), body: "" },
  ]);
  expect(webhook.next_attempt_at).toBeNull();
});

test("a change of a message is listed with it, and a refused webhook shows each attempt and the next one's time", async () => {
  const { hook, simulator, logOf } = await startReady();
  const { mid } = await simulator.personSends("messenger");
  hook.settings.status = 500;
  await simulator.personSends("messenger", { kind: "edit", mid, text: "Changed" });
  const [message, edit] = await logOf(mid);
  expect(JSON.parse(message.body).entry[0].messaging[0]).toHaveProperty("message");
  expect(JSON.parse(edit.body).entry[0].messaging[0]).toHaveProperty("message_edit");
  expect(edit.attempts[0]).toMatchObject({ status: 500, problem: "the receiver answered 500" });
  expect(edit.next_attempt_at).toBeGreaterThan(edit.attempts[0].at);
  await expect.poll(async () => (await logOf(mid))[1].attempts.length).toBeGreaterThan(1);
});

test("a message of the account has the app's own call", async () => {
  const { simulator, logOf } = await startReady();
  const { person } = await simulator.personSends("login");
  const { body } = await simulator.sendToPerson("login", person);
  await expect.poll(async () => (await logOf(body.message_id)).length).toBe(1);
  const log = (await simulator.get(`/_sim/webhooks?mid=${body.message_id}`)).body;
  expect(log.call).toMatchObject({ recipient: { id: person }, message: { text: "Good day" } });
});

test("webhooks without a message are listed too, newest first, and the newest 500 are stored", async () => {
  const { simulator } = await startReady();
  const { webhook } = await simulator.personSends("login", { kind: "referral", text: undefined });
  const { body } = await simulator.get("/_sim/webhooks");
  expect(body.webhooks.map(({ id }: { id: string }) => id)).toEqual([webhook]);
});

test("the program that the simulator runs in reports what it made of a message", async () => {
  const hook = await startWebhookReceiver();
  const asked: unknown[] = [];
  const report = { message: { id: "m" }, deliveries: [], problem: null };
  const simulator = await startTestSimulator(hook.url, {
    host: {
      advanceClock: async () => {},
      inspect: async (question) => {
        asked.push(question);
        return report;
      },
    },
  });
  const { mid } = await simulator.personSends("login");
  expect((await simulator.get(`/_sim/app?mid=${mid}`)).body).toEqual({ report });
  const [webhook] = (await simulator.get(`/_sim/webhooks?mid=${mid}`)).body.webhooks;
  expect(asked).toEqual([{ mid, from: webhook.attempts[0].at, to: webhook.attempts[0].at }]);
  expect((await simulator.get("/_sim/app?mid=unknown")).status).toBe(400);
});

test("a simulator that runs alone has no such report, and advances its own clock", async () => {
  const { simulator } = await startReady();
  const { mid } = await simulator.personSends("login");
  expect((await simulator.get(`/_sim/app?mid=${mid}`)).body).toEqual({ report: null });
  const before = (await simulator.get("/_sim/state")).body.now;
  const { body } = await simulator.sim("/clock", { advance_ms: 3_600_000 });
  expect(body.now - before).toBeGreaterThanOrEqual(3_600_000);
  expect(body.now - before).toBeLessThan(3_660_000);
});

test("every account has a person from the start, once", async () => {
  const { simulator } = await startReady();
  const { people, accounts } = (await simulator.get("/_sim/state")).body;
  expect(people.map(({ account }: { account: string }) => account)).toEqual(
    accounts.map(({ key }: { key: string }) => key),
  );
  expect(new Set(people.map(({ name }: { name: string }) => name)).size).toBe(3);
});

test("a large webhook is not written with each change of the state, and a very large one is not logged", async () => {
  const { simulator } = await startReady();
  const logged = async (bytes: number) => {
    const entry = [{ id: "1", time: 1, messaging: [], padding: "x".repeat(bytes) }];
    const { webhook } = (await simulator.sim("/raw", { object: "page", entry })).body;
    return (await simulator.get(`/_sim/webhooks?id=${webhook}`)).status === 200;
  };
  expect(await logged(100_000)).toBe(true);
  expect(await logged(300_000)).toBe(false);
  const folder = await mkdtemp(join(tmpdir(), "simulator-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const hook = await startWebhookReceiver();
  const storing = await startTestSimulator(hook.url, { statePath: join(folder, "state.json") });
  for (const bytes of [100, 100_000])
    await storing.sim("/raw", { object: "page", entry: [{ padding: "x".repeat(bytes) }] });
  await storing.close();
  const { webhooks } = JSON.parse(await readFile(join(folder, "state.json"), "utf8"));
  expect(webhooks).toHaveLength(1);
});
