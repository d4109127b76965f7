import { request } from "node:http";
import { describe, expect, test } from "vitest";
import { controlRoutes } from "../../../packages/simulator/src/control/control.ts";
import { controlHeaders, testControlToken } from "../../support/access/control-token.ts";
import { startTestSimulator, startWebhookReceiver, testAccounts } from "./simulator-fixture.ts";

async function startReady() {
  const hook = await startWebhookReceiver();
  return startTestSimulator(hook.url);
}

test("the page is served with a policy that allows its own origin only", async () => {
  const simulator = await startReady();
  const response = await fetch(`${simulator.url}/`);
  expect(response.status).toBe(200);
  const policy = response.headers.get("Content-Security-Policy") ?? "";
  const sources = policy.split(";").flatMap((rule) => rule.trim().split(" ").slice(1));
  expect(policy).toContain("default-src 'none'");
  expect(new Set(sources)).toEqual(new Set(["'none'", "'self'"]));
  expect(await response.text()).toContain("<title>Platform simulator</title>");
  // Longer than clients keep a connection, so that no request meets its end.
  expect(response.headers.get("keep-alive")).toBe("timeout=60");
});

test("the page has only existing files, without another origin and without inline code", async () => {
  const simulator = await startReady();
  const html = await (await fetch(`${simulator.url}/`)).text();
  expect(html).not.toMatch(/ on\w+=| style=|<style|<script(?![^>]*src=)/);
  const linked = [...html.matchAll(/(?:href|src)="(\/[^"]+)"/g)].map(([, path = ""]) => path);
  expect(linked).toContain("/page.js");
  expect(linked).toContain("/page.css");
  for (const path of new Set(linked)) {
    const file = await fetch(simulator.url + path);
    expect(file.status, path).toBe(200);
    const text = (await file.text()).replaceAll("http://www.w3.org/2000/svg", "");
    expect(text, path).not.toMatch(/https?:\/\/|url\(/);
  }
});

test("the page labels every field", async () => {
  const simulator = await startReady();
  const html = await (await fetch(`${simulator.url}/`)).text();
  const fields = [...html.matchAll(/<(?:input|select|textarea)[^>]* id="([^"]+)"/g)].map(([, id]) => id);
  expect(fields).toEqual(["as-person", "as-account", "text", "name", "resend-body", "resend-forged", "token"]);
  for (const id of fields) expect(html).toContain(`for="${id}"`);
  expect(html).toContain('aria-live="polite"');
});

test("a foreign host name or origin is rejected", async () => {
  const simulator = await startReady();
  const status = (own: Record<string, string>) =>
    new Promise<number | undefined>((resolve, reject) => {
      const headers = { ...controlHeaders(), ...own };
      const clientRequest = request(`${simulator.url}/_sim/state`, { headers }, (response) => {
        response.resume();
        resolve(response.statusCode);
      });
      clientRequest.on("error", reject).end();
    });
  const { host } = new URL(simulator.url);
  expect(await status({ Host: "evil.example" })).toBe(403);
  expect(await status({ Host: host, Origin: "http://evil.example" })).toBe(403);
  expect(await status({ Host: host, Origin: `http://${host}` })).toBe(200);
});

test("a control route without the control token is refused with 401, before anything is done", async () => {
  const simulator = await startReady();
  const routes = [...Object.keys(controlRoutes), "GET /other", "OPTIONS /state"].map((route) => route.split(" "));
  for (const [method = "", path = ""] of routes) {
    for (const token of [null, "", testAccounts.login.token, "0".repeat(22)]) {
      const headers = token === null ? {} : controlHeaders(token);
      const body = method === "POST" ? '{"mode":"5xx","offset_ms":1}' : null;
      const answer = await fetch(`${simulator.url}/_sim${path}`, { method, headers, body });
      expect([method, path, answer.status]).toEqual([method, path, 401]);
      expect(answer.headers.get("www-authenticate")).toBe("Bearer");
      const { error } = (await answer.json()) as { error: string };
      expect(error).toContain(testControlToken.location);
    }
  }
  const { fault, clock_offset_ms: offset, threads } = (await simulator.get("/_sim/state")).body;
  expect([fault.mode, offset, threads]).toEqual(["none", 0, []]);
});

test("what is served without a token does not contain the control token", async () => {
  const simulator = await startReady();
  for (const path of ["/", "/page.js", "/page.css", "/icon.svg", "/_sim/state", "/facebook_www/v26.0/dialog/oauth"]) {
    const answer = await fetch(simulator.url + path);
    const served = `${JSON.stringify([...answer.headers])} ${await answer.text()}`;
    expect(served, path).not.toContain(testControlToken.value);
  }
});

describe("invalid control input gets a 400 with the reason", () => {
  test.each([
    ["/person-sends", {}, "account is missing"],
    ["/person-sends", { account: "1" }, "there is no account 1; accounts: 17841405793187218"],
    ["/person-sends", { account: testAccounts.login.externalId, kind: "dance" }, "kind must be one of text, image"],
    ["/person-sends", { account: testAccounts.login.externalId }, "text is missing"],
    ["/person-sends", { account: testAccounts.login.externalId, kind: "unsend" }, "there is no message for unsend"],
    ["/person-sends", { account: testAccounts.login.externalId, attachments: "x" }, "attachments must be a list"],
    ["/faults", { mode: "dragons" }, "mode must be one of none"],
    ["/faults", { mode: "hang", for: 0 }, "for must be a whole number from 1"],
    ["/clock", { offset_ms: "1" }, "offset_ms must be a whole number"],
    ["/clock", {}, "offset_ms is missing"],
    ["/raw", { object: "page" }, "entry must be a list"],
    ["/raw", { object: "user", entry: [] }, "object must be one of instagram, page"],
    ["/delivery", { batch: 0 }, "batch must be a whole number"],
    [
      "/accounts",
      { connection: "instagram_page", externalId: "5", handle: "a", displayName: "A", token: "t" },
      "pageId",
    ],
    ["/faults", [1], "the body must be a JSON object"],
  ])("a POST to %s with %o gets a 400 with the reason", async (path, body, reason) => {
    const simulator = await startReady();
    const answer = await simulator.sim(path, body);
    expect(answer.status).toBe(400);
    expect(answer.body.error).toContain(reason);
  });

  test("an unknown route of the control gets a 404 with the list of routes", async () => {
    const simulator = await startReady();
    const answer = await simulator.sim("/nothing", {});
    expect(answer.status).toBe(404);
    expect(answer.body.error).toContain("POST /person-sends");
  });
});

test("the state has accounts, people and both sides of a thread, and reports when nothing changed", async () => {
  const simulator = await startReady();
  const { person } = await simulator.personSends("login", { person: "Ada", text: "Hello" });
  await simulator.sendToPerson("login", person);
  await expect.poll(async () => (await simulator.get("/_sim/state")).body.pending).toEqual([]);
  const { body } = await simulator.get("/_sim/state");
  expect(body.accounts).toHaveLength(3);
  expect(JSON.stringify(body)).not.toContain(testAccounts.login.token);
  expect(body.threads[0].messages).toMatchObject([
    { from: "person", text: "Hello", webhook: "delivered" },
    { from: "account", text: "Good day", webhook: "delivered" },
  ]);
  const again = await simulator.get(`/_sim/state?since=${body.version}`);
  expect(again.body).toEqual({ version: body.version, unchanged: true });
});

test("an account can be added at run time, and the connection distinguishes two accounts with one id", async () => {
  const simulator = await startReady();
  const { externalId } = testAccounts.login;
  const seed = { connection: "instagram_page", externalId, pageId: "77", handle: "h", displayName: "H", token: "EAA7" };
  expect((await simulator.sim("/accounts", seed)).status).toBe(200);
  const either = await simulator.sim("/person-sends", { account: externalId, text: "Hi" });
  expect(either.body.error).toContain("is connected twice");
  const { person } = (
    await simulator.sim("/person-sends", { account: externalId, connection: "instagram_page", text: "Hi" })
  ).body;
  const body = { recipient: { id: person }, message: { text: "Hi" } };
  expect((await simulator.ask("POST", "/facebook_graph/v26.0/77/messages", body, "EAA7")).status).toBe(200);
});
