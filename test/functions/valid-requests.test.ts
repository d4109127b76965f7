import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { createTenant } from "#features/tenants/flows/tenants.ts";
import { openApiDocument } from "#http/openapi/document.ts";
import { apiRoutes } from "../../functions/api/routes.ts";
import type { FetchApp } from "../support/conformance/fetch-app.ts";
import { openReplyFixture, type ReplyFixture } from "../support/flows/reply-fixture.ts";
import { createEndpointAt } from "../support/flows/test-endpoints.ts";
import { openTestEnv } from "../support/flows/test-env.ts";
import { openedOnce } from "../support/opened.ts";
import { requestsTo } from "../support/routes/schema-requests.ts";
import { liveKeyOf, testApp } from "../support/routes/test-app.ts";
import { openStores } from "../support/stores/open-stores.ts";

// No request that the OpenAPI document calls valid is refused as invalid, and none is a fault.

let app: FetchApp;
const ids = { conversation: "", endpoint: "" };
const testEnv = openedOnce(openTestEnv);
const fixture = openedOnce(() => openReplyFixture(testEnv, "messenger"));
beforeAll(async () => {
  ids.conversation = fixture.id;
  ids.endpoint = (await createEndpointAt(testEnv, fixture.queues, fixture.tenant, "http://127.0.0.1:9/")).id;
  const owner = { name: "Shop", ownerEmail: null, author: { actor: "cli" } };
  const ports = { tenants: openStores(testEnv.table).tenants, addressKeys: fixture.ports().holdKeys };
  await createTenant(ports, fixture.tenant, owner, testEnv.now());
  app = testApp(testEnv, { ...fixture.ports(), gate: acceptingGate }, liveKeyOf(fixture.tenant));
});

/** Which hosts may be called is not the schema's matter. */
const acceptingGate = {
  checkUrl: (url: string) => ({ ok: true, url: new URL(url) }),
  checkAndResolve: async (url: string) => ({ ok: true, url: new URL(url), addresses: [] }),
} as unknown as ReturnType<ReplyFixture["ports"]>["gate"];

const document = openApiDocument(apiRoutes, { title: "Parley", version: "1" });
/** A cursor comes from an earlier response. */
const omitted = ["cursor"];
/** Rules between fields, and about seconds as a time, which the document cannot express: refused all the same, with these problems. */
const otherRules = [
  "is required in the query or the body",
  "must not be before from",
  "needs needs_reply=true",
  "must be a time in ISO 8601 or epoch milliseconds; this is a time in seconds: multiply it by 1000",
];

describe.each(
  Object.entries(document.paths as Record<string, object>).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => [method, path] as const),
  ),
)("%s %s", (method, path) => {
  it("the route accepts every valid request", async () => {
    const requests = requestsTo(document, { path, method, ids: Object.values(ids), omitted });
    await fc.assert(
      fc.asyncProperty(requests, async (request) => {
        const response = await app.fetch(new Request(`http://gateway${request.path}`, request.init), {});
        const text = await response.text();
        if (response.status === 400) {
          const { errors } = JSON.parse(text).error;
          expect(errors.filter(({ problem }: { problem: string }) => !otherRules.includes(problem))).toEqual([]);
        }
        expect([response.status < 500 || response.status === 502, text]).toEqual([true, text]);
      }),
      { numRuns: 25 },
    );
  });
});
