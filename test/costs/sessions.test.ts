import { afterAll, beforeAll, expect, test } from "vitest";
import { callerCredentials } from "../../functions/http/caller-credentials.ts";
import { identifyCaller } from "../../functions/http/credentials.ts";
import type { Role } from "../../shared/domain/access/roles.ts";
import { isRefusal } from "../../shared/kernel/refusals.ts";
import type { TenantId } from "../../shared/kernel/tenant.ts";
import { newSession } from "../functions/routes/support/sessions.ts";
import { createTenant } from "../shared/stores/access/support/team-samples.ts";
import type { Pipeline } from "../support/pipeline.ts";
import { startMeteredPipeline } from "./start-metered-pipeline.ts";

// What the credential of a request costs when it is a session. docs/design/table-costs.md shows the same figures.

let pipeline: Pipeline;
beforeAll(async () => {
  pipeline = await startMeteredPipeline();
});
afterAll(() => pipeline.close());

/** Identifies the caller of a write and counts its request. @returns whether it was refused */
async function passDoor(headers: Record<string, string>): Promise<boolean> {
  const credentials = callerCredentials(pipeline.apiPorts);
  const route = { auth: "caller", method: "POST" } as const;
  const caller = await identifyCaller(credentials, route, new Headers(headers), pipeline.now());
  if (isRefusal(caller)) return true;
  await credentials.rateLimit(caller, pipeline.now());
  return false;
}

async function sessionWith(tenants: number) {
  const { table } = pipeline;
  const memberships: [TenantId, Role][] = [];
  for (let i = 0; i < tenants; i++) memberships.push([await createTenant(table), "admin"]);
  return newSession({ table, sessionKeys: pipeline.apiPorts.sessionKeys, now: pipeline.now() }, memberships);
}

test.each([
  [0, 1],
  [1, 1],
  [3, 1],
  [60, 1],
  [100, 2],
])("a member of %i tenants is read for %i units, and counts in the minute for one", async (tenants, rcu) => {
  const { writeHeaders } = await sessionWith(tenants);
  await passDoor(writeHeaders);
  expect(await pipeline.cost(() => passDoor(writeHeaders))).toEqual({ wcu: 1, rcu, sqs: 0 });
});

test("a request that its form alone refuses costs nothing", async () => {
  const { headers, token, csrfToken } = await sessionWith(1);
  const refused: Record<string, string>[] = [
    headers,
    { ...headers, "x-csrf-token": `${csrfToken}x` },
    { ...headers, "x-csrf-token": csrfToken, origin: "https://evil.example" },
    { cookie: `console_session=${token}x`, "x-csrf-token": csrfToken },
    { cookie: `console_session=${token}; console_session=${token}`, "x-csrf-token": csrfToken },
    { cookie: `console_session=${"x".repeat(8 * 1024)}`, "x-csrf-token": csrfToken },
    { cookie: "console_session=a.b.c", "x-csrf-token": csrfToken },
  ];
  for (const each of refused) {
    expect(await pipeline.cost(async () => expect(await passDoor(each)).toBe(true))).toEqual({
      wcu: 0,
      rcu: 0,
      sqs: 0,
    });
  }
});
