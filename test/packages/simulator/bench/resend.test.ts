import { expect, test } from "vitest";
import { startTestSimulator, startWebhookReceiver } from "../simulator-fixture.ts";

async function startBoth() {
  const receiver = await startWebhookReceiver();
  return { receiver, ...(await startTestSimulator(receiver.url)) };
}

test("a webhook is sent again with the same bytes and signatures, as a webhook of its own", async () => {
  const { receiver, personSends, sim, get } = await startBoth();
  const { webhook, mid } = await personSends("login", { text: "Grüße 🍞" });
  const again = await sim("/resend", { webhook });
  expect(again.body).toMatchObject({ status_of_webhook: "delivered", receiver: 200 });
  const [first, second] = await receiver.waitForWebhooks(2);
  expect(second?.raw).toBe(first?.raw);
  expect(second?.headers["x-hub-signature-256"]).toBe(first?.headers["x-hub-signature-256"]);
  const { webhooks } = (await get(`/_sim/webhooks?mid=${encodeURIComponent(mid)}`)).body;
  expect(webhooks).toMatchObject([{ id: webhook }, { id: again.body.webhook, copy_of: webhook }]);
});

test("an edited webhook is signed over its own bytes, and a text is sent as it is", async () => {
  const { receiver, personSends, sim } = await startBoth();
  const { webhook } = await personSends("login");
  const [original] = await receiver.waitForWebhooks(1);
  const text = '{ "object": "instagram",  "entry": [] }';
  await sim("/resend", { webhook, body: { ...original?.body, entry: [{ id: "0", messaging: [] }] } });
  await sim("/resend", { webhook, body: text });
  const [, changed, spaced] = await receiver.waitForWebhooks(3);
  expect(changed?.body.entry).toEqual([{ id: "0", messaging: [] }]);
  expect(changed?.headers["x-hub-signature-256"]).not.toBe(original?.headers["x-hub-signature-256"]);
  expect(spaced?.raw).toBe(text);
});

test("a webhook with a wrong signature is sent once, and its refusal does not count against the subscription", async () => {
  const { receiver, personSends, sim, get } = await startBoth();
  const { webhook } = await personSends("login");
  const [original] = await receiver.waitForWebhooks(1);
  receiver.settings.status = 401;
  const { body } = await sim("/resend", { webhook, signature: "bad" });
  expect(body.receiver).toBe(401);
  const [, forged] = await receiver.waitForWebhooks(2);
  expect(forged?.raw).toBe(original?.raw);
  expect(forged?.headers["x-hub-signature-256"]).toMatch(/^sha256=[0-9a-f]{64}$/);
  expect(forged?.headers["x-hub-signature-256"]).not.toBe(original?.headers["x-hub-signature-256"]);
  expect((await get("/_sim/state")).body).toMatchObject({ pending: [], failing: {} });
});

test.each([
  [{}, "webhook is missing"],
  [{ webhook: "nothing" }, "there is no webhook nothing in the log"],
  [{ body: "{" }, "body is not JSON"],
  [{ body: [] }, "body must be an object"],
  [{ body: { object: "page" } }, "body.entry must be a list"],
  [{ body: { object: "user", entry: [] } }, "body.object must be one of instagram, page"],
  [{ body: { object: "page", entry: ["x".repeat(260_000)] } }, "body is longer than 256000 characters"],
  [{ signature: "none" }, "signature must be one of good, bad"],
  [{ payload: 1 }, 'unknown field "payload"'],
])("the request %j to send a webhook again is refused with the reason", async (fields, reason) => {
  const { personSends, sim } = await startBoth();
  const { webhook } = await personSends("login");
  const isComplete = Object.keys(fields).length > 0;
  const { status, body } = await sim("/resend", { ...(isComplete ? { webhook } : {}), ...fields });
  expect(status).toBe(400);
  expect(body.error).toContain(reason);
});

test("an event is replayed through the host, whose refusal is the answer, and not by a simulator that runs alone", async () => {
  const receiver = await startWebhookReceiver();
  const replays: unknown[] = [];
  const hosted = await startTestSimulator(receiver.url, {
    host: {
      advanceClock: async () => {},
      inspect: async () => ({ message: null, deliveries: [], problem: null }),
      async replay(delivery) {
        replays.push(delivery);
        return delivery.delivery_id === "dlv_old" ? "It is no longer stored." : null;
      },
    },
  });
  const fields = { endpoint_id: "E1", delivery_id: "dlv_1" };
  expect((await hosted.sim("/app-replay", fields)).body).toEqual({ replayed: "dlv_1" });
  expect(replays).toEqual([fields]);
  const refused = await hosted.sim("/app-replay", { ...fields, delivery_id: "dlv_old" });
  expect(refused).toMatchObject({
    status: 400,
    body: { error: "the app did not replay the event: It is no longer stored." },
  });
  const alone = await startTestSimulator(receiver.url);
  expect((await alone.sim("/app-replay", fields)).body.error).toContain("the simulator runs alone");
});
