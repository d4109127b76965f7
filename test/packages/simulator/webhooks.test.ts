import { createHmac } from "node:crypto";
import { describe, expect, test } from "vitest";
import { parseInstagramMid } from "../../../packages/simulator/src/world/mids.ts";
import {
  firstEvent,
  startTestSimulator,
  startWebhookReceiver,
  testAccounts,
  testPage,
  testSecrets,
} from "./simulator-fixture.ts";

const sign = (raw: string, secret: string) =>
  `sha256=${createHmac("sha256", secret).update(Buffer.from(raw, "latin1")).digest("hex")}`;

test("a webhook has the headers and the key order of real traffic", async () => {
  const hook = await startWebhookReceiver();
  const simulator = await startTestSimulator(hook.url);
  const sent = await simulator.personSends("login", { text: "Smörgåsbord" });
  expect(sent).toMatchObject({ status_of_webhook: "delivered" });
  const [one] = hook.got;
  expect(one?.headers).toMatchObject({
    "user-agent": "facebookexternalua",
    accept: "*/*",
    "accept-encoding": "deflate, gzip",
    "content-type": "application/json",
    "facebook-api-version": "v26.0",
  });
  expect(one?.headers["x-hub-signature"]).toMatch(/^sha1=[0-9a-f]{40}$/);
  expect(one?.raw).toMatch(/^\{"object":"instagram","entry":\[\{"time":\d{13},"id":"\d+","messaging":\[/);
  expect(one?.raw).toContain("Sm\\u00f6rg\\u00e5sbord");
});

test.each([
  ["login", "/webhooks/instagram", "instagram", testSecrets.instagram],
  ["viaPage", "/webhooks/instagram", "instagram", testSecrets.meta],
  ["messenger", "/webhooks/messenger", "page", testSecrets.meta],
] as const)("%s posts to its path, signed with its secret", async (name, path, object, secret) => {
  const hook = await startWebhookReceiver();
  const simulator = await startTestSimulator(hook.url);
  await simulator.personSends(name);
  const [one] = await hook.waitForWebhooks(1);
  expect(one).toMatchObject({ path, body: { object, entry: [{ id: testAccounts[name].externalId }] } });
  expect(one?.headers["x-hub-signature-256"]).toBe(sign(one?.raw ?? "", secret));
  const other = secret === testSecrets.meta ? testSecrets.instagram : testSecrets.meta;
  expect(one?.headers["x-hub-signature-256"]).not.toBe(sign(one?.raw ?? "", other));
});

test("an Instagram message id holds the millisecond of the webhook's timestamp", async () => {
  const hook = await startWebhookReceiver();
  const simulator = await startTestSimulator(hook.url);
  const { mid } = await simulator.personSends("login");
  const [one] = await hook.waitForWebhooks(1);
  const read = parseInstagramMid(mid);
  expect(read?.accountId).toBe(testAccounts.login.externalId);
  expect(Number((read?.micros ?? 0n) / 1000n)).toBe(one && firstEvent(one).timestamp);
});

test("an event without a subscription is not posted", async () => {
  const hook = await startWebhookReceiver();
  const simulator = await startTestSimulator(hook.url);
  const path = `/facebook_graph/v26.0/${testPage.id}/subscribed_apps`;
  await simulator.ask("POST", path, { subscribed_fields: "message_reads" }, testPage.token);
  expect(await simulator.personSends("messenger")).toMatchObject({ status_of_webhook: "not_subscribed" });
  expect(await simulator.personSends("viaPage")).toMatchObject({ status_of_webhook: "delivered" });
  await simulator.ask("DELETE", path, undefined, testPage.token);
  expect(await simulator.personSends("viaPage")).toMatchObject({ status_of_webhook: "not_subscribed" });
  expect(hook.got).toHaveLength(1);
});

describe("options", () => {
  test("a batch is one body with an entry for each event", async () => {
    const hook = await startWebhookReceiver();
    const simulator = await startTestSimulator(hook.url);
    await simulator.sim("/delivery", { batch: 3 });
    for (const text of ["one", "two"]) await simulator.personSends("login", { text });
    expect(hook.got).toHaveLength(0);
    await simulator.personSends("login", { text: "three" });
    const [one] = await hook.waitForWebhooks(1);
    const texts = one?.body.entry.map(
      (entry: { messaging: { message: { text: string } }[] }) => entry.messaging[0]?.message.text,
    );
    expect(texts).toEqual(["one", "two", "three"]);
  });

  test("an incomplete batch is posted on request", async () => {
    const hook = await startWebhookReceiver();
    const simulator = await startTestSimulator(hook.url);
    await simulator.sim("/delivery", { batch: 50, shuffle: true });
    for (let n = 0; n < 12; n += 1) await simulator.personSends("login", { text: `${n}` });
    await simulator.sim("/deliver-now", {});
    const [one] = await hook.waitForWebhooks(1);
    expect(one?.body.entry).toHaveLength(12);
  });

  test("duplicates are the same bytes again", async () => {
    const hook = await startWebhookReceiver();
    const simulator = await startTestSimulator(hook.url);
    await simulator.sim("/delivery", { duplicate: 2 });
    await simulator.personSends("messenger");
    const three = await hook.waitForWebhooks(3);
    expect(new Set(three.map(({ raw }) => raw)).size).toBe(1);
  });
});

test("a raw payload is posted unchanged and signed for its object", async () => {
  const hook = await startWebhookReceiver();
  const simulator = await startTestSimulator(hook.url);
  const entry = [{ id: "1", time: 5, standby: [{ message: { text: "é" } }] }];
  const answer = await simulator.sim("/raw", { object: "page", entry });
  expect(answer.body).toEqual({ status_of_webhook: "delivered", receiver: 200, webhook: expect.any(String) });
  const [one] = hook.got;
  expect(one).toMatchObject({ path: "/webhooks/messenger", body: { object: "page", entry } });
  expect(one?.headers["x-hub-signature-256"]).toBe(sign(one?.raw ?? "", testSecrets.meta));
});

test("the dashboard's test event has its own format for each object", async () => {
  const hook = await startWebhookReceiver();
  const simulator = await startTestSimulator(hook.url);
  await simulator.sim("/dashboard-test", {});
  await simulator.sim("/dashboard-test", { object: "page" });
  const value = { sender: { id: "12334" }, recipient: { id: "23245" }, timestamp: "1527459824" };
  expect(hook.got[0]?.body.entry).toMatchObject([{ id: "0", changes: [{ field: "messages", value }] }]);
  expect(hook.got[1]?.body.entry).toMatchObject([{ id: "0", messaging: [value] }]);
});

test("the callback is verified only if it returns the challenge", async () => {
  const hook = await startWebhookReceiver();
  const simulator = await startTestSimulator(hook.url);
  hook.settings.challenge = "verify-me";
  expect((await simulator.sim("/verify", {})).body).toEqual({ verified: true, receiver: 200 });
  const wrong = await simulator.sim("/verify", { object: "page", verify_token: "wrong" });
  expect(wrong.body).toEqual({ verified: false, receiver: 403 });
});
