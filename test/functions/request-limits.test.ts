import { createHmac } from "node:crypto";
import { beforeAll, beforeEach, expect, it } from "vitest";
import type { TenantId } from "#base/kernel/tenant.ts";
import { MINUTE, SECOND } from "#base/kernel/time.ts";
import { requestQuotaStore } from "#features/access/store/request-quota.ts";
import { holdStore } from "#features/holds/store/holds.ts";
import type { IntakePorts } from "#features/inbox/ports.ts";
import { intakeRoutes } from "#features/inbox/routes/intake.ts";
import { newUploadId } from "#features/uploads/rules/uploads.ts";
import { uploadStore } from "#features/uploads/store/uploads.ts";
import { noCredentials } from "#http/credentials/credentials.ts";
import { createKey } from "../features/access/flows/support/api-keys.ts";
import { createTenant } from "../features/access/store/support/team-samples.ts";
import type { FetchApp } from "../support/conformance/fetch-app.ts";
import { createApp } from "../support/conformance/observed-app.ts";
import { type FaultyOperation, injectFaults } from "../support/faults.ts";
import { openTestEnv, type TestEnv } from "../support/flows/test-env.ts";
import { openedOnce } from "../support/opened.ts";
import { newSession } from "../support/routes/sessions.ts";
import { testApp } from "../support/routes/test-app.ts";
import { holdAuditEntry, recordInbound, sampleHold } from "../support/stores/hold-samples.ts";
import { newTenant, sampleConversationId } from "../support/stores/samples.ts";
import { sampleUpload } from "../support/stores/upload-samples.ts";

const PER_TENANT = 3;
const APP_SECRET = "the secret of the instagram app";
let ports: ReturnType<TestEnv["apiPorts"]>;
let app: FetchApp;
const testEnv = openedOnce(openTestEnv);
const queues = openedOnce(() => testEnv.newQueues());
beforeAll(async () => {
  const requestQuota = requestQuotaStore(testEnv.table, PER_TENANT);
  ports = { ...testEnv.apiPorts(queues), requestQuota };
  app = testApp(testEnv, ports);
});

let tenant: TenantId;
let headers: { authorization: string };
beforeEach(async () => {
  tenant = await createTenant(testEnv.table);
  headers = await newKeyHeaders(tenant);
  // A test never crosses the end of a minute.
  testEnv.advance(MINUTE - (testEnv.now() % MINUTE) + SECOND);
});

async function newKeyHeaders(of: TenantId) {
  const { secret } = await createKey(ports, of, { scope: "live", label: "", author: { actor: "cli" } }, testEnv.now());
  return { authorization: `Bearer ${secret}` };
}

const get = (path: string, credentials: Record<string, string> = headers) =>
  app.request(path, { headers: credentials });

async function reachLimit(): Promise<void> {
  for (let i = 0; i < PER_TENANT; i++) expect((await get("/v1/accounts")).status).toBe(200);
}

/** What a caller sees of a response. */
async function answerOf(request: Response | Promise<Response>) {
  const response = await request;
  return { status: response.status, text: await response.text(), retryAfter: response.headers.get("retry-after") };
}

/** The same, with the calls to AWS that the request made, in their order. */
async function withCalls(request: () => Response | Promise<Response>) {
  const calls: string[] = [];
  const record = ({ command }: FaultyOperation) => {
    calls.push(command);
    return "pass" as const;
  };
  const ends = [injectFaults(testEnv.client, record), injectFaults(testEnv.sqs as never, record)];
  try {
    return { ...(await answerOf(request())), calls };
  } finally {
    for (const end of ends) end();
  }
}

const pace = ({ headers: all }: Response) =>
  ["limit", "remaining", "reset"].map((name) => Number(all.get(`ratelimit-${name}`)));

const newPerson = (...tenants: readonly TenantId[]) =>
  newSession(
    { table: testEnv.table, sessionKeys: ports.sessionKeys, now: testEnv.now() },
    tenants.map((each) => [each, "agent"] as const),
  );

it("a tenant at its limit gets 429 with Retry-After and the pace of the nearer limit, with each of its keys and members", async () => {
  expect(pace(await get("/v1/accounts"))).toEqual([PER_TENANT, PER_TENANT - 1, 59]);
  await get("/v1/accounts");
  const person = await newPerson(tenant);
  expect(pace(await get("/v1/accounts", person.headers))).toEqual([PER_TENANT, 0, 59]);
  for (const credentials of [headers, await newKeyHeaders(tenant), person.headers]) {
    const refused = await get("/v1/accounts", credentials);
    expect(pace(refused)).toEqual([PER_TENANT, 0, 59]);
    expect(refused.headers.get("retry-after")).toBe("59");
    expect([refused.status, await refused.json()]).toMatchObject([429, { error: { code: "rate_limited" } }]);
  }
  testEnv.advance(59 * SECOND);
  expect((await get("/v1/accounts")).status).toBe(200);
});

it("a tenant at its limit leaves another tenant and the platforms the same answers, for the same calls to AWS", async () => {
  const intake = createApp<IntakePorts>({
    endpoints: intakeRoutes,
    ports: {
      ...testEnv.intakePorts(queues),
      platformSecrets: async () => ({ meta: [], instagram: [APP_SECRET], verifyToken: "let me in" }),
    },
    credentials: noCredentials,
    now: testEnv.now,
    log: (line) => testEnv.lines.push(line),
  });
  const body = JSON.stringify({ object: "instagram", entry: [] });
  const signature = `sha256=${createHmac("sha256", APP_SECRET).update(body).digest("hex")}`;
  const webhook = () =>
    intake.request("/webhooks/instagram", { method: "POST", body, headers: { "x-hub-signature-256": signature } });
  const others = await newKeyHeaders(await createTenant(testEnv.table));
  const message = { conversation_id: sampleConversationId(newTenant()), text: "hello" };
  const reply = () =>
    app.request("/v1/messages/reply", {
      method: "POST",
      headers: { ...others, "content-type": "application/json" },
      body: JSON.stringify(message),
    });
  // The first use of a key is recorded, and none in the hour after it.
  for (const key of [headers, others]) expect((await get("/v1/accounts", key)).status).toBe(200);
  testEnv.advance(MINUTE);
  const results = async () => [
    await withCalls(() => get("/v1/accounts", others)),
    await withCalls(reply),
    await withCalls(webhook),
  ];

  const before = await results();
  expect(before).toMatchObject([
    { status: 200, calls: ["GetItem", "UpdateItem", "Query", "Query"] },
    { status: 404 },
    { status: 200, calls: ["SendMessage"] },
  ]);
  testEnv.advance(MINUTE);
  await reachLimit();
  expect(await withCalls(() => get("/v1/accounts"))).toMatchObject({ status: 429, calls: ["GetItem", "UpdateItem"] });
  expect(await results()).toEqual(before);
});

it("a person of several tenants is refused for the one at its limit, however the request names it, and for no other", async () => {
  const other = await createTenant(testEnv.table);
  const person = await newPerson(tenant, other);
  await reachLimit();
  const reply = (of: TenantId) =>
    app.request("/v1/messages/reply", {
      method: "POST",
      headers: { ...person.writeHeaders, "content-type": "application/json" },
      body: JSON.stringify({ conversation_id: sampleConversationId(of), text: "hello" }),
    });
  expect((await get(`/v1/accounts?tenant=${tenant}`, person.headers)).status).toBe(429);
  expect((await reply(tenant)).status).toBe(429);
  expect((await get(`/v1/accounts?tenant=${other}`, person.headers)).status).toBe(200);
  expect((await reply(other)).status).toBe(404);
});

it("a person of several tenants counts alone for what names only an upload or a held message", async () => {
  const person = await newPerson(tenant, await createTenant(testEnv.table));
  await recordInbound(testEnv.table, tenant);
  const now = testEnv.now();
  const upload = sampleUpload(tenant, { id: newUploadId(now), conversationId: sampleConversationId(tenant) });
  expect(await uploadStore(testEnv.table).create(upload, now)).toBe(true);
  const hold = sampleHold(tenant, { createdAt: now, expiresAt: now + 15 * MINUTE });
  await holdStore(testEnv.table).create(hold, now, holdAuditEntry(hold));
  await reachLimit();
  for (const [index, path] of [`attachments/uploads/${upload.id}`, `messages/holds/${hold.id}`].entries()) {
    const response = await get(`/v1/${path}`, person.headers);
    expect([response.status, ...pace(response)], path).toEqual([200, 600, 599 - index, 59]);
  }
  expect((await get(`/v1/accounts?tenant=${tenant}`, person.headers)).status).toBe(429);
});

it("a person of several tenants does not consume the limit of a tenant of others by naming it", async () => {
  const stranger = await newPerson(await createTenant(testEnv.table), await createTenant(testEnv.table));
  for (let i = 0; i < PER_TENANT; i++) {
    expect((await get(`/v1/accounts?tenant=${tenant}`, stranger.headers)).status).toBe(403);
  }
  await reachLimit();
});
