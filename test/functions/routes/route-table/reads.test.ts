import { readFileSync } from "node:fs";
import { ScanCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { publishedRoutes } from "../../../../functions/routes/published-routes.ts";
import { newSourceIp } from "../../../shared/flows/support/hold-fixture.ts";
import { openTestEnv, type TestEnv } from "../../../shared/flows/support/test-env.ts";
import { type ApiApp, openApiApp } from "../support/api-app.ts";
import { openRouteApps, type RouteApps } from "./apps.ts";
import { openRouteCallers, type RouteCaller } from "./callers.ts";
import { apiRows, checkRows, connectRows, consoleRows, docsRows, intakeRows, type RouteRow } from "./rows.ts";
import { openRouteWorld, type RouteWorld } from "./world.ts";

// Any page, mail or program can have a browser send a GET, with the cookies of its person. The published document says
// which there are.

const document = JSON.parse(readFileSync(new URL("../../../../docs/openapi.json", import.meta.url), "utf8"));
const reads = Object.entries(document.paths as Record<string, object>)
  .filter(([, operations]) => "get" in operations)
  .map(([path]) => path);

const rowsByApp: Readonly<Record<keyof RouteApps, Readonly<Record<string, RouteRow>>>> = {
  api: apiRows,
  check: checkRows,
  connect: connectRows,
  console: consoleRows,
  docs: docsRows,
  intake: intakeRows,
};

const html = { accept: "text/html" };
const requests: Readonly<Record<string, { readonly method: string; readonly headers: Record<string, string> }>> = {
  "a page of another site": { method: "GET", headers: { ...html, "sec-fetch-site": "cross-site" } },
  "a page of another origin of the site": { method: "GET", headers: { ...html, "sec-fetch-site": "same-site" } },
  "a link in a mail": { method: "GET", headers: { ...html, "sec-fetch-site": "none", "sec-fetch-user": "?1" } },
  "an image of another page": {
    method: "GET",
    headers: { accept: "image/*", "sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors" },
  },
  "a browser that does not say it": { method: "GET", headers: html },
  "a program": { method: "GET", headers: { accept: "*/*" } },
  "a HEAD request": { method: "HEAD", headers: html },
};

let testEnv: TestEnv;
let api: ApiApp;
let world: RouteWorld;
let apps: RouteApps;
let callers: Readonly<Record<string, RouteCaller>>;
beforeAll(async () => {
  testEnv = await openTestEnv();
  api = await openApiApp(testEnv);
  world = await openRouteWorld(testEnv, api);
  callers = await openRouteCallers(testEnv, api, world);
  apps = await openRouteApps(testEnv, api, async () => null, ["/docs", "/docs/guides/unknown"]);
  // The first use of a key is recorded, and none in the hour after it.
  await read("/v1/accounts", callers["a key"] as RouteCaller, { method: "GET", headers: {} });
});
afterAll(() => testEnv.close());

/** Every item of the table. */
async function readTable(): Promise<string> {
  const items: string[] = [];
  for (let start: Record<string, unknown> | undefined, isFirst = true; isFirst || start; isFirst = false) {
    const page = new ScanCommand({ TableName: testEnv.table.name, ExclusiveStartKey: start, ConsistentRead: true });
    const { Items = [], LastEvaluatedKey } = await testEnv.table.client.send(page);
    items.push(...Items.map((item) => JSON.stringify(item, (_, value) => (value instanceof Set ? [...value] : value))));
    start = LastEvaluatedKey;
  }
  return items.sort().join("\n");
}

/** One request for a resource of the caller's own tenant. @returns the status */
async function read(
  path: string,
  { headers: credential }: Pick<RouteCaller, "headers">,
  { method, headers }: { readonly method: string; readonly headers: Record<string, string> },
): Promise<{ readonly status: number; readonly cookies: readonly string[] }> {
  const [app, rows] = Object.entries(rowsByApp).find(([, candidates]) => `GET ${path}` in candidates) ?? [];
  const row = rows?.[`GET ${path}`];
  if (!app || !row) throw new Error(`No row says how ${path} is read.`);
  const id = row.kind === null ? "" : world.ownIds[row.kind];
  const filled = row.request({ id, ownEndpointId: world.ownIds.endpoint, actorId: "" }).path;
  const url = `http://gateway${filled}${filled.includes("?") ? "&" : "?"}tenant=${world.own}`;
  const request = new Request(url, { method, headers: { ...credential, ...headers } });
  const response = await apps[app as keyof RouteApps].fetch(request, { sourceIp: newSourceIp() });
  return { status: response.status, cookies: response.headers.getSetCookie() };
}

it("a route that changes something by a GET says so", () => {
  const changing = publishedRoutes.filter(({ changes }) => changes).map(({ method, path }) => `${method} ${path}`);
  expect(changing).toEqual([
    "GET /console/auth/verify",
    "GET /oauth/instagram/start",
    "GET /oauth/messenger/start",
    "GET /oauth/instagram/callback",
    "GET /oauth/messenger/callback",
  ]);
});

describe.each(reads)("GET %s", (path) => {
  it("stores nothing and sets no cookie for any caller", async () => {
    const before = await readTable();
    for (const [name, request] of Object.entries(requests)) {
      for (const caller of ["a key", "an owner"]) {
        const { status, cookies } = await read(path, callers[caller] as RouteCaller, request);
        expect(status, `${name}, ${caller}`).toBeLessThan(500);
        // A program starts a login as a page of the console does.
        if (name !== "a program") expect(cookies, `${name}, ${caller}`).toEqual([]);
      }
    }
    expect(await readTable()).toBe(before);
  });
});
