import { expect, test } from "vitest";
import { startTestSimulator, startWebhookReceiver, testAccounts, testPage, testSecrets } from "../simulator-fixture.ts";
import { callback, testApps, testLogin } from "./login-fixture.ts";

const { login } = testAccounts;
const instagramMe = "/instagram_graph/v26.0/me";

async function startFaults() {
  const hook = await startWebhookReceiver();
  const simulator = await startTestSimulator(hook.url);
  const logins = testLogin(simulator);
  return {
    simulator,
    ...logins,
    code: () => logins.codeAt(logins.instagramUrl({ sim_consent: "auto" })),
    fault: (mode: string, fields: object = {}) => simulator.sim("/faults", { mode, on: "logins", for: 1, ...fields }),
    /** The raw body and status of a call. */
    raw: async (path: string, token: string = login.token) => {
      const answer = await fetch(`${simulator.url}${path}`, { headers: { Authorization: `Bearer ${token}` } });
      return { status: answer.status, bytes: Buffer.from(await answer.arrayBuffer()) };
    },
  };
}

test("a fault of logins alters the exchange: an error, HTML, a byte order mark, an error with 200, a large body", async () => {
  const { fault, code, exchangeInstagram } = await startFaults();
  await fault("5xx");
  expect((await exchangeInstagram(await code())).status).toBe(500);
  await fault("html");
  expect((await exchangeInstagram(await code())).text).toMatch(/^<!doctype html>/);
  await fault("error_in_200");
  const lie = await exchangeInstagram(await code());
  expect(lie.status).toBe(200);
  expect(JSON.parse(lie.text).error.code).toBe(2);
  await fault("huge_body");
  const huge = await exchangeInstagram(await code());
  expect(huge.text.length).toBeGreaterThan(10_000_000);
  expect(JSON.parse(huge.text).data).toHaveLength(1);
  await fault("malformed_json");
  const malformed = await exchangeInstagram(await code());
  expect(() => JSON.parse(malformed.text)).toThrow(SyntaxError);
  expect((await exchangeInstagram(await code())).status).toBe(200);
});

test("a fault of logins cuts the connection before or after the code was used", async () => {
  const { fault, code, exchangeInstagram } = await startFaults();
  const used = await code();
  await fault("reset_after_accept");
  await expect(exchangeInstagram(used)).rejects.toThrow("fetch failed");
  expect((await exchangeInstagram(used)).status).toBe(400);
  const unused = await code();
  await fault("reset_before_accept");
  await expect(exchangeInstagram(unused)).rejects.toThrow("fetch failed");
  expect((await exchangeInstagram(unused)).status).toBe(200);
});

test("a fault of logins can be set for the n-th call of a login: exchange, long token, Pages", async () => {
  const { simulator, fault, codeAt, facebookUrl, exchangeFacebook, pages } = await startFaults();
  for (const skip of [0, 1, 2]) {
    const code = await codeAt(facebookUrl({ sim_consent: "auto" }));
    await fault("5xx", { skip });
    const statuses: number[] = [];
    const short = await exchangeFacebook({ redirect_uri: callback, code });
    statuses.push(short.status);
    const { access_token: token } = short.body;
    if (token !== undefined) {
      const long = await exchangeFacebook({ grant_type: "fb_exchange_token", fb_exchange_token: token });
      statuses.push(long.status);
      if (long.status === 200) statuses.push((await pages(long.body.access_token)).error === undefined ? 200 : 500);
    }
    expect(statuses).toEqual([...Array(skip).fill(200), 500]);
  }
  expect((await simulator.get("/_sim/state")).body.fault.mode).toBe("none");
});

test("a fault of logins does not alter sends and subscriptions", async () => {
  const { simulator, fault } = await startFaults();
  await fault("5xx");
  const { person } = await simulator.personSends("login");
  expect((await simulator.sendToPerson("login", person)).status).toBe(200);
  expect((await simulator.get(`${instagramMe}/subscribed_apps`, login.token)).status).toBe(200);
  expect((await simulator.get(`${instagramMe}?fields=user_id`, login.token)).status).toBe(500);
});

const asking = encodeURIComponent(`${testApps.meta}|${testSecrets.meta}`);

test.each([
  ["the subscription", `${instagramMe}/subscribed_apps`],
  ["the account", `${instagramMe}?fields=user_id`],
  ["the threads", `${instagramMe}/conversations`],
  ["debug_token", `/facebook_graph/debug_token?input_token=${testPage.token}&access_token=${asking}`],
  ["a refresh", "/instagram_graph/refresh_access_token?grant_type=ig_refresh_token"],
])("a fault of account calls alters the read of %s", async (_name, path) => {
  const { simulator, fault, raw } = await startFaults();
  await simulator.sim("/clock", { offset_ms: 25 * 3_600_000 });
  const token = path.includes("debug_token") ? "" : login.token;
  expect((await raw(path, token)).status).toBe(200);
  await fault("rate_limited", { on: "accounts" });
  expect(JSON.parse(String((await raw(path, token)).bytes)).error.code).toBe(613);
  await fault("bom", { on: "accounts" });
  const { status, bytes } = await raw(path, token);
  expect(status).toBe(200);
  expect(bytes.subarray(0, 3).toString("hex")).toBe("efbbbf");
  await fault("error", { on: "accounts", code: 190, subcode: 459 });
  expect(JSON.parse(String((await raw(path, token)).bytes)).error).toMatchObject({ code: 190, error_subcode: 459 });
});

test("a fault of account calls leaves profiles, sends and exchanges as they are", async () => {
  const { simulator, fault, code, exchangeInstagram } = await startFaults();
  const { person } = await simulator.personSends("login");
  await fault("5xx", { on: "accounts" });
  expect((await simulator.get(`/instagram_graph/v26.0/${person}`, login.token)).status).toBe(200);
  expect((await simulator.sendToPerson("login", person)).status).toBe(200);
  expect((await exchangeInstagram(await code())).status).toBe(200);
});

test("a fault of account calls subscribes although the answer is lost", async () => {
  const { simulator, fault } = await startFaults();
  const path = `${instagramMe}/subscribed_apps`;
  await simulator.ask("DELETE", path, undefined, login.token);
  await fault("reset_after_accept", { on: "accounts" });
  await expect(simulator.ask("POST", `${path}?subscribed_fields=messages`, undefined, login.token)).rejects.toThrow(
    "fetch failed",
  );
  expect((await simulator.get(path, login.token)).body.data).toMatchObject([{ subscribed_fields: ["messages"] }]);
});
