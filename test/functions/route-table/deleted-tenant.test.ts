import { DeleteCommand, PutCommand } from "@aws-sdk/lib-dynamodb";
import { describe, expect, it } from "vitest";
import { apiKeyAttributes } from "#features/access/store/attributes.ts";
import { tenantKey } from "#features/access/store/items.ts";
import { tenantDeletionStore } from "#features/tenants/store/tenant-deletions.ts";
import { injectFaults } from "../../support/faults.ts";
import { allRows, type Row } from "../../support/flows/data-subject.ts";
import { newSourceIp } from "../../support/flows/hold-fixture.ts";
import { openTestEnv } from "../../support/flows/test-env.ts";
import { openedOnce } from "../../support/opened.ts";
import { openApiApp } from "../../support/routes/api-app.ts";
import { sampled } from "../../support/sampling.ts";
import { openRouteApps } from "./apps.ts";
import { openRouteCallers, type RouteCaller } from "./callers.ts";
import { apiRows, connectRows, consoleRows, type RouteRequest, type RouteRow } from "./rows.ts";
import { openRouteWorld } from "./world.ts";

let isIdentified = false;
const testEnv = openedOnce(openTestEnv);
const api = openedOnce(() => openApiApp(testEnv));
const world = openedOnce(() => openRouteWorld(testEnv, api));
const callers = openedOnce(() => openRouteCallers(testEnv, api, world));
// A tenant is deleted while each of its requests is in progress: the credential was read before, and no answer is a 500.

const apps = openedOnce(() =>
  openRouteApps(testEnv, api, async () => {
    isIdentified = true;
    return null;
  }),
);

/** How far the deletion is when the request meets it. */
const stages = ["started", "first rows removed", "access removed", "finished", "slug free"] as const;
type Stage = (typeof stages)[number];
/** The other stages meet a request only before its first call. */
const atEachCall: readonly Stage[] = ["first rows removed", "slug free"];

async function deleteTenant(stage: Stage): Promise<void> {
  const { own } = world;
  const [deletions, now] = [tenantDeletionStore(testEnv.table), testEnv.now()];
  await deletions.start(own, { actor: "cli", now });
  if (stage === "started") return;
  if (stage === "first rows removed") return removeFirstRows();
  await deletions.removeAccess(own, now);
  if (stage === "access removed") return;
  await deletions.finish(own, { actor: "cli", now });
  if (stage === "finished") return;
  await testEnv.table.client.send(new DeleteCommand({ TableName: testEnv.table.name, Key: tenantKey(own) }));
}

/** A deletion removes the rows of keys and members outside the tenant's partition before those in it. */
async function removeFirstRows(): Promise<void> {
  const { client, name: TableName } = testEnv.table;
  for (const row of await allRows(testEnv)) {
    const { PK, SK, [apiKeyAttributes.tenants]: tenants } = row;
    const isKey = PK.startsWith("K#") && [...(tenants as Iterable<string>)].includes(world.own);
    if (isKey || SK === `MEM#${world.own}`) await client.send(new DeleteCommand({ TableName, Key: { PK, SK } }));
  }
}

/** Brings the table back to these rows. */
async function restore(before: readonly Row[]): Promise<void> {
  const { client, name: TableName } = testEnv.table;
  const texts = new Map((await allRows(testEnv)).map((row) => [`${row.PK} ${row.SK}`, row]));
  for (const Item of before) {
    const stored = texts.get(`${Item.PK} ${Item.SK}`);
    texts.delete(`${Item.PK} ${Item.SK}`);
    if (JSON.stringify(stored) !== JSON.stringify(Item)) await client.send(new PutCommand({ TableName, Item }));
  }
  for (const { PK, SK } of texts.values()) await client.send(new DeleteCommand({ TableName, Key: { PK, SK } }));
}

/** Requests that their row's would be refused before they write. */
const validBodies: Readonly<Record<string, object>> = {
  "POST /v1/webhooks": { url: "http://127.0.0.1:9/new" },
  "POST /console/invites": { email: "new@example.com", role: "agent" },
  "PATCH /console/team/{user_id}": { role: "admin" },
};

function requestOf(name: string, { kind, request }: RouteRow, { actorId }: RouteCaller): RouteRequest {
  const id = kind === null ? "" : world.ownIds[kind];
  const filled = request({ id, ownEndpointId: world.ownIds.endpoint, actorId });
  const body = validBodies[name] ?? filled.body;
  return { ...filled, ...(body ? { body } : {}) };
}

/** Calls a route, whose tenant is deleted before the k-th call that follows the identification of the caller. */
async function callWhileDeleting(
  { table, name, row }: TenantRoute,
  caller: RouteCaller,
  { stage, k }: { readonly stage: Stage; readonly k: number },
) {
  const { path, body } = requestOf(name, row, caller);
  const request = new Request(`http://gateway${path}`, {
    method: name.split(" ")[0] ?? "",
    headers: { ...caller.headers, ...(body ? { "content-type": "application/json" } : {}) },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  const faultLines = testEnv.lines.length;
  let calls = 0;
  isIdentified = false;
  const end = injectFaults(testEnv.client, async (): Promise<"pass"> => {
    if (!isIdentified || calls++ !== k) return "pass";
    isIdentified = false;
    await deleteTenant(stage);
    return "pass";
  });
  const response = await apps[table].fetch(request, { sourceIp: newSourceIp() });
  end();
  return {
    status: response.status,
    isDeleted: calls > k,
    faults: testEnv.lines.slice(faultLines).filter(({ event }) => event === "request.failed"),
  };
}

interface TenantRoute {
  readonly table: "api" | "connect" | "console";
  readonly name: string;
  readonly row: RouteRow;
}

const tenantRoutes: readonly TenantRoute[] = (
  [
    ["api", apiRows],
    ["connect", connectRows],
    ["console", consoleRows],
  ] as const
).flatMap(([table, rows]) =>
  Object.entries(rows).flatMap(([name, row]) => (row.tenant === "none" ? [] : [{ table, name, row }])),
);

/** `npm test` calls each route as one of the two, in turn. `npm run test:full` calls it as both. */
const callersOf = (route: TenantRoute) =>
  sampled(tenantRoutes.indexOf(route) % 2 === 0 ? ["a key", "an owner"] : ["an owner", "a key"], { step: 2 });

describe.each(tenantRoutes)("$name", (route) => {
  it("the route answers no 500 while its tenant is deleted", async () => {
    const before = await allRows(testEnv);
    for (const callerName of route.row.auth === "session" ? ["an owner"] : callersOf(route)) {
      for (const stage of route.name.startsWith("GET ") ? (["access removed"] as const) : stages) {
        for (let k = 0, isDeleted = true; isDeleted; k++) {
          if (k > 0 && !atEachCall.includes(stage)) break;
          const result = await callWhileDeleting(route, callers[callerName] as RouteCaller, { stage, k });
          ({ isDeleted } = result);
          await restore(before);
          const at = `${callerName}, ${stage}, before call ${k}`;
          // A reply reaches no platform here, which is 502 as ever.
          expect([at, result.faults, result.status === 500]).toEqual([at, [], false]);
        }
      }
    }
  });
});
