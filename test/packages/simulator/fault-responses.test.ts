import { describe, expect, test } from "vitest";
import { isEcho, startTestSimulator, startWebhookReceiver, testAccounts } from "./simulator-fixture.ts";

async function startWithPerson(name: keyof typeof testAccounts = "login") {
  const hook = await startWebhookReceiver();
  const simulator = await startTestSimulator(hook.url);
  const { person } = await simulator.personSends(name);
  return { hook, simulator, person: person as string };
}

const humanAgentTag = { messaging_type: "MESSAGE_TAG", tag: "HUMAN_AGENT" };

/** Sends without reading the answer as JSON. */
function rawSend(url: string, person: string, signal = AbortSignal.timeout(20_000)): Promise<Response> {
  return fetch(`${url}/instagram_graph/v26.0/me/messages`, {
    method: "POST",
    headers: { Authorization: `Bearer ${testAccounts.login.token}` },
    body: JSON.stringify({ recipient: { id: person }, message: { text: "Hi" } }),
    signal,
  });
}

describe("a requested error", () => {
  test.each([
    ["app_removed", { code: 190, error_subcode: 458 }],
    ["checkpoint", { code: 190, error_subcode: 459 }],
    ["unconfirmed", { code: 190, error_subcode: 464 }],
    ["token_invalid", { code: 190, error_subcode: 467 }],
    ["permission", { code: 10 }],
    ["link_broken", { code: 10, error_subcode: 2534077 }],
    ["transient", { code: 2, is_transient: true }],
    ["tag_abuse", { code: 613, error_subcode: 2018338 }],
    ["person_unavailable", { code: 551, error_subcode: 1545041 }],
    ["fetch_failed", { code: 100, error_subcode: 2018008 }],
  ])("%s applies once and sends nothing", async (mode, error) => {
    const { simulator, person } = await startWithPerson();
    await simulator.sim("/faults", { mode, for: 1 });
    expect(await simulator.sendToPerson("login", person)).toMatchObject({ status: 400, body: { error } });
    expect((await simulator.get("/_sim/sent")).body.sent).toEqual([]);
    expect((await simulator.sendToPerson("login", person)).status).toBe(200);
  });

  test.each([
    ["thread_owner", "messenger", { code: 2018300 }],
    ["thread_owner", "viaPage", { code: 100, error_subcode: 2534037 }],
    ["unknown_person", "messenger", { code: 100, error_subcode: 2018001 }],
    ["unknown_person", "login", { code: 100, error_subcode: 2534014 }],
    ["outside_window", "messenger", { code: 10, error_subcode: 2018278 }],
    ["outside_window", "login", { code: 10, error_subcode: 2534022 }],
  ] as const)("%s has the error codes of its channel on %s", async (mode, name, error) => {
    const { simulator, person } = await startWithPerson(name);
    await simulator.sim("/faults", { mode });
    expect((await simulator.sendToPerson(name, person)).body.error).toMatchObject(error);
  });

  test("a requested error may have any code, subcode and status", async () => {
    const { simulator, person } = await startWithPerson();
    await simulator.sim("/faults", { mode: "error", code: 200, subcode: 2534041, status: 403 });
    expect(await simulator.sendToPerson("login", person)).toMatchObject({
      status: 403,
      body: { error: { code: 200, error_subcode: 2534041, message: expect.stringContaining("(#200)") } },
    });
    await simulator.sim("/faults", { mode: "error", code: 36103 });
    expect((await simulator.sendToPerson("login", person)).body.error).toMatchObject({ code: 36103 });
    const without = await simulator.sim("/faults", { mode: "error" });
    expect([without.status, without.body.error]).toEqual([400, expect.stringContaining("code is missing")]);
  });

  test("rate_limited names the requested minutes", async () => {
    const { simulator, person } = await startWithPerson();
    await simulator.sim("/faults", { mode: "rate_limited", minutes: 17 });
    const { headers } = await simulator.sendToPerson("login", person);
    const usage = JSON.parse(headers.get("X-Business-Use-Case-Usage") ?? "{}");
    expect(usage[testAccounts.login.externalId][0].estimated_time_to_regain_access).toBe(17);
  });

  test("no_human_agent does not apply to a message without the tag", async () => {
    const { simulator, person } = await startWithPerson();
    await simulator.sim("/faults", { mode: "no_human_agent" });
    const { error } = (await simulator.sendToPerson("login", person, humanAgentTag)).body;
    expect(error).toMatchObject({ code: 10 });
    expect(error.error_subcode).toBeUndefined();
    expect((await simulator.sendToPerson("login", person)).status).toBe(200);
  });
});

describe("an accepted send with an altered response", () => {
  test.each(["reset_after_accept", "hang_after_accept"])("%s sends no response but sends the echo", async (mode) => {
    const { hook, simulator, person } = await startWithPerson();
    await simulator.sim("/faults", { mode, for: 1 });
    const end = new AbortController();
    const pendingRequest = rawSend(simulator.url, person, end.signal).catch((error: unknown) => error);
    await hook.waitForWebhooks(1, isEcho);
    expect((await simulator.get("/_sim/sent")).body.sent).toHaveLength(1);
    end.abort();
    expect(await pendingRequest).toBeInstanceOf(Error);
  });

  test("malformed_json is truncated, huge_body is over 10 MB", async () => {
    const { hook, simulator, person } = await startWithPerson();
    await simulator.sim("/faults", { mode: "malformed_json", for: 1 });
    const broken = await rawSend(simulator.url, person);
    expect(broken.status).toBe(200);
    const text = await broken.text();
    expect(text).toContain("message_id");
    expect(() => JSON.parse(text)).toThrow(SyntaxError);
    await simulator.sim("/faults", { mode: "huge_body", for: 1 });
    expect((await (await rawSend(simulator.url, person)).text()).length).toBeGreaterThan(10 * 1024 * 1024);
    await hook.waitForWebhooks(2, isEcho);
  });
});

test("reset_before_accept cuts the connection and accepts nothing", async () => {
  const { simulator, person } = await startWithPerson();
  await simulator.sim("/faults", { mode: "reset_before_accept", for: 1 });
  await expect(rawSend(simulator.url, person)).rejects.toThrow("fetch failed");
  expect((await simulator.get("/_sim/sent")).body.sent).toEqual([]);
  expect((await simulator.sendToPerson("login", person)).status).toBe(200);
});
