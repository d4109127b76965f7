import { expect, test } from "vitest";
import { startTestSimulator, startWebhookReceiver, testAccounts, testPage } from "../simulator-fixture.ts";
import { testLogin } from "./login-fixture.ts";

const { login, viaPage, messenger } = testAccounts;
const hour = 3_600_000;

async function start() {
  const hook = await startWebhookReceiver();
  const simulator = await startTestSimulator(hook.url);
  const me = (account: keyof typeof testAccounts) =>
    simulator.get(`/${account === "login" ? "instagram" : "facebook"}_graph/me`, testAccounts[account].token);
  return { simulator, hook, me };
}

test.each([
  ["expire", 463],
  ["revoke", 460],
  ["checkpoint", 459],
  ["remove_app", 458],
])("%s: refused with subcode %i until they are restored", async (action, subcode) => {
  const { simulator, me } = await start();
  for (const account of ["login", "messenger"] as const) {
    const { externalId, connection } = testAccounts[account];
    const { body } = await simulator.sim("/tokens", { account: externalId, connection, action });
    expect(body.tokens).toMatchObject([{ refused_with: subcode }]);
    expect(JSON.stringify(body)).not.toContain(testAccounts[account].token);
    expect((await me(account)).body.error).toMatchObject({ code: 190, error_subcode: subcode });
    await simulator.sim("/tokens", { account: externalId, connection, action: "restore" });
    expect((await me(account)).status).toBe(200);
  }
});

test("the tokens of an account end after the time that is set", async () => {
  const { simulator, me } = await start();
  await simulator.sim("/tokens", { account: login.externalId, life_ms: hour });
  expect((await me("login")).status).toBe(200);
  await simulator.sim("/clock", { offset_ms: hour });
  expect((await me("login")).body.error.error_subcode).toBe(463);
});

test("the tokens of an account of one Facebook user are revoked, and not those of another", async () => {
  const { simulator, me } = await start();
  const { userToken, pages } = testLogin(simulator);
  const noor = "10150000000000002";
  const token = await userToken({ sim_user: noor });
  const [page] = (await pages(token)).data;
  await simulator.sim("/tokens", { user: noor, action: "revoke" });
  expect((await pages(token)).error.code).toBe(190);
  expect((await simulator.get("/facebook_graph/me", page.access_token)).body.error.code).toBe(190);
  expect((await me("messenger")).status).toBe(200);
});

test("the tokens of an account need an action or a time", async () => {
  const { simulator } = await start();
  const answer = await simulator.sim("/tokens", { account: login.externalId });
  expect(answer).toMatchObject({ status: 400, body: { error: expect.stringContaining("checkpoint") } });
});

test("a restriction refuses the sends of one account with 10/1893063 until it is over", async () => {
  const { simulator } = await start();
  const { person } = await simulator.personSends("messenger");
  const other = await simulator.personSends("viaPage");
  await simulator.sim("/restrictions", { account: messenger.externalId, connection: "messenger", minutes: 60 });
  const send = () => simulator.sendToPerson("messenger", person);
  expect((await send()).body.error).toMatchObject({ code: 10, error_subcode: 1_893_063 });
  expect((await simulator.sendToPerson("viaPage", other.person)).status).toBe(200);
  await simulator.sim("/clock", { offset_ms: hour + 1_000 });
  expect((await send()).status).toBe(200);
  const { body } = await simulator.sim("/restrictions", { account: messenger.externalId, connection: "messenger" });
  expect(body.restricted_until).toEqual(expect.any(Number));
  await simulator.sim("/restrictions", { account: messenger.externalId, connection: "messenger", minutes: 0 });
  expect((await send()).status).toBe(200);
});

test("a subscription is ended by hand, and the page's accounts share it", async () => {
  const { simulator, hook } = await start();
  await simulator.sim("/subscriptions", { account: viaPage.externalId, subscribed: false });
  const path = `/facebook_graph/${testPage.id}/subscribed_apps`;
  expect((await simulator.get(path, testPage.token)).body.data).toEqual([]);
  expect(await simulator.personSends("messenger")).toMatchObject({ status_of_webhook: "not_subscribed" });
  expect(hook.got).toEqual([]);
  const { ended } = (await simulator.get("/_sim/state")).body;
  expect(ended[testPage.id]).toEqual(expect.any(Number));
  await simulator.sim("/subscriptions", { account: viaPage.externalId });
  expect((await simulator.personSends("messenger")).status_of_webhook).toBe("delivered");
});

test("an account is added that the app is not connected to", async () => {
  const { simulator } = await start();
  const account = { connection: "instagram_login", externalId: "178414999", handle: "new", displayName: "New" };
  expect((await simulator.sim("/accounts", { ...account, isConnected: false })).status).toBe(200);
  const { subscriptions, tokens } = (await simulator.get("/_sim/state")).body;
  expect(subscriptions).not.toHaveProperty(account.externalId);
  expect(tokens.some(({ subject }: { subject: string }) => subject === account.externalId)).toBe(false);
});
