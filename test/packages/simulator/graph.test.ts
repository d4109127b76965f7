import { createHmac } from "node:crypto";
import { describe, expect, test } from "vitest";
import { startTestSimulator, startWebhookReceiver, testAccounts, testPage, testSecrets } from "./simulator-fixture.ts";

const { login, viaPage } = testAccounts;
const hour = 3_600_000;

async function startWithPerson() {
  const hook = await startWebhookReceiver();
  return startTestSimulator(hook.url);
}

describe("profiles", () => {
  test("an account reads itself: user_id is the webhooks' id, id is another", async () => {
    const simulator = await startWithPerson();
    const { body } = await simulator.get("/instagram_graph/v26.0/me?fields=user_id,username,name,id", login.token);
    expect(body).toMatchObject({ user_id: login.externalId, username: "bakery", name: "Bakery" });
    expect(body.id).not.toBe(login.externalId);
    const fields = "fields=id,name,instagram_business_account{id,username}";
    expect((await simulator.get(`/facebook_graph/v26.0/me?${fields}`, testPage.token)).body).toEqual({
      id: testPage.id,
      name: "Bikes",
      instagram_business_account: { id: viaPage.externalId, username: "bikes" },
    });
  });

  test("a person who wrote can be read, with the fields of the platform", async () => {
    const simulator = await startWithPerson();
    const insta = await simulator.personSends("login", { person: "Ada Lind" });
    const path = `/instagram_graph/v26.0/${insta.person}?fields=name,username,profile_pic,follower_count`;
    expect((await simulator.get(path, login.token)).body).toMatchObject({ name: "Ada Lind", username: "ada.lind" });
    const face = await simulator.personSends("messenger", { person: "Ada Lind" });
    const names = `/facebook_graph/v26.0/${face.person}?fields=first_name,last_name`;
    expect((await simulator.get(names, testPage.token)).body).toEqual({
      first_name: "Ada",
      last_name: "Lind",
      id: face.person,
    });
    const wrong = `/facebook_graph/v26.0/${face.person}?fields=username`;
    expect((await simulator.get(wrong, testPage.token)).body.error).toMatchObject({ code: 100 });
    expect((await simulator.get(names, login.token)).body.error).toMatchObject({ code: 190 });
  });

  test("a person who never wrote, has no profile or is unknown cannot be read", async () => {
    const simulator = await startWithPerson();
    const quiet = (await simulator.sim("/people", { account: login.externalId, name: "Quiet" })).body;
    const read = (host: string, id: string, token: string) => simulator.get(`/${host}_graph/v26.0/${id}`, token);
    expect((await read("instagram", quiet.id, login.token)).body.error).toMatchObject({ code: 230 });
    const phone = await simulator.personSends("messenger");
    await simulator.sim("/people", { account: testPage.id, person: phone.person, profile: false });
    expect((await read("facebook", phone.person, testPage.token)).body.error).toMatchObject({ error_subcode: 2018218 });
    expect((await read("facebook", "12", testPage.token)).body.error).toMatchObject({ code: 100, error_subcode: 33 });
  });

  test("a person without a name or without a picture can be read", async () => {
    const simulator = await startWithPerson();
    const insta = await simulator.personSends("login", { person: "Ada Lind" });
    await simulator.sim("/people", { account: login.externalId, person: insta.person, nameless: true, picture: false });
    const path = `/instagram_graph/v26.0/${insta.person}?fields=name,username,profile_pic`;
    expect((await simulator.get(path, login.token)).body).toEqual({ id: insta.person });
    const face = await simulator.personSends("messenger", { person: "Ada Lind" });
    await simulator.sim("/people", { account: testPage.id, person: face.person, nameless: true, picture: false });
    const names = `/facebook_graph/v26.0/${face.person}?fields=first_name,last_name,profile_pic`;
    expect((await simulator.get(names, testPage.token)).body).toEqual({ id: face.person });
  });

  test.each([
    ["login", "instagram", login.token, /\?oe=([\dA-F]{8})$/, 16],
    ["messenger", "facebook", testPage.token, /\?ext=(\d{10})$/, 10],
  ] as const)(
    "a picture (%s) has a URL with an expiry time, and expires then",
    async (name, host, token, end, radix) => {
      const simulator = await startWithPerson();
      const { person } = await simulator.personSends(name, { person: "Ada Lind" });
      const picture = async (): Promise<string> =>
        (await simulator.get(`/${host}_graph/v26.0/${person}?fields=profile_pic`, token)).body.profile_pic;
      const url = await picture();
      const seconds = Number.parseInt(end.exec(url)?.[1] ?? "", radix);
      expect(Math.abs(seconds * 1_000 - Date.now() - 36 * hour)).toBeLessThan(10_000);
      expect((await fetch(url)).status).toBe(200);
      await simulator.sim("/clock", { offset_ms: 36 * hour });
      expect((await fetch(url)).status).toBe(403);
      expect((await fetch(await picture())).status).toBe(200);
    },
  );

  test("a proof with the wrong secret is rejected", async () => {
    const simulator = await startWithPerson();
    const proof = (secret: string) => createHmac("sha256", secret).update(testPage.token).digest("hex");
    const me = (secret: string) => simulator.get(`/facebook_graph/me?appsecret_proof=${proof(secret)}`, testPage.token);
    expect((await me(testSecrets.meta)).status).toBe(200);
    expect((await me("other")).body.error.message).toContain("Invalid appsecret_proof");
  });
});

test.each([
  ["instagram", login.externalId, login.token, "messages,messaging_seen"],
  ["facebook", testPage.id, testPage.token, "messages,message_echoes"],
])("subscriptions are set, listed and removed on the %s host", async (host, node, token, fields) => {
  const simulator = await startWithPerson();
  const path = `/${host}_graph/v26.0/${node}/subscribed_apps`;
  const set = await simulator.ask("POST", `${path}?subscribed_fields=${fields}`, undefined, token);
  expect(set.body).toEqual({ success: true });
  expect((await simulator.get(path, token)).body.data).toMatchObject([{ subscribed_fields: fields.split(",") }]);
  expect((await simulator.ask("DELETE", path, undefined, token)).body).toEqual({ success: true });
  expect((await simulator.get(path, token)).body).toEqual({ data: [] });
});

test("an unknown field is rejected by its index, and nothing changes", async () => {
  const simulator = await startWithPerson();
  const path = `/facebook_graph/v26.0/${testPage.id}/subscribed_apps`;
  const before = (await simulator.get(path, testPage.token)).body;
  const body = { subscribed_fields: ["messages", "message_reads", "messaging_seen"] };
  const { error } = (await simulator.ask("POST", path, body, testPage.token)).body;
  expect(error.message).toMatch(/^\(#100\) Param subscribed_fields\[2\] must be one of \{feed, /);
  expect((await simulator.get(path, testPage.token)).body).toEqual(before);
});

describe("tokens", () => {
  test("an Instagram token can be refreshed after one day and until it expires", async () => {
    const simulator = await startWithPerson();
    const path = "/instagram_graph/refresh_access_token?grant_type=ig_refresh_token";
    expect((await simulator.get(`${path}&access_token=${login.token}`)).body.error).toMatchObject({ code: 100 });
    await simulator.sim("/clock", { offset_ms: 24 * hour });
    const { body } = await simulator.get(path, login.token);
    expect(body).toMatchObject({ token_type: "bearer", access_token: expect.stringMatching(/^IGAA/) });
    expect(body.expires_in).toBeGreaterThan(5_183_000);
    await simulator.sim("/clock", { offset_ms: 60 * 24 * hour + 5_000 });
    const response = await simulator.get("/instagram_graph/me", login.token);
    expect(response.body.error).toMatchObject({ code: 190, error_subcode: 463 });
    expect((await simulator.get(path, login.token)).body.error).toMatchObject({ code: 190 });
    expect((await simulator.get("/instagram_graph/me", body.access_token)).status).toBe(200);
  });

  test("debug_token distinguishes active from inactive tokens", async () => {
    const simulator = await startWithPerson();
    const asking = encodeURIComponent(`151777648186011|${testSecrets.meta}`);
    const debug = async (token: string) =>
      (await simulator.get(`/facebook_graph/debug_token?input_token=${token}&access_token=${asking}`)).body.data;
    expect(await debug(testPage.token)).toMatchObject({
      type: "PAGE",
      is_valid: true,
      expires_at: 0,
      profile_id: testPage.id,
    });
    expect(await debug("nonsense")).toMatchObject({ is_valid: false, error: { code: 190 } });
    const refused = await simulator.get(`/facebook_graph/debug_token?input_token=${testPage.token}&access_token=no`);
    expect(refused.body.error.code).toBe(190);
  });
});
