import { existsSync, readdirSync, readFileSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { hasRole, roles } from "#features/access/rules/callers.ts";
import { checkPageRoutes } from "#features/holds/routes/check-page.ts";
import { intakeRoutes } from "#features/inbox/routes/intake.ts";
import { apiRoutes } from "../../../functions/api/routes.ts";
import { connectRoutes } from "../../../functions/connect/routes.ts";
import { consoleRoutes } from "../../../functions/console/routes.ts";
import { publishedRoutes } from "../../../functions/published-routes.ts";
import { webRoutes } from "../../../functions/web/routes.ts";
import { newSourceIp } from "../../support/flows/hold-fixture.ts";
import { openTestEnv } from "../../support/flows/test-env.ts";
import { openedOnce } from "../../support/opened.ts";
import { openApiApp } from "../../support/routes/api-app.ts";
import { openRouteApps, type RouteApps } from "./apps.ts";
import { openRouteCallers, type RouteCaller } from "./callers.ts";
import {
  apiRows,
  checkPageRows,
  connectRows,
  consoleRows,
  intakeRows,
  type RouteRow,
  routeName,
  type Verdict,
  webRows,
} from "./rows.ts";
import { openRouteWorld } from "./world.ts";

let apps: RouteApps;

const testEnv = openedOnce(openTestEnv);
const api = openedOnce(() => openApiApp(testEnv));
const world = openedOnce(() => openRouteWorld(testEnv, api));
// Every route, called by everyone. The rows and the callers are written by hand from the contract. `expectedVerdict` is
// the rule that joins them.

const callers = openedOnce(() => openRouteCallers(testEnv, api, world));
beforeAll(async () => {
  // Without a limit, because these are thousands of requests in one minute.
  apps = await openRouteApps(testEnv, api, async () => null);
});

const tables = [
  { table: "api", routes: apiRoutes, rows: apiRows },
  { table: "connect", routes: connectRoutes, rows: connectRows },
  { table: "console", routes: consoleRoutes, rows: consoleRows },
  { table: "web", routes: webRoutes, rows: webRows },
  { table: "checkPage", routes: checkPageRoutes, rows: checkPageRows },
  { table: "intake", routes: intakeRoutes, rows: intakeRows },
] as const;

it("the tables have every route of every function that answers requests", () => {
  const folder = new URL("../../../functions/", import.meta.url);
  const served = readdirSync(folder)
    .map((name) => new URL(`${name}/app.ts`, folder))
    .filter((file) => existsSync(file))
    .map((file) => /^\s+endpoints: (\w+),$/m.exec(readFileSync(file, "utf8"))?.[1]);
  expect(served.sort()).toEqual(tables.map(({ table }) => `${table}Routes`).sort());
});

describe.each(tables)("the rows of $table", ({ routes, rows }) => {
  it("the rows of the table are one for each route, as it is declared", () => {
    const declared = routes.map(({ method, path, operation, auth, tenant, role }) => [
      `${method} ${path}`,
      { operation, auth, tenant, role },
    ]);
    const inTable = Object.entries(rows).map(([name, { operation, auth, tenant, role }]) => [
      routeName(name),
      { operation, auth, tenant, role },
    ]);
    expect(Object.fromEntries(inTable)).toEqual(Object.fromEntries(declared));
  });
});

it("four routes redirect a browser, those that start and finish a login of each platform", () => {
  const redirecting = publishedRoutes.filter((route) => "browserLocation" in route && route.browserLocation);
  expect(redirecting.map(({ operation }) => operation).sort()).toEqual([
    "finishInstagramLogin",
    "finishMessengerLogin",
    "startInstagramLogin",
    "startMessengerLogin",
  ]);
});

interface Answer {
  readonly verdict: Verdict;
  /** Status, headers without the correlation id, and body. */
  readonly bytes: string;
  readonly headers: Headers;
}

type Table = (typeof tables)[number]["table"];

/** One request of a caller. @param id of the resource; default: an unknown one */
async function ask(
  table: Table,
  name: string,
  row: RouteRow,
  { headers, tenant, actorId, resources }: RouteCaller,
  id = defaultId(row, resources),
): Promise<Answer> {
  const { path, body } = row.request({ id, ownEndpointId: world.ownIds.endpoint, actorId });
  const query = tenant === null ? "" : `${path.includes("?") ? "&" : "?"}tenant=${tenant}`;
  const request = new Request(`http://gateway${path}${query}`, {
    method: name.split(" ")[0] ?? "",
    headers: { accept: "application/json", ...headers, ...(body ? { "content-type": "application/json" } : {}) },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  const response = await apps[table].fetch(request, { sourceIp: newSourceIp() });
  const text = await response.text();
  const { ok, error } = JSON.parse(text === "" || text.startsWith("<!doctype") ? '{ "ok": true }' : text) as {
    ok: boolean;
    error?: { code: string };
  };
  const shown = [...response.headers]
    .filter(([header]) => header !== "x-correlation-id")
    // A secret of the browser alone.
    .map(([header, value]) => [header, value.replace(/console_sign_in=[\w-]+/, "console_sign_in=")]);
  return {
    verdict: [response.status, ok ? "ok" : (error?.code ?? "")],
    bytes: JSON.stringify([response.status, shown, text]),
    headers: response.headers,
  };
}

function defaultId({ kind, tenant }: RouteRow, resources?: "paused"): string {
  if (kind === null) return "";
  // Where the resource determines the tenant, a caller of the suspended tenant names a resource of it.
  return resources === "paused" && tenant === "resource" ? world.pausedIds[kind] : world.unknownIds[kind];
}

const UNAUTHORIZED: Verdict = [401, "unauthorized"];
const FORBIDDEN: Verdict = [403, "forbidden"];

/** What the contract says about a caller of a route. */
function expectedVerdict(name: string, row: RouteRow, { headers, kind, standing }: RouteCaller): Verdict {
  const { auth, tenant, role, testKeyAnswer = row.answer, suspendedAnswer = FORBIDDEN } = row;
  const answer = ("sec-fetch-site" in headers && row.unmeantAnswer) || row.answer;
  if (auth === "none") return answer;
  if (standing.is === "refused" || kind === "none") return UNAUTHORIZED;
  if (auth !== "caller" && auth !== kind) return UNAUTHORIZED;
  switch (standing.is) {
    case "forged":
      return name.startsWith("GET ") ? answer : [403, "csrf_failed"];
    case "member":
      // Where the resource determines the tenant, an unknown one has no roles.
      return role === null || tenant === "resource" || hasRole(standing.role, role) ? answer : FORBIDDEN;
    case "key":
      return standing.isTest ? testKeyAnswer : answer;
    case "malformed_tenant":
      return tenant === "query" ? [400, "invalid_request"] : answer;
    case "ambiguous":
      return tenant === "query" ? [400, "tenant_required"] : answer;
    case "memberless":
    case "stranger":
      // An id of another tenant's resource is answered as an unknown one.
      return tenant === "query" ? FORBIDDEN : answer;
    case "suspended":
      // A key of one tenant, which is suspended, is refused by every route. A person is signed in all the same.
      return tenant === "none" && !standing.hasNoOther ? answer : suspendedAnswer;
  }
}

const everyRow = tables.flatMap(({ table, rows }) => Object.entries(rows).map(([name, row]) => ({ table, name, row })));

describe.each(everyRow)("$name", ({ table, name, row }) => {
  it("the route answers each caller as the contract says", async () => {
    const verdicts: Record<string, Verdict> = {};
    const expected: Record<string, Verdict> = {};
    for (const [callerName, caller] of Object.entries(callers)) {
      verdicts[callerName] = (await ask(table, name, row, caller)).verdict;
      expected[callerName] = expectedVerdict(name, row, caller);
    }
    expect(verdicts).toEqual(expected);
  });

  it("the route refuses every bad credential of the same cause with the same bytes", async () => {
    const refused = Object.values(callers).filter(({ standing }) => standing.is === "refused");
    const answers = await Promise.all(refused.map((caller) => ask(table, name, row, caller)));
    expect(refused.length).toBeGreaterThan(20);
    const withoutTimes = answers.map(({ bytes }) => bytes.replace(/"time\\":\\"[^"]*"/, ""));
    const causes = withoutTimes.map((bytes) => /"detail\\":\\"(\w*)/.exec(bytes)?.[1] ?? "");
    expect(new Set(withoutTimes).size).toBe(new Set(causes).size);
  });

  it("the route answers every id of another tenant, and every impossible one, as it answers an unknown one", async () => {
    if (row.kind === null || row.auth === "none") return;
    for (const callerName of row.auth === "session" ? ["an owner"] : ["a key", "an owner"]) {
      const caller = callers[callerName] as RouteCaller;
      const unknown = await ask(table, name, row, caller);
      expect(unknown.verdict, callerName).toEqual(row.answer);
      for (const [idName, id] of Object.entries(world.foreignIds[row.kind])) {
        if (row.storedIds?.includes(idName)) continue;
        expect((await ask(table, name, row, caller, id)).bytes, `${callerName}: ${idName}`).toBe(unknown.bytes);
      }
    }
  });

  it("the route checks the role where the id names the tenant, and answers a stranger as it answers an unknown id", async () => {
    if (row.kind !== "tenant" || row.role === null) return;
    const unknown = await ask(table, name, row, callers["an owner"] as RouteCaller);
    for (const role of roles) {
      const { verdict } = await ask(table, name, row, callers[`an ${role}`] as RouteCaller, world.own);
      expect(verdict, role).toEqual(hasRole(role, row.role) ? [200, "ok"] : FORBIDDEN);
    }
    for (const callerName of ["a member of no tenant", "an owner of a suspended tenant", "a member who was removed"]) {
      const stranger = { ...(callers[callerName] as RouteCaller), tenant: null };
      expect((await ask(table, name, row, stranger, world.own)).bytes, callerName).toBe(unknown.bytes);
    }
  });

  it("the route can be read by the console alone, and the OpenAPI document by any page", async () => {
    const isReadable = !["checkPage", "intake", "web"].includes(table) && name !== "GET /health";
    const isDocument = name === "GET /openapi.json";
    for (const origin of [api.ports.consoleOrigin, "https://evil.example", null]) {
      const { headers: own, ...caller } = callers["a key"] as RouteCaller;
      const headers = origin === null ? own : { ...own, origin };
      const answer = await ask(table, name, row, { ...caller, headers });
      const allowed = isReadable && origin === api.ports.consoleOrigin ? origin : null;
      expect(answer.headers.get("access-control-allow-origin")).toBe(isDocument ? "*" : allowed);
      expect(answer.headers.get("access-control-allow-credentials")).toBe(allowed === null ? null : "true");
      const isCompressed = isDocument || name.startsWith("GET /app");
      const others = (answer.headers.get("vary") ?? "").split(", ").filter((name) => name !== "accept-language");
      expect(others.join()).toBe(isCompressed ? "accept-encoding" : isReadable ? "origin" : "");
    }
  });
});
