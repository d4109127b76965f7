import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { operatorLimitNames, operatorLimits } from "#base/config/operator-limits.ts";
import { ENDPOINTS_PER_TENANT_MAX, KEYS_PER_TENANT_MAX, REQUESTS_PER_CALLER_PER_MINUTE } from "#base/kernel/limits.ts";
import { DAY, MINUTE, SECOND, startOfDay } from "#base/kernel/time.ts";
import type { InviteLimits } from "#features/access/store/invite-counts.ts";
import { requestQuotaStore } from "#features/access/store/request-quota.ts";
import { connectAccount } from "#features/accounts/flows/connect.ts";
import { createKey } from "../features/access/flows/support/api-keys.ts";
import { newEmail, openTeamEnv } from "../features/access/flows/team/support/team.ts";
import { openConnectionFixture } from "../features/accounts/flows/support/connection-fixture.ts";
import { browser, openLoginFixture } from "../features/accounts/routes/support/login-fixture.ts";
import type { FetchApp } from "../support/conformance/fetch-app.ts";
import { createEndpointAt } from "../support/flows/test-endpoints.ts";
import { openedOnce } from "../support/opened.ts";
import { openConsoleApp } from "../support/routes/console-app.ts";
import { newSession, type TestSession } from "../support/routes/sessions.ts";
import { testApp } from "../support/routes/test-app.ts";
import { newTenant } from "../support/stores/samples.ts";

// Each row of the table in the guide on limits that Parley itself enforces: a person reaches it, over HTTP, and gets what
// the row says. The throttles of the gateway are compared with the template in test/lib.

interface GuideRow {
  readonly limit: string;
  readonly number: number;
  readonly setting: string;
  /** Status and code, such as `409 key_limit`. */
  readonly answer: string;
  readonly retryAfter: string;
}

const guide = readFileSync(new URL("../../docs/guides/limits.md", import.meta.url), "utf8");
const guideRows = guide
  .split("\n")
  .filter((line) => /^\| .* \| [0-9]+ \|/.test(line))
  .map((line): GuideRow => {
    const [limit = "", number = "", setting = "", answer = "", retryAfter = ""] = line
      .slice(1, -1)
      .split("|")
      .map((cell) => cell.replaceAll("`", "").trim());
    return { limit, number: Number(number), setting, answer, retryAfter };
  });
const ownRows = guideRows.filter(({ answer }) => !answer.includes("gateway"));
const login = openedOnce(openLoginFixture);
const testEnv = openedOnce(() => login.testEnv);
const queues = openedOnce(() => testEnv.newQueues());
const connection = openedOnce(() => openConnectionFixture(testEnv));
const team = openedOnce(() => openTeamEnv(testEnv));
beforeAll(async () => {
  // Neither a minute nor a day ends within a test.
  testEnv.advance(startOfDay(testEnv.now()) + DAY + 10 * MINUTE + 15 * SECOND - testEnv.now());
});

const send = (app: FetchApp, path: string, { writeHeaders }: Pick<TestSession, "writeHeaders">, body?: object) =>
  app.request(path, {
    method: "POST",
    headers: { ...writeHeaders, "content-type": "application/json" },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });

function consoleApp(ports: {
  tenantLimits?: { perOwner: number; perDay: number };
  invites?: Partial<InviteLimits>;
}): FetchApp {
  const { tenantLimits = { perOwner: 100, perDay: 100 }, invites } = ports;
  const { sessionKeys } = login.ports;
  const inviteLimits = { pending: 100, tenantMails: 100, personMails: 100, ...invites };
  const keys = { sessionKeys, loginKeys: sessionKeys };
  return openConsoleApp(testEnv, { ...team.ports, ...keys, isSignUpOpen: true, tenantLimits, inviteLimits });
}

/** Creates a tenant, and then another one. */
async function createTwoTenants(tenantLimits: { perOwner: number; perDay: number }): Promise<Response> {
  const person = await newSession({ ...login.ports, table: testEnv.table, now: testEnv.now() }, []);
  const app = consoleApp({ tenantLimits });
  const create = () => send(app, "/console/tenants", person, { id: newTenant(), name: "Shop" });
  expect((await create()).status).toBe(201);
  return create();
}

/** Sends an invite in each of the tenants, in turn. @returns the last answer */
async function invite(limits: Partial<InviteLimits>, tenants = 1): Promise<Response> {
  const owned = await Promise.all(Array.from({ length: tenants }, () => team.newTenant()));
  const memberships = owned.map((tenant) => [tenant, "owner"] as const);
  const person = await newSession({ ...login.ports, table: testEnv.table, now: testEnv.now() }, memberships);
  const app = consoleApp({ invites: limits });
  const inviteTo = (tenant: string) =>
    send(app, `/console/invites?tenant=${tenant}`, person, { email: newEmail(), role: "agent" });
  expect((await inviteTo(owned[0] ?? "")).status).toBe(201);
  return inviteTo(owned.at(-1) ?? "");
}

/** An API with a key of a new tenant. */
async function openApi(requestsPerTenant?: number) {
  const tenant = await team.newTenant();
  const ports = { ...testEnv.apiPorts(queues), requestQuota: requestQuotaStore(testEnv.table, requestsPerTenant) };
  const key = { scope: "live", label: "", author: { actor: "cli" } } as const;
  const { id, secret } = await createKey(ports, tenant, key, testEnv.now());
  const writeHeaders = { authorization: `Bearer ${secret}`, cookie: "", "x-csrf-token": "" };
  const app = testApp(testEnv, ports);
  return {
    tenant,
    ports,
    keyId: id,
    get: () => app.request("/v1/accounts", { headers: writeHeaders }),
    post: (path: string, body: object) => send(app, path, { writeHeaders }, body),
  };
}

/** Reaches the limit of a row. @returns the answer to the first request beyond it */
const reachLimit: Readonly<Record<string, () => Promise<Response>>> = {
  "Tenants that a person owns and still creates another one, where sign-up is open": () =>
    createTwoTenants({ perOwner: 1, perDay: 100 }),
  "Tenants that a person creates in a day": () => createTwoTenants({ perOwner: 100, perDay: 1 }),
  "Pending invites of a tenant": () => invite({ pending: 1 }),
  "Invite mails of a tenant in a day": () => invite({ tenantMails: 1 }),
  "Invite mails of a person in a day, in all tenants": () => invite({ personMails: 1 }, 2),
  "Requests of a tenant's keys and members in a minute": async () => {
    const { get } = await openApi(1);
    expect((await get()).status).toBe(200);
    return get();
  },
  "Requests of a key, or of a person in all tenants, in a minute": async () => {
    const { get, ports, tenant, keyId } = await openApi();
    for (let i = 1; i < REQUESTS_PER_CALLER_PER_MINUTE; i++) {
      await ports.requestQuota.consumeInTenant(tenant, keyId, testEnv.now());
    }
    expect((await get()).status).toBe(200);
    return get();
  },
  "Accounts of a tenant": async () => {
    const admin = await login.newMember("admin");
    await connection.connect(admin.tenant, connection.messenger());
    const ports = { ...connection.ports(), accountsMax: 1 };
    const app = login.openApp({ connectAccount: ({ time, ...account }) => connectAccount(ports, account, time) });
    const { state, cookie } = await login.start("instagram", admin);
    const headers = { ...browser(admin, cookie), accept: "application/json" };
    return app.request(`/oauth/instagram/callback?code=c&state=${encodeURIComponent(state)}`, { headers });
  },
  "Active keys of a tenant": async () => {
    const { post } = await openApi();
    for (let active = 1; active < KEYS_PER_TENANT_MAX; active++) {
      expect((await post("/v1/keys", { scope: "live" })).status).toBe(200);
    }
    return post("/v1/keys", { scope: "live" });
  },
  "Webhook endpoints of a tenant": async () => {
    const { post, tenant } = await openApi();
    const url = "http://127.0.0.1:9/";
    for (let i = 1; i < ENDPOINTS_PER_TENANT_MAX; i++) await createEndpointAt(testEnv, queues, tenant, url);
    expect((await post("/v1/webhooks", { url })).status).toBe(200);
    return post("/v1/webhooks", { url });
  },
};

it("the guide has a row for each limit that a test reaches, with the default of its setting", () => {
  expect(ownRows.map(({ limit }) => limit)).toEqual(Object.keys(reachLimit));
  const settings = new Map(ownRows.map(({ setting, number }) => [setting.replace("parley:", ""), number]));
  for (const name of operatorLimitNames) expect(settings.get(name), name).toBe(operatorLimits[name].default);
  const numbers = ownRows.filter(({ setting }) => setting === "").map(({ number }) => number);
  expect(numbers).toEqual([REQUESTS_PER_CALLER_PER_MINUTE, KEYS_PER_TENANT_MAX, ENDPOINTS_PER_TENANT_MAX]);
});

describe.each(ownRows)("$limit", ({ limit, answer, retryAfter }) => {
  it(`beyond it, the answer is ${answer}, with Retry-After ${retryAfter || "absent"}`, async () => {
    const response = (await reachLimit[limit]?.()) ?? Response.error();
    const { error } = (await response.json()) as { error: { code: string } };
    expect(`${response.status} ${error.code}`).toBe(answer);
    const now = testEnv.now();
    const seconds: Readonly<Record<string, number>> = {
      "until the next day": (startOfDay(now) + DAY - now) / SECOND,
      "until the next minute": (MINUTE - (now % MINUTE)) / SECOND,
    };
    const expected = retryAfter === "" ? null : String(seconds[retryAfter]);
    expect(response.headers.get("retry-after")).toBe(expected);
  });
});
