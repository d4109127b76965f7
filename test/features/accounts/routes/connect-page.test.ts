import { describe, expect, test } from "vitest";
import { connectPageRoutes } from "#features/accounts/routes/connect-page.ts";
import { noCredentials } from "#http/credentials/credentials.ts";
import type { ConnectFunctionPorts } from "../../../../functions/connect/routes.ts";
import { createApp } from "../../../support/conformance/observed-app.ts";

const API = "https://api.example";

async function get(path: string, consoleOrigin = API): Promise<Response> {
  const ports = { consoleOrigin, baseUrl: API, pageFiles: new Map() } as unknown as ConnectFunctionPorts;
  const app = createApp({
    endpoints: connectPageRoutes,
    ports,
    credentials: noCredentials,
    now: () => 0,
    log: () => {},
  });
  return await app.request(path);
}

describe.each(["/oauth/connect", "/oauth/connect.js"])("the former path %s", (path) => {
  test.each([
    ["", "/app"],
    ["?tenant=harbor", "/app/harbor/accounts"],
    ["?tenant=harbor&choose=messenger&x=1", "/app/harbor/accounts?choose=messenger"],
    ["?tenant=harbor&connected=instagram%231", "/app/harbor/accounts?connected=instagram%231"],
    ["?error=oauth_denied", "/app?error=oauth_denied"],
    ["?tenant=..%2F..%2Fv1&error=%0Ax", "/app?error=%0Ax"],
    ["?tenant=%2F%2Fevil.example", "/app"],
  ])("the former page of accounts redirects to the console's, with how a login ended: %s", async (query, page) => {
    const { status, headers } = await get(path + query);
    expect([status, headers.get("location")]).toEqual([302, `${API}${page}`]);
    expect(headers.get("cache-control")).toBe("no-store");
    expect(headers.get("referrer-policy")).toBe("no-referrer");
  });

  test("the former page of accounts is unknown where the console is on another host", async () => {
    expect((await get(path, "https://console.example")).status).toBe(404);
  });
});
