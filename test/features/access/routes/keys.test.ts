import { beforeEach, expect, it } from "vitest";
import type { TenantId } from "#base/kernel/tenant.ts";
import { DAY, iso } from "#base/kernel/time.ts";
import type { Scope } from "#features/access/rules/scope.ts";
import { openTestEnv } from "../../../support/flows/test-env.ts";
import { openedOnce } from "../../../support/opened.ts";
import { type ApiResponse, openApiApp } from "../../../support/routes/api-app.ts";
import { newTenant } from "../../../support/stores/samples.ts";

let tenant: TenantId;
let key: string;
let testKey: string;
const testEnv = openedOnce(openTestEnv);
const api = openedOnce(() => openApiApp(testEnv));
beforeEach(async () => {
  tenant = newTenant();
  [key, testKey] = [await api.newKey(tenant), await api.newKey(tenant, "test")];
});

const send = async (method: string, path: string, body?: string, as = key): Promise<ApiResponse> => {
  const headers = { authorization: `Bearer ${as}` };
  const init = { method, headers, ...(body === undefined ? {} : { body }) };
  const response = await api.app.fetch(new Request(`http://gateway${path}`, init), { sourceIp: "203.0.113.7" });
  return { status: response.status, body: await response.json() };
};
const mint = (body?: unknown, as = key, query = "") =>
  send("POST", `/v1/keys${query}`, body === undefined ? undefined : JSON.stringify(body), as);
const keysOf = async (as = key) => (await send("GET", "/v1/keys", undefined, as)).body.data.keys;
const statusAndCode = ({ status, body }: ApiResponse) => [status, body.ok ? "ok" : body.error.code];

it("POST /v1/keys returns a key with its secret, which works at once and is never returned again", async () => {
  const { status, body } = await mint({ scope: "live", label: "Büro 🗝" });
  expect(status).toBe(200);
  expect(body.data).toEqual({
    id: expect.stringMatching(/^[0-9A-Z]{26}$/),
    prefix: body.data.secret.slice(0, 13),
    secret: expect.stringMatching(/^svc_live_[0-9A-Za-z]{46}$/),
    scope: "live",
    strict: false,
    label: "Büro 🗝",
    created_at: iso(testEnv.now()),
  });
  const keys = await keysOf(body.data.secret);
  const { secret, ...rest } = body.data;
  expect(keys).toContainEqual({ ...rest, status: "active", last_used_at: iso(testEnv.now()) });
  expect(JSON.stringify(keys)).not.toContain(secret.slice(13));
});

it.each<[string, Scope | undefined, () => string, Scope]>([
  ["a live key", undefined, () => key, "live"],
  ["a live key that asks for test", "test", () => key, "test"],
  ["a test key", undefined, () => testKey, "test"],
  ["a test key that asks for test", "test", () => testKey, "test"],
])("POST /v1/keys gives %s the scope %s or its own", async (_name, scope, as, expected) => {
  for (const body of scope ? [{ scope }] : [undefined, {}, { label: "x" }]) {
    expect((await mint(body, as())).body.data).toMatchObject({ scope: expected });
  }
});

it.each([
  [{ scope: "test" }, true],
  [{ scope: "live" }, false],
  [{ scope: "test", strict: false }, false],
  [{ scope: "live", strict: true }, true],
] as const)("POST /v1/keys with %j makes a key that refuses unknown names: %s", async (settings, strict) => {
  const { data } = (await mint(settings)).body;
  expect(data.strict).toBe(strict);
  expect((await keysOf()).find(({ id }: { id: string }) => id === data.id).strict).toBe(strict);
  const { status, body } = await send("GET", "/v1/conversations?platfrom=instagram", undefined, data.secret);
  expect([status, body.error?.message]).toEqual(
    strict ? [400, "platfrom is unknown; the nearest name is platform."] : [200, undefined],
  );
});

it("POST /v1/keys refuses a test key that asks for a live one", async () => {
  expect(statusAndCode(await mint({ scope: "live" }, testKey))).toEqual([403, "forbidden"]);
  expect(await keysOf()).toHaveLength(2);
});

it("POST /v1/keys creates the key of the tenant that an operator names, and of no other", async () => {
  const operator = await api.newOperatorKey([tenant]);
  expect(statusAndCode(await mint({}, operator))).toEqual([400, "tenant_required"]);
  expect(statusAndCode(await mint({}, operator, `?tenant=${newTenant()}`))).toEqual([403, "forbidden"]);
  const { body } = await mint({}, operator, `?tenant=${tenant}`);
  expect(body.data).toMatchObject({ scope: "live", label: "" });
  expect(await keysOf(body.data.secret)).toHaveLength(3);
  expect(statusAndCode(await mint({}, body.data.secret, `?tenant=${newTenant()}`))).toEqual([403, "forbidden"]);
});

it.each([
  [{ scope: "all" }],
  [{ scope: null }],
  [{ label: 7 }],
  [{ label: null }],
  [{ label: "x".repeat(101) }],
  [{ label: "two\nlines" }],
  [{ label: "a\u0000" }],
  [{ label: "a\u0085" }],
  [{ label: "a\u2028b" }],
  [{ label: "\u202etxt" }],
  [{ label: "\u2066txt" }],
  [[]],
  ["live"],
  [null],
])("POST /v1/keys refuses %j", async (body) => {
  const refused = await mint(body);
  expect(statusAndCode(refused)).toEqual([400, "invalid_request"]);
  expect(refused.body.error.detail).not.toBe("");
  expect(await keysOf()).toHaveLength(2);
});

it.each([..."\u200e\u200f\u061c\u200b\ufeff\u{e0041}"])(
  "POST /v1/keys refuses a label with %j, which is not shown",
  async (hidden) => {
    expect(statusAndCode(await mint({ label: `a${hidden}b` }))).toEqual([400, "invalid_request"]);
  },
);

it("POST /v1/keys accepts labels up to 100 characters, an emoji counted as one", async () => {
  for (const label of ["", "🗝".repeat(100), "👩🏽‍🚀", "עברית"]) {
    expect((await mint({ label })).body.data).toMatchObject({ label });
  }
});

it("POST /v1/keys answers the fifty-first of ten requests at once with 409", async () => {
  for (let active = 2; active < 41; active++) await mint();
  const answers = (await Promise.all(Array.from({ length: 10 }, () => mint()))).map(statusAndCode);
  expect(answers.filter(([status]) => status === 200)).toHaveLength(9);
  expect(answers.filter(([status]) => status === 409)).toEqual([[409, "key_limit"]]);
});

const revoke = (id: string, as = key) => send("DELETE", `/v1/keys/${encodeURIComponent(id)}`, undefined, as);

it("DELETE /v1/keys/{id} refuses the key from the next request on, also when it is called again", async () => {
  const { id, secret } = (await mint()).body.data;
  for (const _ of [1, 2])
    expect(await revoke(id)).toEqual({ status: 200, body: { ok: true, data: { revoked: true } } });
  expect(statusAndCode(await send("GET", "/v1/keys", undefined, secret))).toEqual([401, "unauthorized"]);
  expect(await keysOf()).toContainEqual(expect.objectContaining({ id, status: "revoked" }));
  testEnv.advance(90 * DAY);
  expect(await keysOf()).toHaveLength(2);
  expect(statusAndCode(await revoke(id))).toEqual([404, "key_not_found"]);
});

it("DELETE /v1/keys/{id} lets a key revoke itself", async () => {
  const { id, secret } = (await mint()).body.data;
  expect((await revoke(id, secret)).status).toBe(200);
  expect(statusAndCode(await revoke(id, secret))).toEqual([401, "unauthorized"]);
});

it("DELETE /v1/keys/{id} refuses a test key a live one, and nothing else", async () => {
  const [live, test] = [(await mint()).body.data, (await mint({ scope: "test" })).body.data];
  expect(statusAndCode(await revoke(live.id, testKey))).toEqual([403, "forbidden"]);
  expect((await send("GET", "/v1/keys", undefined, live.secret)).status).toBe(200);
  expect((await revoke(test.id, testKey)).status).toBe(200);
  await revoke(live.id);
  expect(statusAndCode(await revoke(live.id, testKey))).toEqual([403, "forbidden"]);
});

it("the audit log names who created and revoked a key, without any part of a secret", async () => {
  const { id, secret, prefix } = (await mint({ label: "backend" })).body.data;
  await send("DELETE", `/v1/keys/${id}`);
  const { body } = await send("GET", "/v1/audit");
  const ofKey = body.data.audit.filter(({ resource }: { resource: string }) => resource === `key:${id}`);
  const rest = { ip: "203.0.113.7", detail: { scope: "live" }, actor: expect.stringMatching(/^key:/) };
  expect(ofKey).toHaveLength(2);
  expect(ofKey).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ action: "key.create", ...rest }),
      expect.objectContaining({ action: "key.revoke", ...rest }),
    ]),
  );
  for (const part of [prefix, secret.slice(13)]) expect(JSON.stringify([body, testEnv.lines])).not.toContain(part);
});
