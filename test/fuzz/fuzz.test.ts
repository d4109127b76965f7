import fc from "fast-check";
import { beforeAll, expect, it } from "vitest";
import { checkPageRoutes } from "#features/holds/routes/check-page.ts";
import { intakeRoutes } from "#features/inbox/routes/intake.ts";
import { apiRoutes } from "../../functions/api/routes.ts";
import { connectRoutes } from "../../functions/connect/routes.ts";
import { consoleRoutes } from "../../functions/console/routes.ts";
import { webRoutes } from "../../functions/web/routes.ts";
import { openRouteApps, type RouteApps } from "../functions/route-table/apps.ts";
import { openRouteCallers, type RouteCaller } from "../functions/route-table/callers.ts";
import type { ResourceKind } from "../functions/route-table/rows.ts";
import { openRouteWorld } from "../functions/route-table/world.ts";
import { readServedDocument } from "../support/conformance/document.ts";
import { takeProblems } from "../support/conformance/problems.ts";
import { newSourceIp } from "../support/flows/hold-fixture.ts";
import { openTestEnv } from "../support/flows/test-env.ts";
import { openedOnce } from "../support/opened.ts";
import { openApiApp } from "../support/routes/api-app.ts";
import { repetitions } from "../support/sampling.ts";
import { plantCanaries } from "./canaries.ts";
import { fuzzRequests } from "./fuzz-requests.ts";

// Requests made from the OpenAPI document, of several callers, to the real routes. None is a fault, each answer is as
// the document says, and none has anything of a tenant that is not the caller's. `FUZZ_SEED` repeats a run.

const REQUESTS = repetitions({ whole: 10_000, sample: 400 });
const SEED = Number(process.env.FUZZ_SEED ?? Math.floor(Math.random() * 2 ** 31));
/** What a route answers that needs a platform: none of them is there. */
const UPSTREAM = 502;

const routesByApp: Record<keyof RouteApps, readonly { readonly operation: string }[]> = {
  api: apiRoutes,
  checkPage: checkPageRoutes,
  connect: connectRoutes,
  console: consoleRoutes,
  web: webRoutes,
  intake: intakeRoutes,
};
let apps: RouteApps;
let callers: readonly { readonly name: string; readonly caller: RouteCaller; readonly hidden: readonly string[] }[];
let ids: Record<ResourceKind, readonly string[]>;
let tenants: readonly string[];

const testEnv = openedOnce(openTestEnv);
beforeAll(async () => {
  const api = await openApiApp(testEnv);
  const world = await openRouteWorld(testEnv, api);
  const all = await openRouteCallers(testEnv, api, world);
  apps = await openRouteApps(testEnv, { ...api, ports: { ...api.ports, gate: acceptingGate } }, async () => null);
  const canaries = {
    own: await plantCanaries(testEnv, api, world.own),
    theirs: await plantCanaries(testEnv, api, world.theirs),
  };
  callers = CALLERS.map(([name, tenant]) => ({
    name,
    caller: all[name] as RouteCaller,
    hidden: canaries[tenant].hidden,
  }));
  const kinds = Object.keys(world.ownIds) as ResourceKind[];
  const idsOf = (kind: ResourceKind): readonly string[] => {
    const inPath = [world.ownIds[kind], world.foreignIds[kind]["another tenant's"] ?? "", world.unknownIds[kind]];
    const planted = [canaries.own.ids[kind], canaries.theirs.ids[kind]].filter((id) => id !== undefined);
    return [...inPath.map(decodeURIComponent), ...planted];
  };
  ids = Object.fromEntries(kinds.map((kind) => [kind, idsOf(kind)])) as Record<ResourceKind, readonly string[]>;
  tenants = [world.own, world.theirs, world.paused, "unknown-tenant", "X"];
});

/** Which URLs may be called is tested elsewhere: here each one passes, and no name is looked up. */
const accepted = { ok: true, url: new URL("https://receiver.example/") };
const acceptingGate = {
  checkUrl: () => accepted,
  checkAndResolve: async () => ({ ...accepted, addresses: [] }),
} as never;

/** Callers of the route table, each with the tenant of which it may see nothing. */
const CALLERS = [
  ["a key", "theirs"],
  ["a test key", "theirs"],
  ["an operator key", "theirs"],
  ["another tenant's key", "own"],
  ["an agent", "theirs"],
  ["an admin", "theirs"],
  ["an owner", "theirs"],
  ["an owner of another tenant", "theirs"],
  ["a member of no tenant", "own"],
  ["a session without its CSRF token", "theirs"],
  ["no credential", "own"],
] as const;

it(`${REQUESTS} requests made from the document, seed ${SEED}: no fault, nothing undeclared, nothing of another tenant`, async () => {
  const appOf = new Map(
    Object.entries(routesByApp).flatMap(([app, routes]) =>
      routes.map(({ operation }) => [operation, apps[app as keyof RouteApps]] as const),
    ),
  );
  const statuses = new Map<number, number>();
  const requests = fc.record({
    caller: fc.constantFrom(...callers),
    request: fuzzRequests(readServedDocument(), { ids, tenants }),
  });
  await fc.assert(
    fc.asyncProperty(requests, async ({ caller: { caller, hidden }, request }) => {
      const { operation, method, path, headers, body } = request;
      const app = appOf.get(operation);
      if (!app) throw new Error(`No function has ${operation}.`);
      const init = { method, headers: { ...headers, ...caller.headers }, ...(body === undefined ? {} : { body }) };
      const response = await app.fetch(new Request(`http://gateway${path}`, init), { sourceIp: newSourceIp() });
      const text = await response.text();
      statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
      if (response.status >= 500 && response.status !== UPSTREAM) throw new Error(`${response.status} ${text}`);
      expect(takeProblems()).toEqual([]);
      const answer = `${text} ${JSON.stringify([...response.headers])}`;
      // An answer may name what the request itself named.
      const sent = `${[path, ...path.split(/[/?&=]/).map(decode)].join(" ")} ${body ?? ""}`;
      expect(hidden.filter((secret) => answer.includes(secret) && !sent.includes(secret))).toEqual([]);
    }),
    { seed: SEED, numRuns: REQUESTS, endOnFailure: true },
  );
  // Some of every kind: a run in which every request is refused shows nothing.
  for (const status of [200, 400, 401, 403, 404])
    expect(statuses.get(status) ?? 0, `answers with ${status}`).toBeGreaterThan(20);
});

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
