import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";
import { beforeAll, expect, test } from "vitest";
import { expectedCounts, expectedResults } from "../packages/client/support/scenario/expected.ts";
import { startScenarioServer } from "../packages/client/support/scenario/server.ts";
import { ok, text } from "../packages/client/support/scripted-server.ts";
import { openedOnce } from "../support/opened.ts";
import { testBrowser } from "./support/browser.ts";

// The client in Chromium, in a page under a strict policy: the same calls as in Node.js, and the session of the page.

const project = fileURLToPath(new URL("../..", import.meta.url));

const browser = openedOnce(testBrowser, () => undefined);
let script: string;
beforeAll(async () => {
  const [output] = buildSync({
    entryPoints: [join(project, "test/packages/client/support/scenario/page.ts")],
    bundle: true,
    write: false,
    format: "iife",
    platform: "browser",
    target: "es2022",
    tsconfigRaw: {},
  }).outputFiles;
  script = output?.text ?? "";
});

test("the client runs in Chromium: the calls of Node.js, the CSRF token of the cookie, and no violation of the policy", async () => {
  const csrfTokens: unknown[] = [];
  await using server = await startScenarioServer({
    "/page": (response, request) => {
      const targets = `'self' ws://${request.headers.host} ${server.input.hanging.connect}`;
      const policy = `default-src 'none'; script-src 'self'; connect-src ${targets}`;
      const headers = {
        "content-type": "text/html",
        "content-security-policy": policy,
        "set-cookie": "console_csrf=token-1",
      };
      text(
        200,
        '<!doctype html><html lang="en"><title>Client</title><script src="/client.js"></script></html>',
        headers,
      )(response, request);
    },
    "/client.js": text(200, script, { "content-type": "text/javascript" }),
    "/console/auth/logout": (response, request) => {
      csrfTokens.push(request.headers["x-csrf-token"]);
      ok({ signed_out: true })(response, request);
    },
  });
  const context = await browser.newContext();
  const page = await context.newPage();
  const problems: string[] = [];
  page.on("pageerror", (error) => problems.push(error.message));
  page.on("console", (message) => {
    if (/Content Security Policy/i.test(message.text())) problems.push(message.text());
  });
  await page.goto(`${server.input.baseUrl}/page`);
  server.takeCounts();

  const results = await page.evaluate((input) => {
    const { runScenario } = globalThis as unknown as { runScenario: (value: typeof input) => Promise<unknown> };
    return runScenario(input);
  }, server.input);
  expect(results).toEqual(expectedResults(0));
  const counts = server.takeCounts();
  expect(counts).toMatchObject(expectedCounts());
  expect(counts).not.toHaveProperty("/v1/ping");

  const signedOut = await page.evaluate(() => {
    const { Parley } = globalThis as unknown as { Parley: new () => { request(operation: string): Promise<unknown> } };
    return new Parley().request("POST /console/auth/logout");
  });
  expect(signedOut).toEqual({ signed_out: true });
  expect(csrfTokens).toEqual(["token-1"]);
  expect(problems).toEqual([]);
  await context.close();
});

test("an API key is refused in a page and in its workers, before a request", async () => {
  const refusalOf = `(() => {
    try {
      new Parley({ baseUrl: location.origin, apiKey: "svc_live_k" });
      return null;
    } catch ({ name, code, message }) {
      return [name, code, message];
    }
  })()`;
  const javascript = { "content-type": "text/javascript" };
  const html = '<!doctype html><html lang="en"><title>Client</title><script src="/client.js"></script></html>';
  await using server = await startScenarioServer({
    "/page": text(200, html, { "content-type": "text/html" }),
    "/client.js": text(200, script, javascript),
    "/worker.js": text(200, `${script}; postMessage(${refusalOf});`, javascript),
    "/shared-worker.js": text(
      200,
      `${script}; onconnect = ({ ports: [p] }) => p.postMessage(${refusalOf});`,
      javascript,
    ),
  });
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(`${server.input.baseUrl}/page`);
  server.takeCounts();
  const refusals = await page.evaluate(async (expression) => {
    const message = (port: object) => new Promise((resolve) => Object.assign(port, { onmessage: resolve }));
    const shown = async (port: object) => ((await message(port)) as { readonly data: unknown }).data;
    // biome-ignore lint/security/noGlobalEval: the same expression as in the workers
    const inPage: unknown = globalThis.eval(expression);
    const scope = globalThis as unknown as Record<string, new (url: string, options?: object) => { port: object }>;
    const { Worker: PageWorker, SharedWorker } = scope;
    if (PageWorker === undefined || SharedWorker === undefined) throw new Error("This browser has no workers.");
    return [
      inPage,
      await shown(new PageWorker("/worker.js")),
      await shown(new PageWorker("/worker.js", { type: "module" })),
      await shown(new SharedWorker("/shared-worker.js").port),
    ];
  }, refusalOf);
  const refusal = ["ParleyError", "invalid_argument", expect.stringMatching(/^API key in a web page\. .*Omit apiKey/)];
  expect(refusals).toEqual([refusal, refusal, refusal, refusal]);
  expect(Object.keys(server.takeCounts()).filter((path) => !path.endsWith(".js"))).toEqual([]);
  await context.close();
});
