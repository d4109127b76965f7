import { createHmac } from "node:crypto";
import { beforeEach, expect, it } from "vitest";
import type { PlatformSecrets, ReadSecret } from "#base/aws/secrets.ts";
import { decompress } from "#base/kernel/compression.ts";
import type { IntakePorts } from "#features/inbox/ports.ts";
import { decodeInbound } from "#features/inbox/queue.ts";
import { intakeRoutes } from "#features/inbox/routes/intake.ts";
import { noCredentials } from "#http/credentials/credentials.ts";
import type { FetchApp } from "../../../support/conformance/fetch-app.ts";
import { createApp } from "../../../support/conformance/observed-app.ts";
import { queueDepth, receiveBatch } from "../../../support/flows/queue-worker.ts";
import { openTestEnv } from "../../../support/flows/test-env.ts";
import { countedMetrics } from "../../../support/metering/counted-metrics.ts";
import { openedEach, openedOnce } from "../../../support/opened.ts";
import { seededFraction } from "../../../support/stores/samples.ts";

const SECRETS = { meta: "the meta app's secret", instagram: "the instagram app's secret", verifyToken: "let me in" };
let app: FetchApp;
const testEnv = openedOnce(openTestEnv);
const queues = openedEach(() => testEnv.newQueues());
beforeEach(async () => {
  app = createIntakeApp(queues.inbound);
  testEnv.lines.length = 0;
});

const toSecrets = ({ meta, instagram, verifyToken }: typeof SECRETS) => ({
  meta: [meta],
  instagram: [instagram],
  verifyToken,
});

function createIntakeApp(
  inbound: string,
  platformSecrets: ReadSecret<PlatformSecrets> = async () => toSecrets(SECRETS),
): FetchApp {
  return createApp<IntakePorts>({
    endpoints: intakeRoutes,
    ports: { ...testEnv.intakePorts({ inbound }), platformSecrets },
    credentials: noCredentials,
    now: testEnv.now,
    log: (line) => testEnv.lines.push(line),
  });
}

const signBody = (body: string, secret: string) => `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`;
const post = (body: string, signature: string | null, platform = "instagram", to = app) =>
  to.request(`/webhooks/${platform}`, {
    method: "POST",
    body,
    headers: signature === null ? {} : { "x-hub-signature-256": signature },
  });

it.each(["meta", "instagram"] as const)(
  "a platform's webhook signed by the %s app is queued unchanged before the 200",
  async (platform) => {
    const body = '{"text":"é \\u00e9 ✓"}  ';
    const response = await post(body, signBody(body, SECRETS[platform]), "messenger");
    expect([response.status, await response.text()]).toEqual([200, "EVENT_RECEIVED"]);
    const [record] = await receiveBatch(testEnv.eventSource, queues.inbound);
    const inbound = decodeInbound(record?.body ?? "");
    expect(inbound?.receivedAt).toBe(testEnv.now());
    expect(inbound?.traceId).toBe(response.headers.get("x-correlation-id"));
    expect(Buffer.from(decompress(inbound?.bytes ?? new Uint8Array())).toString()).toBe(body);
  },
);

it("a platform's webhook too large for the queue is stored in a file that the queue message names", async () => {
  const body = Array.from({ length: 60_000 }, (_, i) => seededFraction(String(i)).toString(36)).join("");
  expect((await post(body, signBody(body, SECRETS.meta))).status).toBe(200);
  const [record] = await receiveBatch(testEnv.eventSource, queues.inbound);
  const inbound = decodeInbound(record?.body ?? "");
  expect(inbound?.bytes).toBeNull();
  const storedFile = await testEnv.files.get(inbound?.file ?? "");
  expect(Buffer.from(decompress(storedFile ?? new Uint8Array())).toString()).toBe(body);
});

it.each([
  ["unsigned", null],
  ["signed with another secret", signBody("{}", "another")],
  ["signed for other bytes", signBody("{} ", SECRETS.meta)],
  ["signed with nothing", signBody("{}", "")],
])("a platform's webhook that is %s is refused, logged and queued nowhere", async (_name, signature) => {
  expect((await post("{}", signature)).status).toBe(401);
  expect(await queueDepth(testEnv.eventSource, queues.inbound)).toBe(0);
  expect(testEnv.lines).toContainEqual({ event: "intake.refused", reason: "signature" });
});

it("a platform's webhook gets no 200 while the queue is unavailable, so that the platform retries", async () => {
  const broken = createIntakeApp(`${queues.inbound}-gone`);
  expect((await post("{}", signBody("{}", SECRETS.meta), "instagram", broken)).status).toBe(500);
});

it("a platform's webhook signed with the app secret of before or after a change is queued while both are in the secret", async () => {
  const both = { ...toSecrets(SECRETS), meta: ["the new secret", SECRETS.meta] };
  const changing = createIntakeApp(queues.inbound, async () => both);
  for (const secret of both.meta) {
    expect((await post("{}", signBody("{}", secret), "messenger", changing)).status).toBe(200);
  }
  const changed = createIntakeApp(queues.inbound, async () => ({ ...both, meta: ["the new secret"] }));
  expect((await post("{}", signBody("{}", SECRETS.meta), "messenger", changed)).status).toBe(401);
  expect(await queueDepth(testEnv.eventSource, queues.inbound)).toBe(2);
});

it("a platform's webhook signed with a secret that was stored a moment ago is accepted at once, and so is its verify token", async () => {
  const reads: boolean[] = [];
  const changed = createIntakeApp(queues.inbound, async (isStale = false) => {
    reads.push(isStale);
    return isStale ? { meta: ["the new secret"], instagram: [], verifyToken: "new token" } : toSecrets(SECRETS);
  });
  expect((await post("{}", signBody("{}", "the new secret"), "messenger", changed)).status).toBe(200);
  expect((await post("{}", signBody("{}", SECRETS.meta), "messenger", changed)).status).toBe(200);
  expect(reads).toEqual([false, true, false]);
  const query = "hub.mode=subscribe&hub.verify_token=new%20token&hub.challenge=1";
  expect((await changed.request(`/webhooks/messenger?${query}`)).status).toBe(200);
  expect((await post("{}", signBody("{}", "neither"), "messenger", changed)).status).toBe(401);
});

it("a platform's webhook is 404 for an unknown platform", async () => {
  expect((await post("{}", signBody("{}", SECRETS.meta), "telegraph")).status).toBe(404);
});

const shake = (token: string, mode = "subscribe") =>
  app.request(`/webhooks/messenger?hub.mode=${mode}&hub.verify_token=${encodeURIComponent(token)}&hub.challenge=12345`);

it.each(["<script>alert(1)</script>", "a b", "a.b", "ä", "1\n", "\u202e1", "a%"])(
  "the subscription handshake answers 400 to the challenge %j, also with the right token",
  async (challenge) => {
    const query = new URLSearchParams({
      "hub.mode": "subscribe",
      "hub.verify_token": SECRETS.verifyToken,
      "hub.challenge": challenge,
    });
    const response = await app.request(`/webhooks/messenger?${query}`);
    const body = (await response.json()) as { error: { code: string; detail: string } };
    expect([response.status, body.error.code, body.error.detail]).toEqual([
      400,
      "invalid_request",
      "hub.challenge: must be letters, digits, - and _",
    ]);
  },
);

it("the subscription handshake returns the challenge as plain text only for the right token", async () => {
  const right = await shake(SECRETS.verifyToken);
  expect([right.status, await right.text()]).toEqual([200, "12345"]);
  expect(right.headers.get("content-type")).toMatch(/^text\/plain/);
  expect((await shake("let me out")).status).toBe(403);
  expect((await shake("")).status).toBe(403);
  expect((await shake(SECRETS.verifyToken, "unsubscribe")).status).toBe(403);
  expect((await app.request("/webhooks/messenger")).status).toBe(403);
});

it("a platform's webhook that is queued is counted once as accepted, and a refused one is not", async () => {
  await post("{}", signBody("{}", "another"));
  expect(countedMetrics(testEnv.lines)).toEqual([]);
  await post("{}", signBody("{}", SECRETS.meta));
  expect(countedMetrics(testEnv.lines)).toEqual([{ Accepted: 1 }]);
});
