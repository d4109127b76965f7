import { createHmac } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type App, createApp } from "../../../../functions/http/app.ts";
import { intakeRoutes } from "../../../../functions/routes/inbox/intake.ts";
import { openQueue } from "../../../../shared/aws/queues.ts";
import { decompress } from "../../../../shared/kernel/compression.ts";
import { refuse } from "../../../../shared/kernel/refusals.ts";
import { verifyHandshake, verifySignature } from "../../../../shared/platforms/signature.ts";
import { readInbound } from "../../../../shared/queues/messages.ts";
import { type House, type Lane, openHouse } from "../../../shared/flows/support/house.ts";
import { depth, receive } from "../../../shared/flows/support/queue-work.ts";
import { drawOf } from "../../../shared/stores/support/samples.ts";

const SECRETS = { meta: "the meta app's secret", instagram: "the instagram app's secret", verifyToken: "let me in" };

let house: House;
let lane: Lane;
let app: App;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());
beforeEach(async () => {
  lane = await house.newLane();
  app = appOf(lane.inbound);
  house.lines.length = 0;
});

function appOf(inbound: string): App {
  return createApp({
    endpoints: intakeRoutes,
    ports: {
      platformSecrets: async () => SECRETS,
      verifySignature,
      verifyHandshake,
      inbound: openQueue(inbound, house.sqs),
      files: house.files,
      log: (line) => house.lines.push(line),
    },
    authenticate: async () => refuse("unauthorized"),
    rateLimit: async () => null,
    now: house.now,
    log: (line) => house.lines.push(line),
  });
}

const signatureOf = (body: string, secret: string) =>
  `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`;
const post = (body: string, signature: string | null, platform = "instagram", to = app) =>
  to.request(`/webhooks/${platform}`, {
    method: "POST",
    body,
    headers: signature === null ? {} : { "x-hub-signature-256": signature },
  });

describe("a platform's webhook", () => {
  it.each(["meta", "instagram"] as const)(
    "signed by the %s app is on the queue, byte for byte, before its 200",
    async (who) => {
      const body = '{"text":"é \\u00e9 ✓"}  ';
      const response = await post(body, signatureOf(body, SECRETS[who]), "messenger");
      expect([response.status, await response.text()]).toEqual([200, "EVENT_RECEIVED"]);
      const [record] = await receive(house.eventSource, lane.inbound);
      const inbound = readInbound(record?.body ?? "");
      expect(inbound?.receivedAt).toBe(house.now());
      expect(Buffer.from(decompress(inbound?.bytes ?? new Uint8Array())).toString()).toBe(body);
    },
  );

  it("that is too large for the queue lies in a file that the queue names", async () => {
    const body = Array.from({ length: 60_000 }, (_, i) => drawOf(String(i)).toString(36)).join("");
    expect((await post(body, signatureOf(body, SECRETS.meta))).status).toBe(200);
    const [record] = await receive(house.eventSource, lane.inbound);
    const inbound = readInbound(record?.body ?? "");
    expect(inbound?.bytes).toBeNull();
    const kept = await house.files.get(inbound?.file ?? "");
    expect(Buffer.from(decompress(kept ?? new Uint8Array())).toString()).toBe(body);
  });

  it.each([
    ["unsigned", null],
    ["signed with another secret", signatureOf("{}", "another")],
    ["signed for other bytes", signatureOf("{} ", SECRETS.meta)],
    ["signed with nothing", signatureOf("{}", "")],
  ])("that is %s is refused, logged and queued nowhere", async (_name, signature) => {
    expect((await post("{}", signature)).status).toBe(401);
    expect(await depth(house.eventSource, lane.inbound)).toBe(0);
    expect(house.lines).toContainEqual({ event: "intake_refused", reason: "signature" });
  });

  it("gets no 200 while the queue does not take it: the platform comes again", async () => {
    const broken = appOf(`${lane.inbound}-gone`);
    expect((await post("{}", signatureOf("{}", SECRETS.meta), "instagram", broken)).status).toBe(500);
  });

  it("is not there for a platform we do not know", async () => {
    expect((await post("{}", signatureOf("{}", SECRETS.meta), "telegraph")).status).toBe(404);
  });
});

describe("the handshake", () => {
  const shake = (token: string, mode = "subscribe") =>
    app.request(
      `/webhooks/messenger?hub.mode=${mode}&hub.verify_token=${encodeURIComponent(token)}&hub.challenge=12345`,
    );

  it("answers the challenge as plain text to the right token alone", async () => {
    const right = await shake(SECRETS.verifyToken);
    expect([right.status, await right.text()]).toEqual([200, "12345"]);
    expect(right.headers.get("content-type")).toMatch(/^text\/plain/);
    expect((await shake("let me out")).status).toBe(403);
    expect((await shake("")).status).toBe(403);
    expect((await shake(SECRETS.verifyToken, "unsubscribe")).status).toBe(403);
    expect((await app.request("/webhooks/messenger")).status).toBe(403);
  });
});
