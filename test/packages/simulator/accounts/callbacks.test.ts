import { createHmac } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { startTestSimulator, testAccounts, testPage, testSecrets } from "../simulator-fixture.ts";
import { testLogin } from "./login-fixture.ts";

const { login, messenger } = testAccounts;
const [sam, noor] = ["10150000000000001", "10150000000000002"] as const;

/** An app that records the forms of both callbacks. */
async function startApp() {
  const forms: { path: string; type: string; form: URLSearchParams }[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const form = new URLSearchParams(Buffer.concat(chunks).toString());
      forms.push({ path: request.url ?? "", type: request.headers["content-type"] ?? "", form });
      response.writeHead(200).end('{"confirmation_code":"abc"}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const simulator = await startTestSimulator(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  return { simulator, forms };
}

function parseSigned(text: string, secret: string) {
  const [signature, payload = ""] = text.split(".");
  const expected = createHmac("sha256", secret).update(payload).digest("base64url");
  return { isGood: signature === expected, content: JSON.parse(Buffer.from(payload, "base64url").toString()) };
}

describe.each([
  ["/deauthorize", "/platform/deauthorize"],
  ["/data-deletion", "/platform/data-deletion"],
])("%s", (route, path) => {
  test("the platform posts a form about an Instagram account, signed with the Instagram app's secret", async () => {
    const { simulator, forms } = await startApp();
    const { body } = await simulator.sim(route, { account: login.externalId });
    expect(body).toMatchObject({ status: 200, body: '{"confirmation_code":"abc"}', secret: "instagram" });
    const [posted] = forms;
    expect(posted).toMatchObject({ path, type: "application/x-www-form-urlencoded" });
    const { isGood, content } = parseSigned(posted?.form.get("signed_request") ?? "", testSecrets.instagram);
    expect(isGood).toBe(true);
    const { id } = (await simulator.get("/_sim/state")).body.accounts
      .filter(({ externalId }: { externalId: string }) => externalId === login.externalId)
      .map(({ appScopedId }: { appScopedId: string }) => ({ id: appScopedId }))[0];
    expect(content).toEqual({ user_id: id, algorithm: "HMAC-SHA256", issued_at: expect.any(Number) });
  });

  test("the platform posts a form about a Facebook user, signed with the Meta app's secret, or with a wrong one", async () => {
    const { simulator, forms } = await startApp();
    await simulator.sim(route, { user: noor });
    await simulator.sim(route, { account: messenger.externalId, signature: "bad" });
    await simulator.sim(route, { user: "404", secret: "instagram" });
    const read = (at: number, secret: string) => parseSigned(forms[at]?.form.get("signed_request") ?? "", secret);
    expect(read(0, testSecrets.meta)).toMatchObject({ isGood: true, content: { user_id: noor } });
    expect(read(1, testSecrets.meta)).toMatchObject({ isGood: false, content: { user_id: sam } });
    expect(read(2, testSecrets.instagram)).toMatchObject({ isGood: true, content: { user_id: "404" } });
  });

  test("the platform says that the app did not answer", async () => {
    const simulator = await startTestSimulator("http://127.0.0.1:1");
    const { body } = await simulator.sim(route, { user: noor });
    expect(body).toMatchObject({ status: null, user_id: noor, body: expect.any(String) });
  });
});

test("a user who removes the app takes their own tokens away, and no other's", async () => {
  const { simulator } = await startApp();
  const { userToken, pages } = testLogin(simulator);
  const [ofNoor] = (await pages(await userToken({ sim_user: noor }))).data;
  const me = async (token: string) => (await simulator.get("/facebook_graph/me", token)).body;
  await simulator.sim("/deauthorize", { user: noor, signature: "bad" });
  expect(await me(ofNoor.access_token)).toHaveProperty("id");
  await simulator.sim("/deauthorize", { user: noor });
  expect((await me(ofNoor.access_token)).error).toMatchObject({ code: 190, error_subcode: 458 });
  expect(await me(testPage.token)).toEqual({ id: testPage.id });
});

test("an Instagram account that removes the app sends no webhook", async () => {
  const { simulator } = await startApp();
  await simulator.sim("/deauthorize", { account: login.externalId });
  expect((await simulator.get("/instagram_graph/me", login.token)).body.error.error_subcode).toBe(458);
  expect((await simulator.personSends("login")).status_of_webhook).toBe("not_subscribed");
});
