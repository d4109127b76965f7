import { beforeAll, describe, expect, it } from "vitest";
import { publishedRoutes } from "../../../functions/published-routes.ts";
import { newSourceIp } from "../../support/flows/hold-fixture.ts";
import { openTestEnv } from "../../support/flows/test-env.ts";
import { openedOnce } from "../../support/opened.ts";
import { openApiApp } from "../../support/routes/api-app.ts";
import { openRouteApps } from "./apps.ts";
import { openRouteCallers, type RouteCaller } from "./callers.ts";
import { documentRead, documentReads, readTable } from "./document-reads.ts";
import { openRouteWorld } from "./world.ts";

// Any page, mail or program can have a browser send a GET, with the cookies of its person. The published document says
// which there are.

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
const testEnv = openedOnce(openTestEnv);
const api = openedOnce(() => openApiApp(testEnv));
const world = openedOnce(() => openRouteWorld(testEnv, api));
const callers = openedOnce(() => openRouteCallers(testEnv, api, world));
const apps = openedOnce(() =>
  openRouteApps(testEnv, api, async () => null, {
    docsPaths: ["/docs", "/docs.md", "/docs/guides/unknown", "/llms.txt", "/llms-full.txt"],
  }),
);
beforeAll(async () => {
  // The first use of a key is recorded, and none in the hour after it.
  await read("/v1/accounts", callers["a key"] as RouteCaller, { method: "GET", headers: {} });
});

/** One request for a resource of the caller's own tenant. @returns the status */
async function read(
  path: string,
  { headers: credential }: Pick<RouteCaller, "headers">,
  { method, headers }: { readonly method: string; readonly headers: Record<string, string> },
): Promise<{ readonly status: number; readonly cookies: readonly string[] }> {
  const { app, url } = documentRead(path, world);
  const request = new Request(url, { method, headers: { ...credential, ...headers } });
  const response = await apps[app].fetch(request, { sourceIp: newSourceIp() });
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

describe.each(documentReads)("GET %s", (path) => {
  it("the route stores nothing and sets no cookie for any caller", async () => {
    const before = await readTable(testEnv);
    for (const [name, request] of Object.entries(requests)) {
      for (const caller of ["a key", "an owner"]) {
        const { status, cookies } = await read(path, callers[caller] as RouteCaller, request);
        expect(status, `${name}, ${caller}`).toBeLessThan(500);
        // A program starts a login as a page of the console does.
        if (name !== "a program") expect(cookies, `${name}, ${caller}`).toEqual([]);
      }
    }
    expect(await readTable(testEnv)).toBe(before);
  });
});
