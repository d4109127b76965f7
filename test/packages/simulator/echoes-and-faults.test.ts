import { describe, expect, test } from "vitest";
import { firstEvent, isEcho, startTestSimulator, startWebhookReceiver, testAccounts } from "./simulator-fixture.ts";

async function startWithPerson(name: keyof typeof testAccounts = "login") {
  const hook = await startWebhookReceiver();
  const simulator = await startTestSimulator(hook.url, { appId: "4242" });
  const { person } = await simulator.personSends(name);
  return { hook, simulator, person: person as string };
}

describe("echoes", () => {
  test("Messenger's echo names the app and returns the metadata", async () => {
    const { hook, simulator, person } = await startWithPerson("messenger");
    const message = { text: "Hi", metadata: "record-1" };
    const { body } = await simulator.sendToPerson("messenger", person, { message });
    const [one] = await hook.waitForWebhooks(1, isEcho);
    expect(one && firstEvent(one)).toMatchObject({
      sender: { id: testAccounts.messenger.externalId },
      recipient: { id: person },
      message: { mid: body.message_id, is_echo: true, app_id: 4242, metadata: "record-1", text: "Hi" },
    });
  });

  test("Instagram's echo is in the messages field and names no app", async () => {
    const { hook, simulator, person } = await startWithPerson("login");
    const { body } = await simulator.sendToPerson("login", person, { message: { text: "Hi", metadata: "record-1" } });
    const [one] = await hook.waitForWebhooks(1, isEcho);
    expect(one?.path).toBe("/webhooks/instagram");
    expect(one && firstEvent(one).message).toEqual({ mid: body.message_id, is_echo: true, text: "Hi" });
  });

  test("the echo follows the response, or precedes it with the fault echo_first", async () => {
    const { hook, simulator, person } = await startWithPerson();
    await simulator.sendToPerson("login", person);
    expect(hook.got.filter(isEcho)).toHaveLength(0);
    await hook.waitForWebhooks(1, isEcho);
    await simulator.sim("/faults", { mode: "echo_first", for: 1 });
    await simulator.sendToPerson("login", person);
    expect(hook.got.filter(isEcho)).toHaveLength(2);
    await simulator.sendToPerson("login", person);
    expect(hook.got.filter(isEcho)).toHaveLength(2);
    await hook.waitForWebhooks(3, isEcho);
  });

  test("no echo is sent with the fault no_echo", async () => {
    const { hook, simulator, person } = await startWithPerson();
    await simulator.sim("/faults", { mode: "no_echo", for: 1 });
    const first = await simulator.sendToPerson("login", person, { message: { text: "unheard" } });
    expect(first.status).toBe(200);
    await simulator.sendToPerson("login", person, { message: { text: "heard" } });
    const echoes = await hook.waitForWebhooks(1, isEcho);
    expect(echoes.map((one) => firstEvent(one).message.text)).toEqual(["heard"]);
    expect((await simulator.get("/_sim/state")).body.pending).toEqual([]);
  });
});

describe("faults", () => {
  test.each([
    ["token_revoked", 400, { code: 190, error_subcode: 460 }],
    ["expired", 400, { code: 190, error_subcode: 463 }],
    ["rate_limited", 400, { code: 613 }],
    ["restricted", 400, { code: 10, error_subcode: 1893063 }],
    ["5xx", 500, { code: 2, is_transient: true }],
  ])("%s applies as often as requested, then no longer", async (mode, status, error) => {
    const { simulator, person } = await startWithPerson();
    await simulator.sim("/faults", { mode, for: 2 });
    for (let n = 0; n < 2; n += 1) {
      expect(await simulator.sendToPerson("login", person)).toMatchObject({ status, body: { error } });
    }
    expect((await simulator.get("/_sim/sent")).body.sent).toEqual([]);
    expect((await simulator.sendToPerson("login", person)).status).toBe(200);
  });

  test("a rate limit names the time when access returns", async () => {
    const { simulator, person } = await startWithPerson();
    await simulator.sim("/faults", { mode: "rate_limited" });
    const { headers } = await simulator.sendToPerson("login", person);
    const usage = JSON.parse(headers.get("X-Business-Use-Case-Usage") ?? "{}");
    expect(usage[testAccounts.login.externalId][0].estimated_time_to_regain_access).toBe(1);
    expect(JSON.parse(headers.get("X-App-Usage") ?? "{}").call_count).toBe(100);
  });

  test("a fault applies to sends only, unless its target is all calls", async () => {
    const { simulator } = await startWithPerson();
    const me = () => simulator.get("/instagram_graph/v26.0/me?fields=id", testAccounts.login.token);
    await simulator.sim("/faults", { mode: "token_revoked" });
    expect((await me()).status).toBe(200);
    await simulator.sim("/faults", { mode: "token_revoked", on: "calls" });
    expect((await me()).body.error).toMatchObject({ code: 190, error_subcode: 460 });
    await simulator.sim("/faults", { mode: "none" });
    expect((await me()).status).toBe(200);
  });

  test("reset_after_accept cuts the connection although the message was sent", async () => {
    const { hook, simulator, person } = await startWithPerson();
    await simulator.sim("/faults", { mode: "reset_after_accept", for: 1 });
    await expect(simulator.sendToPerson("login", person)).rejects.toThrow("fetch failed");
    expect((await simulator.get("/_sim/sent")).body.sent).toHaveLength(1);
    await hook.waitForWebhooks(1, isEcho);
  });

  test("the fault hang never answers and accepts nothing", async () => {
    const { simulator, person } = await startWithPerson();
    await simulator.sim("/faults", { mode: "hang", for: 1 });
    const pendingRequest = fetch(`${simulator.url}/instagram_graph/v26.0/me/messages`, {
      method: "POST",
      headers: { Authorization: `Bearer ${testAccounts.login.token}` },
      body: JSON.stringify({ recipient: { id: person }, message: { text: "Hi" } }),
      signal: AbortSignal.timeout(400),
    });
    await expect(pendingRequest).rejects.toThrow(/timeout/i);
    expect((await simulator.get("/_sim/sent")).body.sent).toEqual([]);
  });
});
