import { expect, test } from "vitest";
import { connectPageRoutes } from "#features/accounts/routes/connect-page.ts";
import { pageHeaders } from "#http/browser/page-files.ts";
import { noCredentials } from "#http/credentials/credentials.ts";
import type { ConnectFunctionPorts } from "../../../../functions/connect/routes.ts";
import { createApp } from "../../../support/conformance/observed-app.ts";

const body = Buffer.from("<title>Accounts</title>");
const file = { body, type: "text/html; charset=utf-8", etag: '"1"' };

function get(consoleOrigin: string): Promise<Response> {
  const ports = {
    consoleOrigin,
    baseUrl: "https://api.example",
    pageFiles: new Map([["/oauth/connect", file]]),
  } as unknown as ConnectFunctionPorts;
  const app = createApp({
    endpoints: connectPageRoutes,
    ports,
    credentials: noCredentials,
    now: () => 0,
    log: () => {},
  });
  return Promise.resolve(app.request("/oauth/connect"));
}

test("the page that connects accounts is served, under its policy, where no console is deployed", async () => {
  const response = await get("https://api.example");
  expect([response.status, await response.text()]).toEqual([200, body.toString()]);
  expect(Object.fromEntries(response.headers)).toMatchObject({ ...pageHeaders, "cache-control": "no-store" });
});

test("the page that connects accounts is unknown where a console is deployed", async () => {
  expect((await get("https://console.example")).status).toBe(404);
});
