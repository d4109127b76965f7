import { expect, test } from "vitest";
import { startTestSimulator, startWebhookReceiver, testAccounts } from "./simulator-fixture.ts";

const minute = 60_000;
const hour = 60 * minute;

async function startFailing() {
  const hook = await startWebhookReceiver();
  const simulator = await startTestSimulator(hook.url);
  hook.settings.status = 500;
  const state = async () => (await simulator.get("/_sim/state")).body;
  const attempts = () => hook.got.length;
  /** Advances the clock and waits for the attempts that are then due. */
  const advance = async (by: number) => {
    const before = attempts();
    await simulator.sim("/clock", { advance_ms: by });
    await expect.poll(attempts).toBeGreaterThan(before);
  };
  return { hook, simulator, state, advance };
}
const page = testAccounts.messenger.pageId;
const { externalId, connection } = testAccounts.messenger;

test("each retry follows the simulator's clock", async () => {
  const { hook, simulator, advance, state } = await startFailing();
  await simulator.personSends("messenger");
  await expect.poll(() => hook.got.length).toBeGreaterThanOrEqual(3);
  hook.settings.status = 200;
  await advance(2 * minute);
  await expect.poll(async () => (await state()).pending).toEqual([]);
});

test("an hour of failed webhooks ends the subscription, and its waiting webhooks are lost", async () => {
  const { simulator, state, advance, hook } = await startFailing();
  const { mid } = await simulator.personSends("messenger");
  await advance(59 * minute);
  await expect.poll(async () => (await state()).failing[page]).toBeTypeOf("number");
  expect((await state()).subscriptions[page]).toContain("messages");
  await advance(2 * minute);
  await expect.poll(async () => (await state()).subscriptions[page]).toBeUndefined();
  const ended = await state();
  expect(ended.ended[page]).toBeTypeOf("number");
  expect(ended.pending).toEqual([]);
  expect(ended.threads[0].messages[0]).toMatchObject({ mid, webhook: "lost" });
  // The other account's subscription is another one.
  expect(ended.subscriptions[testAccounts.login.externalId]).toContain("messages");

  hook.settings.status = 200;
  expect((await simulator.personSends("messenger", { text: "Unheard" })).status_of_webhook).toBe("not_subscribed");
  const listed = await simulator.get("/facebook_graph/v26.0/me/subscribed_apps", testAccounts.messenger.token);
  expect(listed.body.data).toEqual([]);

  const again = await simulator.sim("/subscriptions", { account: externalId, connection });
  expect(again.body.fields).toContain("message_echoes");
  expect((await state()).ended).toEqual({});
  expect((await simulator.personSends("messenger", { text: "Heard" })).status_of_webhook).toBe("delivered");
});

test("an app that subscribes by call after the end gets webhooks again", async () => {
  const { simulator, state, advance } = await startFailing();
  await simulator.personSends("login");
  await advance(61 * minute);
  const { externalId: id, token } = testAccounts.login;
  await expect.poll(async () => (await state()).ended[id]).toBeTypeOf("number");
  await simulator.ask("POST", "/instagram_graph/me/subscribed_apps", { subscribed_fields: ["messages"] }, token);
  expect(await state()).toMatchObject({ ended: {}, subscriptions: { [id]: ["messages"] } });
});

test("one webhook answered with 200 starts the hour again", async () => {
  const { hook, simulator, state, advance } = await startFailing();
  await simulator.personSends("messenger");
  await advance(40 * minute);
  hook.settings.status = 200;
  await advance(10 * minute);
  await expect.poll(async () => (await state()).failing).toEqual({});
  hook.settings.status = 500;
  await simulator.personSends("messenger", { text: "Later" });
  await advance(30 * minute);
  expect((await state()).subscriptions[page]).toContain("messages");
});

test("a clock that advances by days ends nothing if no webhook waits", async () => {
  const { hook, simulator, state } = await startFailing();
  hook.settings.status = 200;
  await simulator.personSends("messenger");
  await simulator.sim("/clock", { advance_ms: 48 * hour });
  expect((await state()).ended).toEqual({});
});
