import { describe, expect, test } from "vitest";
import { unconnectedAccounts } from "../../../../packages/simulator/src/world/seed.ts";
import { startTestSimulator, startWebhookReceiver, testAccounts, testPage, testSecrets } from "../simulator-fixture.ts";
import { callback, facebookScopes, testApps, testLogin } from "./login-fixture.ts";

const { login, viaPage } = testAccounts;
const [sam, noor] = ["10150000000000001", "10150000000000002"] as const;

async function startLogins() {
  const hook = await startWebhookReceiver();
  const simulator = await startTestSimulator(hook.url, {
    accounts: [...Object.values(testAccounts), ...unconnectedAccounts],
  });
  return { simulator, ...testLogin(simulator) };
}

test("the consent page of Instagram shows the accounts and scopes, and grants what its form says", async () => {
  const { open, instagramUrl, exchangeInstagram } = await startLogins();
  const url = instagramUrl();
  const { status, page } = await open(url);
  expect(status).toBe(200);
  expect(page).toContain("<title>Log in with Instagram · Platform simulator</title>");
  expect(page).toContain("@fern.and.field");
  expect(page).toContain("Fern &amp; Field");
  expect(page).not.toContain("<script");

  const { to } = await open(url, { decision: "allow", subject: "17841402200110044" });
  expect(to?.hash).toBe("#_");
  expect(to?.searchParams.get("state")).toBe("s");
  const token = JSON.parse((await exchangeInstagram(to?.searchParams.get("code") ?? "")).text).data[0];
  expect(token).toMatchObject({ user_id: "17841402200110044", permissions: "instagram_business_basic" });
});

test("the consent page of Facebook shows users and Pages, and grants the Pages and scopes that are checked", async () => {
  const { open, facebookUrl, exchangeFacebook, pages } = await startLogins();
  const url = facebookUrl();
  const { page } = await open(url);
  expect(page).toContain("Noor Haddad");
  expect(page).toContain("No messaging task");
  expect(page).toContain("No linked Instagram account");
  expect(page).toContain("Instagram: @copper.kettle");
  const form = { decision: "allow", subject: noor, page_106631254400117: "on", scope_pages_show_list: "on" };
  const { to } = await open(url, form);
  expect(to?.hash).toBe("#_=_");
  const code = to?.searchParams.get("code") ?? "";
  const { access_token: token } = (await exchangeFacebook({ redirect_uri: callback, code })).body;
  // Without instagram_basic, the linked account stays hidden.
  const { data } = await pages(token);
  expect(data.map(({ id }: { id: string }) => id)).toEqual(["106631254400117"]);
  expect(data[0].instagram_business_account).toBeUndefined();
});

test.each(["Instagram", "Facebook"] as const)("the consent page of %s cancels", async (platform) => {
  const { open, instagramUrl, facebookUrl } = await startLogins();
  const url = platform === "Instagram" ? instagramUrl() : facebookUrl();
  const { to } = await open(url, { decision: "deny" });
  expect(to?.searchParams.get("error")).toBe("access_denied");
  expect(to?.searchParams.get("error_reason")).toBe("user_denied");
  expect(to?.searchParams.get("state")).toBe("s");
  expect(to?.searchParams.get("code")).toBeNull();
  expect((await open(`${url}&sim_deny=1`)).to?.searchParams.get("error")).toBe("access_denied");
});

test("the consent page refuses an unknown account", async () => {
  const { open, instagramUrl } = await startLogins();
  const answer = await open(instagramUrl(), { decision: "allow", subject: "1" });
  expect(answer).toMatchObject({ status: 400, to: null });
});

test.each<[Record<string, string>, string]>([
  [{ client_id: "1" }, "client_id"],
  [{ redirect_uri: "javascript:alert(1)" }, "redirect_uri"],
  [{ scope: "business_basic" }, "business_basic"],
  [{ scope: "" }, "scopes"],
  [{ response_type: "token" }, "response_type"],
])("the consent page refuses a request with %j and does not redirect", async (fields, text) => {
  const { open, instagramUrl } = await startLogins();
  const answer = await open(instagramUrl(fields));
  expect(answer).toMatchObject({ status: 400, to: null });
  expect(answer.page).toContain(text);
});

test("the consent page refuses the other app's id on Facebook, and a redirect URI that is not registered", async () => {
  const { open, facebookUrl } = await startLogins();
  expect((await open(facebookUrl({ client_id: testApps.instagram }))).status).toBe(400);
  const strict = await startTestSimulator("http://127.0.0.1:1", { redirectUris: [callback] });
  const at = testLogin(strict);
  expect((await at.open(at.instagramUrl())).status).toBe(200);
  expect((await at.open(at.instagramUrl({ redirect_uri: `${callback}/` }))).status).toBe(400);
});

test("Instagram's exchange gives a token in each known format for a code that is used once, and a long-lived one for that", async () => {
  const { simulator, codeAt, instagramUrl, exchangeInstagram } = await startLogins();
  const code = () => codeAt(instagramUrl({ sim_consent: "auto" }));
  const used = await code();
  const wrapped = JSON.parse((await exchangeInstagram(used)).text);
  expect(wrapped.data).toMatchObject([{ user_id: login.externalId, permissions: expect.any(String) }]);
  const again = await exchangeInstagram(used);
  expect(again.status).toBe(400);
  expect(JSON.parse(again.text)).toMatchObject({ error_type: "OAuthException", code: 400 });
  await simulator.sim("/token-shape", { shape: "numeric" });
  expect((await exchangeInstagram(await code())).text).toContain(`"user_id":${login.externalId},`);
  await simulator.sim("/token-shape", { shape: "flat" });
  const flat = JSON.parse((await exchangeInstagram(await code())).text);
  const query = new URLSearchParams({ grant_type: "ig_exchange_token", client_secret: testSecrets.instagram });
  const long = await simulator.get(`/instagram_graph/access_token?${query}`, flat.access_token);
  expect(long.body.expires_in).toBeGreaterThan(5_183_000);
});

test.each<[Record<string, string>]>([
  [{ client_id: testApps.meta }],
  [{ client_secret: testSecrets.meta }],
  [{ redirect_uri: `${callback}/` }],
  [{ grant_type: "client_credentials" }],
])("Instagram's exchange refuses %j and does not consume the code", async (fields) => {
  const { codeAt, instagramUrl, exchangeInstagram } = await startLogins();
  const code = await codeAt(instagramUrl({ sim_consent: "auto" }));
  expect((await exchangeInstagram(code, fields)).status).toBe(400);
  expect((await exchangeInstagram(`${code}#_`)).status).toBe(400);
  expect((await exchangeInstagram(code)).status).toBe(200);
});

test("a Facebook user reads the Pages with a token of each, and their linked accounts", async () => {
  const { userToken, pages, exchangeFacebook, codeAt, facebookUrl } = await startLogins();
  const { data } = await pages(await userToken());
  expect(data).toHaveLength(4);
  expect(data[0]).toMatchObject({ id: testPage.id, instagram_business_account: { id: viaPage.externalId } });
  expect(data[0].tasks).toContain("MESSAGING");
  expect(data[2]).not.toHaveProperty("instagram_business_account");
  expect(data[3].tasks).not.toContain("MESSAGING");
  const code = await codeAt(facebookUrl({ sim_consent: "auto" }));
  await exchangeFacebook({ redirect_uri: callback, code });
  expect((await exchangeFacebook({ redirect_uri: callback, code })).body.error).toMatchObject({ code: 100 });
});

test("a Facebook user reads the Pages page by page, and the same token each time", async () => {
  const { userToken, pages } = await startLogins();
  const token = await userToken();
  const first = await pages(token, "limit=3");
  expect(first.data).toHaveLength(3);
  const { after } = first.paging.cursors;
  expect(first.paging.next).toContain(`after=${after}`);
  const second = await pages(token, `limit=3&after=${after}`);
  expect(second.data).toHaveLength(1);
  expect(second.paging.next).toBeUndefined();
  expect((await pages(token, "limit=3")).data).toEqual(first.data);
});

test("a Facebook user has Page tokens without an end only with a long-lived token, and is named by debug_token", async () => {
  const { simulator, userToken, pages, codeAt, facebookUrl, exchangeFacebook } = await startLogins();
  const asking = encodeURIComponent(`${testApps.meta}|${testSecrets.meta}`);
  const debug = async (token: string) =>
    (await simulator.get(`/facebook_graph/debug_token?input_token=${token}&access_token=${asking}`)).body.data;
  const auto = { sim_consent: "auto", sim_user: noor, sim_pages: testPage.id };
  const [page] = (await pages(await userToken(auto))).data;
  expect(await debug(page.access_token)).toMatchObject({
    expires_at: 0,
    user_id: noor,
    granular_scopes: expect.arrayContaining([{ scope: "pages_messaging", target_ids: [testPage.id] }]),
  });
  expect((await debug(testPage.token)).user_id).toBe(sam);
  const code = await codeAt(facebookUrl(auto));
  const short = (await exchangeFacebook({ redirect_uri: callback, code })).body.access_token;
  const [brief] = (await pages(short)).data;
  expect((await debug(brief.access_token)).expires_at).toBeGreaterThan(0);
});

test("the app reads itself and its webhooks with its own token, and with no other secret", async () => {
  const { simulator } = await startLogins();
  const path = `/facebook_graph/v26.0/${testApps.meta}`;
  const asApp = `${testApps.meta}|${testSecrets.meta}`;
  expect((await simulator.get(path, asApp)).body).toMatchObject({ id: testApps.meta });
  const { data } = (await simulator.get(`${path}/subscriptions`, asApp)).body;
  expect(data).toMatchObject([
    { object: "page", callback_url: expect.stringMatching(/\/webhooks\/messenger$/), active: true },
    { object: "instagram", callback_url: expect.stringMatching(/\/webhooks\/instagram$/), active: true },
  ]);
  expect(data[0].fields).toContainEqual({ name: "messages", version: "v26.0" });
  const { status, body } = await simulator.get(path, `${testApps.meta}|${"0".repeat(32)}`);
  expect([status, body.error.code]).toEqual([400, 190]);
});

test("a Facebook user grants no Page without pages_show_list", async () => {
  const { userToken, pages } = await startLogins();
  expect(await pages(await userToken({ sim_without: "pages_show_list" }))).toEqual({ data: [] });
  expect(await pages(await userToken({ scope: "" }))).toEqual({ data: [] });
  // A configuration of Login for Business stands for every scope.
  expect((await pages(await userToken({ scope: "", config_id: "77" }))).data).toHaveLength(4);
});

describe("a scope that was left out", () => {
  test("a scope that was left out of Instagram's messages: sends, conversations and the subscription are refused with 10", async () => {
    const { simulator, instagramToken } = await startLogins();
    const { person } = await simulator.personSends("login");
    const token = await instagramToken({ sim_without: "instagram_business_manage_messages" });
    const base = "/instagram_graph/v26.0/me";
    const send = { recipient: { id: person }, message: { text: "Hello" } };
    const answers = [
      await simulator.ask("POST", `${base}/messages`, send, token),
      await simulator.get(`${base}/conversations`, token),
      await simulator.ask("POST", `${base}/subscribed_apps?subscribed_fields=messages`, undefined, token),
    ];
    for (const { body } of answers) expect(body.error).toMatchObject({ code: 10 });
    expect((await simulator.get(`${base}?fields=user_id`, token)).body.user_id).toBe(login.externalId);
  });

  test.each([
    ["pages_messaging", "messenger", 200],
    ["instagram_manage_messages", "viaPage", 10],
  ] as const)("%s: sends and conversations of %s are refused with %s", async (scope, account, code) => {
    const { simulator, userToken, pages } = await startLogins();
    const { person } = await simulator.personSends(account);
    const [page] = (await pages(await userToken({ sim_without: scope }))).data;
    const base = "/facebook_graph/v26.0/me";
    const send = { recipient: { id: person }, messaging_type: "RESPONSE", message: { text: "Hello" } };
    const sent = await simulator.ask("POST", `${base}/messages`, send, page.access_token);
    expect(sent.body.error).toMatchObject({ code });
    const platform = account === "messenger" ? "messenger" : "instagram";
    const listed = await simulator.get(`${base}/conversations?platform=${platform}`, page.access_token);
    expect(listed.body.error).toMatchObject({ code });
    const asking = encodeURIComponent(`${testApps.meta}|${testSecrets.meta}`);
    const path = `/facebook_graph/debug_token?input_token=${page.access_token}&access_token=${asking}`;
    const { scopes } = (await simulator.get(path)).body.data;
    expect(scopes.toSorted()).toEqual(
      ["public_profile", ...facebookScopes.split(",").filter((one) => one !== scope)].toSorted(),
    );
  });

  test.each(["pages_manage_metadata", "pages_messaging"])("%s: the Page cannot be subscribed", async (scope) => {
    const { simulator, userToken, pages } = await startLogins();
    const [page] = (await pages(await userToken({ sim_without: scope }))).data;
    const path = `/facebook_graph/v26.0/${testPage.id}/subscribed_apps?subscribed_fields=messages`;
    const { error } = (await simulator.ask("POST", path, undefined, page.access_token)).body;
    expect(error).toMatchObject({ code: 200, message: expect.stringContaining(scope) });
  });
});
