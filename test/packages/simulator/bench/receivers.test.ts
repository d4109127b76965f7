import { createHmac } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { startTestSimulator } from "../simulator-fixture.ts";

const nowhere = "http://127.0.0.1:9";
const post = (url: string, body = "{}", headers: Record<string, string> = {}) =>
  fetch(url, { method: "POST", body, headers });

test("a receiver answers by its steps, each as often as it says, and the last one from then on", async () => {
  const { sim, get } = await startTestSimulator(nowhere);
  const steps = [{ status: 503, times: 2, retry_after: 7 }, { status: 410, body: "gone" }, { status: 204 }];
  const { url } = (await sim("/receivers", { name: "shop", steps })).body;
  const answers = [];
  for (let sent = 0; sent < 5; sent += 1) answers.push(await post(url, `{"n":${sent}}`));
  expect(answers.map(({ status }) => status)).toEqual([503, 503, 410, 204, 204]);
  expect(answers[0]?.headers.get("retry-after")).toBe("7");
  expect(await answers[2]?.text()).toBe("gone");

  const { receiver, requests } = (await get("/_sim/receivers?name=shop")).body;
  expect(receiver).toMatchObject({ taken: 5, next_step: 2, has_secret: false });
  expect(requests.map(({ body, status, step }: Record<string, unknown>) => [body, status, step])).toEqual([
    ['{"n":4}', 204, 2],
    ['{"n":3}', 204, 2],
    ['{"n":2}', 410, 1],
    ['{"n":1}', 503, 0],
    ['{"n":0}', 503, 0],
  ]);
  expect(requests[0]).toMatchObject({ method: "POST", bytes: 7, signature: "unchecked" });

  await sim("/receivers", { name: "shop", steps });
  expect((await post(url)).status).toBe(503);
});

test("a receiver delays an answer in real time, and cuts a connection", async () => {
  const { sim, get } = await startTestSimulator(nowhere);
  const { url } = (await sim("/receivers", { name: "slow", steps: [{ delay_ms: 150 }, { drop: true }] })).body;
  const start = performance.now();
  expect((await post(url)).status).toBe(200);
  expect(performance.now() - start).toBeGreaterThan(145);
  await expect(post(url)).rejects.toThrow("fetch failed");
  expect((await get("/_sim/receivers?name=slow")).body.requests).toMatchObject([{ status: null }, { delay_ms: 150 }]);
});

test("a receiver with a secret verifies Standard Webhooks and the signature of the platforms, and never returns the secret", async () => {
  const { sim, get } = await startTestSimulator(nowhere);
  const key = Buffer.from("a key of the endpoint");
  const secret = `whsec_${key.toString("base64")}`;
  const { url } = (await sim("/receivers", { name: "signed", secret })).body;
  const body = '{"text":"Grüße"}';
  const sign = (content: string) => createHmac("sha256", key).update(content).digest("base64");
  const standard = (signature: string) => ({
    "webhook-id": "evt_1",
    "webhook-timestamp": "1700000000",
    "webhook-signature": signature,
  });
  const good = `v1,${sign(`evt_1.1700000000.${body}`)}`;
  await post(url, body);
  await post(url, body, standard(`v1,${sign("other")}`));
  await post(url, body, standard(`v1,${sign("other")} ${good}`));
  await post(url, `${body} `, standard(good));
  const hub = createHmac("sha256", secret).update(body).digest("hex");
  await post(url, body, { "X-Hub-Signature-256": `sha256=${hub}` });
  const answer = (await get("/_sim/receivers?name=signed")).body;
  expect(answer.requests.map(({ signature }: { signature: string }) => signature)).toEqual([
    "verified",
    "wrong",
    "verified",
    "wrong",
    "missing",
  ]);
  expect(answer.receiver.has_secret).toBe(true);
  expect(JSON.stringify([answer, (await get("/_sim/receivers")).body])).not.toContain(secret);
});

test("a receiver is stored with the state, and forgets what it received", async () => {
  const folder = mkdtempSync(join(tmpdir(), "parley-receivers-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const statePath = join(folder, "state.json");
  const first = await startTestSimulator(nowhere, { statePath });
  const { url } = (await first.sim("/receivers", { name: "stored", steps: [{ status: 418 }] })).body;
  await post(url, "what was received");
  await first.close();
  const second = await startTestSimulator(nowhere, { statePath });
  const again = (await second.get("/_sim/receivers?name=stored")).body;
  expect(again.requests).toEqual([]);
  expect((await post(again.receiver.url)).status).toBe(418);
  expect((await second.sim("/remove-receiver", { name: "stored" })).body).toEqual({ removed: "stored" });
  expect((await post(again.receiver.url)).status).toBe(404);
});

test("a receiver has the newest 100 requests, each with the beginning of its body", async () => {
  const { sim, get } = await startTestSimulator(nowhere);
  const { url } = (await sim("/receivers", { name: "many" })).body;
  await post(url, "x".repeat(70_000));
  const { requests } = (await get("/_sim/receivers?name=many")).body;
  expect([requests[0].body.length, requests[0].bytes]).toEqual([64_000, 70_000]);
  for (let sent = 0; sent < 101; sent += 1) await post(url, String(sent));
  const newest = (await get("/_sim/receivers?name=many")).body.requests;
  expect([newest.length, newest[0].body, newest[99].body]).toEqual([100, "100", "1"]);
});

test.each([
  [{}, "name is missing"],
  [{ name: "No Spaces" }, "name must be 1 to 40 lowercase letters"],
  [{ name: "../x" }, "name must be 1 to 40 lowercase letters"],
  [{ name: "a", steps: [] }, "steps must be a list of 1 to 50 steps"],
  [{ name: "a", steps: [{}, { status: 99 }] }, "steps[1]: status must be a whole number from 200 to 599"],
  [{ name: "a", steps: [{ wait: 1 }] }, 'steps[0]: unknown field "wait"; the fields are: status, delay_ms'],
  [{ name: "a", steps: [7] }, "steps[0]: a step must be an object"],
  [{ name: "a", steps: [{ delay_ms: 60_001 }] }, "delay_ms must be a whole number from 0 to 60000"],
  [{ name: "a", secret: "s".repeat(201) }, "secret is longer than 200 characters"],
])("the receiver %j is refused with the reason", async (fields, reason) => {
  const { sim, get } = await startTestSimulator(nowhere);
  const { status, body } = await sim("/receivers", fields);
  expect(status).toBe(400);
  expect(body.error).toContain(reason);
  expect((await get("/_sim/receivers")).body).toEqual({ receivers: [], can_connect: false });
});

test("a receiver beyond the twentieth is refused, and one that does not exist is named with those that do", async () => {
  const { sim } = await startTestSimulator(nowhere);
  for (let number = 1; number <= 20; number += 1) await sim("/receivers", { name: `r${number}` });
  expect((await sim("/receivers", { name: "r21" })).body.error).toContain("there are 20 receivers: remove one first");
  expect((await sim("/receivers", { name: "r20", steps: [{ status: 500 }] })).status).toBe(200);
  expect((await sim("/remove-receiver", { name: "other" })).body.error).toContain("receivers: r1, r2");
});

test("a receiver is added to the app by the host, and verifies with the secret that the app returned", async () => {
  const urls: string[] = [];
  const secret = `whs_${Buffer.from("from the app").toString("base64")}`;
  const { sim } = await startTestSimulator(nowhere, {
    host: {
      advanceClock: async () => {},
      inspect: async () => ({ message: null, deliveries: [], problem: null }),
      async addEndpoint(url) {
        urls.push(url);
        return urls.length > 1 ? { id: null, secret: null, problem: "No more." } : { id: "E1", secret, problem: null };
      },
    },
  });
  const { url } = (await sim("/receivers", { name: "app" })).body;
  const added = await sim("/connect-receiver", { name: "app" });
  expect(added.body).toMatchObject({ endpoint: "E1", has_secret: true });
  expect(JSON.stringify(added.body)).not.toContain(secret);
  expect(urls).toEqual([url]);
  expect((await sim("/connect-receiver", { name: "app" })).body.error).toBe(
    "the app did not add the endpoint: No more.",
  );
  const alone = await startTestSimulator(nowhere);
  await alone.sim("/receivers", { name: "app" });
  expect((await alone.sim("/connect-receiver", { name: "app" })).body.error).toContain("the simulator runs alone");
});
