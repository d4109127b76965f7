import { expect, it } from "vitest";
import * as z from "zod/mini";
import { createApp } from "#http/app.ts";
import { noCredentials } from "#http/credentials/credentials.ts";
import type { Deprecation } from "#http/deprecation.ts";
import { endpointsFor } from "#http/endpoints-for.ts";
import { HttpResponse } from "#http/http-response.ts";
import { openApiDocument } from "#http/openapi/document.ts";
import { publishedRoutes } from "../../functions/published-routes.ts";
import { toFetchApp } from "../support/conformance/fetch-app.ts";

const at = Date.parse("2027-01-15T08:30:00.500Z");
const sunset = Date.parse("2027-07-15T00:00:00Z");
const link = "https://parley.example/docs/guides/versioning";

/** A route that succeeds, refuses, redirects and fails, as the query says. */
function oldRoute(deprecation?: Deprecation) {
  return endpointsFor<object>().public({
    operation: "getOld",
    method: "GET",
    path: "/v1/old",
    summary: "Get it",
    tag: "Old",
    query: () => z.object({ size: z.optional(z.enum(["1", "2", "3"])) }),
    envelope: false,
    ...(deprecation ? { deprecation } : {}),
    handle: async ({ query }) => {
      if (query.size === "2")
        return new HttpResponse(null, { status: 302, headers: { location: "https://site.example/" } });
      if (query.size === "3") throw new Error("fault");
      return HttpResponse.json({});
    },
  });
}

function appOf(deprecation?: Deprecation) {
  const endpoints = [oldRoute(deprecation)];
  return toFetchApp(createApp({ endpoints, ports: {}, credentials: noCredentials, now: () => at, log: () => {} }));
}

const headersOf = ({ headers }: Response) => ["deprecation", "sunset", "link"].map((name) => headers.get(name));

it.each([
  ["a success", "", 200],
  ["a refusal", "?size=x", 400],
  ["a redirect", "?size=2", 302],
  ["a fault", "?size=3", 500],
])("a deprecated route says so in the headers of %s", async (_, query, status) => {
  const response = await appOf({ at, sunset, link }).request(`/v1/old${query}`);
  expect(response.status).toBe(status);
  expect(headersOf(response)).toEqual([
    "@1800001800",
    "Thu, 15 Jul 2027 00:00:00 GMT",
    `<${link}>; rel="deprecation"; type="text/html"`,
  ]);
});

it("a deprecated route has only the headers that it declares", async () => {
  expect(headersOf(await appOf({ at }).request("/v1/old"))).toEqual(["@1800001800", null, null]);
  expect(headersOf(await appOf().request("/v1/old"))).toEqual([null, null, null]);
});

it("a deprecated route is marked in the document, with the headers of each of its responses", () => {
  const info = { title: "Old", version: "1" };
  // biome-ignore lint/suspicious/noExplicitAny: a document is read by its paths
  const document = (deprecation?: Deprecation): any => openApiDocument([oldRoute(deprecation)], info);
  const marked = document({ at, sunset }).paths["/v1/old"].get;
  expect(marked.deprecated).toBe(true);
  for (const response of Object.values<{ headers: object }>(marked.responses)) {
    expect(Object.keys(response.headers)).toEqual(expect.arrayContaining(["deprecation", "sunset"]));
    expect(response.headers).not.toHaveProperty("link");
  }
  const unmarked = document();
  expect(unmarked.paths["/v1/old"].get).not.toHaveProperty("deprecated");
  expect(unmarked.components.headers).not.toHaveProperty("Deprecation");
});

it("no route is deprecated yet", () => {
  expect(publishedRoutes.filter((route) => "deprecation" in route)).toEqual([]);
});
