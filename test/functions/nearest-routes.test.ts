import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { noCredentials } from "#http/credentials/credentials.ts";
import { otherRoutesSource } from "../../bin/docs/other-routes.ts";
import { otherRoutes } from "../../functions/api/other-routes.ts";
import { type ApiPorts, apiRoutes } from "../../functions/api/routes.ts";
import { createApp } from "../support/conformance/observed-app.ts";

// The function `Api` gets every path that no function has. It knows the routes of the others by their methods and paths only.

const app = createApp({
  endpoints: apiRoutes,
  otherRoutes,
  // No route is reached.
  ports: {} as ApiPorts,
  credentials: noCredentials,
  now: () => 0,
  log: () => {},
});

async function refusalOf(method: string, path: string) {
  const response = await app.request(path, { method });
  const { error } = (await response.json()) as { readonly error: { readonly message: string } };
  return { status: response.status, message: error.message };
}

it("the list of the other routes is that of the functions", () => {
  const file = new URL("../../functions/api/other-routes.ts", import.meta.url);
  expect(readFileSync(file, "utf8")).toBe(otherRoutesSource());
});

it.each([
  ["GET", "/consol/me", "GET /console/me"],
  ["GET", "/oauht/instagram/start", "GET /oauth/instagram/start"],
  ["GET", "/doc", "GET /docs"],
  ["GET", "/openapi.yaml", "GET /openapi.json"],
  ["GET", "/openapi", "GET /openapi.json"],
  ["GET", "/v1/openapi.json", "GET /openapi.json"],
  ["GET", "/verfy", "GET /verify"],
  ["GET", "/llms", "GET /llms.txt"],
  ["GET", "/v1/conversation", "GET /v1/conversations"],
  ["POST", "/webhook/instagram", "POST /webhooks/{platform}"],
  ["POST", "/v1/message/reply", "POST /v1/messages/reply"],
])("the unknown path %s %s names the nearest route of any function", async (method, path, route) => {
  expect(await refusalOf(method, path)).toEqual({
    status: 404,
    message: `No route matches this path. Did you mean ${route}?`,
  });
});

it.each(["/wp-admin", "/nowhere", "/v2/other/words", "/robots.txt", "/favicon.ico"])(
  "the unknown path %s names no route, because none is near",
  async (path) => {
    expect(await refusalOf("GET", path)).toEqual({
      status: 404,
      message: expect.not.stringContaining("Did you mean"),
    });
  },
);

it.each([
  ["POST", "/v1/messages/replies", "GET, HEAD", "POST /v1/messages/reply"],
  ["DELETE", "/v1/conversations", "GET, HEAD", "DELETE /v1/conversations/{id}"],
])(
  "another method, %s %s, names the nearest route with it beside those of the path",
  async (method, path, methods, route) => {
    expect(await refusalOf(method, path)).toEqual({
      status: 405,
      message: `Method not allowed for this path. It takes ${methods}. Did you mean ${route}?`,
    });
  },
);

it("another method that no near route has names those of the path alone", async () => {
  expect(await refusalOf("PUT", "/v1/conversations")).toEqual({
    status: 405,
    message: "Method not allowed for this path. It takes GET, HEAD.",
  });
});
