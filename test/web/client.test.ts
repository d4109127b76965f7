import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";
import type { Browser } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { expectedCounts, expectedResults } from "../packages/client/support/scenario/expected.ts";
import { startScenarioServer } from "../packages/client/support/scenario/server.ts";
import { ok, text } from "../packages/client/support/scripted-server.ts";
import { testBrowser } from "./support/browser.ts";

// The client in Chromium, in a page under a strict policy: the same calls as in Node.js, and the session of the page.

const project = fileURLToPath(new URL("../..", import.meta.url));

let browser: Browser;
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
  browser = await testBrowser();
});

test("runs in Chromium: the calls of Node.js, the CSRF token of the cookie, and no violation of the policy", async () => {
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
