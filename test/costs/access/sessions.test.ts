import { expect, test } from "vitest";
import { isRefusal } from "#base/kernel/refusals.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { revokeKey } from "#features/access/flows/key-lists.ts";
import { createKey } from "#features/access/flows/keys.ts";
import type { Author } from "#features/access/rules/callers.ts";
import { type Caller, implicitTenant, type Role } from "#features/access/rules/callers.ts";
import { createWebhook, deleteWebhook, rotateSecret, sendTestEvent, updateWebhook } from "#features/webhooks/flows.ts";
import { callerCredentials } from "#http/credentials/caller-credentials.ts";
import { createTenant } from "../../features/access/store/support/team-samples.ts";
import { identifyCaller } from "../../http/support/identify.ts";
import { openedOnce } from "../../support/opened.ts";
import { newSession } from "../../support/routes/sessions.ts";
import { startMeteredPipeline } from "../start-metered-pipeline.ts";

// What the credential of a request costs when it is a session. docs/design/table-costs.md shows the same figures.

const pipeline = openedOnce(startMeteredPipeline);

/** Identifies the caller of a write and counts its request. @returns whether it was refused */
async function passDoor(headers: Record<string, string>, namedTenant: TenantId | null = null): Promise<boolean> {
  const credentials = callerCredentials(pipeline.apiPorts);
  const route = { auth: "caller", method: "POST" } as const;
  const caller = await identifyCaller(credentials, route, new Headers(headers), pipeline.now());
  if (isRefusal(caller)) return true;
  await credentials.rateLimit(caller, pipeline.now(), namedTenant);
  return false;
}

/** The caller of a session. */
async function callerOf(headers: Record<string, string>): Promise<Caller> {
  const route = { auth: "caller", method: "POST" } as const;
  const credentials = callerCredentials(pipeline.apiPorts);
  const caller = await identifyCaller(credentials, route, new Headers(headers), pipeline.now());
  if (isRefusal(caller)) throw new Error(caller.refused);
  return caller;
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

test("a member of several tenants counts a second time where the request names one of them, and a stranger to it does not", async () => {
  const { writeHeaders } = await sessionWith(3);
  const caller = await callerOf(writeHeaders);
  const [named] = caller.kind === "session" ? caller.memberships : [];
  if (!named) throw new Error("The session has tenants.");
  const other = await createTenant(pipeline.table);
  await passDoor(writeHeaders, named.tenant);
  expect(await pipeline.cost(() => passDoor(writeHeaders, named.tenant))).toEqual({ wcu: 2, rcu: 1, sqs: 0 });
  expect(await pipeline.cost(() => passDoor(writeHeaders, other))).toEqual({ wcu: 1, rcu: 1, sqs: 0 });
});

test("a key and a webhook endpoint that a member creates cost two units more, for the check of the member", async () => {
  const { writeHeaders } = await sessionWith(1);
  const caller = await callerOf(writeHeaders);
  const tenant = implicitTenant(caller);
  if (!tenant) throw new Error("The session has one tenant.");
  const [author, now] = [{ caller, ip: null }, pipeline.now()];
  const newKey = () => createKey(pipeline.apiPorts, tenant, { author, scope: "live", label: "" }, now);
  await newKey();
  const url = `${pipeline.loopback.origin}/hooks/new`;
  const newWebhook = () => createWebhook(pipeline.apiPorts, { tenant, url, events: ["message.received"], author, now });
  expect(await pipeline.cost(newKey)).toEqual({ wcu: 10, rcu: 0, sqs: 0 });
  expect(await pipeline.cost(newWebhook)).toEqual({ wcu: 8, rcu: 0, sqs: 0 });
});

test("each change of an endpoint, a test event and a revocation cost two units more, too", async () => {
  const { writeHeaders } = await sessionWith(1);
  const caller = await callerOf(writeHeaders);
  const tenant = implicitTenant(caller);
  if (!tenant) throw new Error("The session has one tenant.");
  const ports = pipeline.apiPorts;
  const url = `${pipeline.loopback.origin}/hooks/new`;
  const cost = async (author: Author) => {
    const request = { tenant, author, now: pipeline.now() };
    const webhook = await createWebhook(ports, { ...request, url, events: ["message.received"] });
    const key = await createKey(ports, tenant, { author, scope: "live", label: "" }, request.now);
    if (isRefusal(webhook) || isRefusal(key)) throw new Error("The endpoint or the key was refused.");
    const named = { ...request, endpointId: webhook.endpoint.id };
    const writes = [
      () => updateWebhook(ports, { ...named, changes: { events: ["message.sent"] } }),
      () => rotateSecret(ports, named),
      () => sendTestEvent(ports, named),
      () => deleteWebhook(ports, named),
      () => revokeKey(ports, { ...request, keyId: key.id }),
    ];
    const units: number[] = [];
    for (const write of writes) units.push((await pipeline.cost(write)).wcu);
    return units;
  };
  expect(await cost({ actor: "cli" })).toEqual([4, 4, 7, 6, 8]);
  expect(await cost({ caller, ip: null })).toEqual([6, 6, 9, 8, 10]);
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
