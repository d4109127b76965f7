import * as z from "zod/mini";
import { deriveKey } from "#base/kernel/bytes.ts";
import type { ReadKeyRing } from "#base/kernel/key-ring.ts";
import { refuse } from "#base/kernel/refusals.ts";
import { parseTenant, type TenantId } from "#base/kernel/tenant.ts";
import { callerActor, type KeyCaller, type SessionCaller } from "#features/access/rules/callers.ts";
import { refuseUnauthorized } from "#features/access/rules/unauthorized.ts";
import type { Session } from "#features/access/sessions.ts";
import { createApp, type FaultLine } from "#http/app.ts";
import type { Credentials } from "#http/credentials/credentials.ts";
import { endpointsFor } from "#http/endpoints-for.ts";
import { queryFlag } from "#http/fields.ts";
import { HttpResponse } from "#http/http-response.ts";
import { pageEndpointFor } from "#http/page.ts";
import { type FetchApp, toFetchApp } from "../../support/conformance/fetch-app.ts";
import { oneKeyRing } from "../../support/world/key-rings.ts";

// A small service with one route of each kind.

export interface SamplePorts {
  readonly cursorKeys: ReadKeyRing;
  readonly rows: number;
}
export const sampleCursorKeys = oneKeyRing(deriveKey("root", "cursors"));
export const samplePorts: SamplePorts = { cursorKeys: async () => sampleCursorKeys, rows: 120 };
export const NOW = Date.parse("2026-05-04T10:00:00.000Z");

export function tenantFromSlug(text: string): TenantId {
  const tenant = parseTenant(text);
  if (tenant === null) throw new Error(`${text} is not a slug`);
  return tenant;
}

const keyByHeader: Record<string, KeyCaller> = {
  "Bearer bound": { kind: "tenant_key", keyId: "k1", tenant: tenantFromSlug("acme"), scope: "live" },
  "Bearer strict": { kind: "tenant_key", keyId: "k4", tenant: tenantFromSlug("acme"), scope: "test", isStrict: true },
  "Bearer other": { kind: "tenant_key", keyId: "k2", tenant: tenantFromSlug("globex"), scope: "live" },
  "Bearer operator": {
    kind: "operator_key",
    keyId: "k3",
    tenants: [tenantFromSlug("acme"), tenantFromSlug("globex"), tenantFromSlug("paused-shop")],
    suspendedTenants: [tenantFromSlug("paused-shop")],
    scope: "live",
  },
};

const endpoint = { ...endpointsFor<SamplePorts>(), page: pageEndpointFor<SamplePorts>() };

export class SecretLeak extends Error {
  override readonly name = "SecretLeak";
}

export const sampleRoutes = [
  // Declared before its literal sibling, because the order must not matter.
  endpoint.tenant({
    operation: "getThing",
    method: "GET",
    path: "/v1/things/{id}",
    role: "agent",
    summary: "One thing",
    tag: "Things",
    refusals: ["conversation_not_found"],
    data: () => z.object({ id: z.string(), tenant: z.string() }),
    handle: async ({ path, tenant }) =>
      path.id.startsWith(`CONV#${tenant}#`) ? { id: path.id, tenant } : refuse("conversation_not_found"),
  }),
  endpoint.caller({
    operation: "getSpecialThing",
    method: "GET",
    path: "/v1/things/special",
    tenant: "none",
    role: null,
    summary: "A literal path",
    tag: "Things",
    data: () => z.object({ special: z.boolean() }),
    handle: async () => ({ special: true }),
  }),
  endpoint.tenant({
    operation: "removeThing",
    method: "DELETE",
    path: "/v1/things/{id}",
    role: "agent",
    summary: "Remove a thing, at once or in the background",
    tag: "Things",
    acceptedWhen: ({ done }) => !done,
    data: () => z.object({ done: z.boolean() }),
    handle: async ({ path }) => ({ done: path.id !== "large" }),
  }),
  endpoint.page({
    operation: "listThings",
    method: "GET",
    path: "/v1/things",
    role: "agent",
    summary: "Things",
    tag: "Things",
    query: () =>
      z.object({
        direction: z.optional(z.enum(["inbound", "outbound"])),
        include_test: queryFlag,
      }),
    scope: "GET /v1/things",
    filters: ({ query }) => query,
    data: () => z.object({ things: z.array(z.number()), limit: z.number(), include_test: z.boolean() }),
    handle: async ({ page, query, ports: { rows } }) => {
      const first = page.position === null ? 0 : Number(page.position);
      const next = first + page.limit;
      const things = Array.from({ length: Math.min(page.limit, rows - first) }, (_, i) => first + i);
      const data = { things, limit: page.limit, include_test: query.include_test };
      return { data, next: next < rows ? String(next) : null };
    },
  }),
  endpoint.caller({
    operation: "createThing",
    method: "POST",
    path: "/v1/things",
    tenant: "resource",
    role: "agent",
    summary: "Make a thing",
    tag: "Things",
    status: 201,
    refusals: ["send_failed"],
    body: () =>
      z.object({
        text: z.string().check(z.minLength(1), z.maxLength(20)),
        size: z.optional(z.int().check(z.minimum(1))),
        url: z.optional(z.url()),
        kind: z.optional(z.enum(["image", "video"])),
        attachments: z.optional(z.array(z.object({ type: z.string() })).check(z.maxLength(2))),
        labels: z.optional(z.record(z.string(), z.number())),
        actor_id: z.optional(z.never()),
      }),
    data: () => z.object({ made: z.array(z.string()), text: z.string() }),
    handle: async ({ body }) =>
      body.text === "refuse me"
        ? refuse("send_failed", "upstream refused")
        : { made: Object.keys(body), text: body.text },
  }),
  endpoint.tenant({
    operation: "createKey",
    method: "POST",
    path: "/v1/keys",
    role: "agent",
    summary: "An optional body",
    tag: "Things",
    body: () => z.optional(z.object({ label: z.optional(z.string()) })),
    data: () => z.object({ label: z.nullable(z.string()) }),
    handle: async ({ body }) => ({ label: body?.label ?? null }),
  }),
  endpoint.tenant({
    operation: "changeSettings",
    method: "PATCH",
    path: "/v1/settings",
    role: "admin",
    summary: "What an admin may do",
    tag: "Things",
    data: () => z.object({ actor: z.string(), tenant: z.string() }),
    handle: async ({ caller, tenant }) => ({ actor: callerActor(caller), tenant }),
  }),
  endpoint.session({
    operation: "renameTenant",
    method: "PATCH",
    path: "/console/tenant",
    tenant: "query",
    role: "owner",
    summary: "What an owner may do",
    tag: "Console",
    data: () => z.object({ tenant: z.string() }),
    handle: async ({ tenant }) => ({ tenant }),
  }),
  endpoint.session({
    operation: "getMe",
    method: "GET",
    path: "/console/me",
    tenant: "none",
    role: null,
    summary: "Who is signed in",
    tag: "Console",
    data: () => z.object({ user: z.string() }),
    handle: async ({ caller }) => ({ user: caller.userId }),
  }),
  endpoint.key({
    operation: "createTicket",
    method: "POST",
    path: "/v1/ticket",
    summary: "For keys alone",
    tag: "Things",
    data: () => z.object({ key: z.string() }),
    handle: async ({ caller }) => ({ key: caller.keyId }),
  }),
  endpoint.public({
    operation: "takeBytes",
    method: "POST",
    path: "/intake",
    summary: "The raw body",
    tag: "Intake",
    body: "bytes",
    bodyBytesMax: 300_000,
    envelope: false,
    refusals: ["signature_invalid"],
    handle: async ({ body, request }) =>
      request.headers.get("x-signed") === "yes"
        ? new HttpResponse(body.slice(), { headers: { "content-type": "application/octet-stream" } })
        : refuse("signature_invalid"),
  }),
  endpoint.public({
    operation: "redirect",
    method: "GET",
    path: "/",
    summary: "A redirect with cookies",
    tag: "Pages",
    envelope: false,
    status: 301,
    handle: async ({ request }) => {
      const response = new HttpResponse(null, {
        status: 301,
        headers: { location: `https://site.example/?${request.query}` },
      });
      response.headers.append("set-cookie", "a=1; Path=/");
      response.headers.append("set-cookie", "b=2; Path=/");
      return response;
    },
  }),
  endpoint.public({
    operation: "getFacts",
    method: "GET",
    path: "/v1/facts",
    cors: false,
    summary: "What a handler reads of the request",
    tag: "Pages",
    data: () =>
      z.object({ ip: z.nullable(z.string()), method: z.string(), cookie: z.nullable(z.string()), now: z.number() }),
    handle: async ({ request, now }) => ({
      ip: request.sourceIp,
      method: request.method,
      cookie: request.headers.get("cookie"),
      now,
    }),
  }),
  endpoint.public({
    operation: "fail",
    method: "GET",
    path: "/v1/faults/{kind}",
    summary: "Faults",
    tag: "Pages",
    data: () => z.object({ fine: z.boolean() }),
    handle: async ({ path }) => {
      if (path.kind === "hang") return new Promise<never>(() => {});
      if (path.kind === "text") throw "a thrown text: canary";
      if (path.kind === "odd-name") throw Object.assign(new Error("canary"), { name: "canary in a name" });
      if (path.kind === "extra-field") return { fine: true, secret: "canary" };
      throw new SecretLeak("canary");
    },
  }),
  endpoint.tenant({
    operation: "failThing",
    method: "GET",
    path: "/v1/faults/things/{kind}",
    role: "agent",
    summary: "Faults behind a key",
    tag: "Things",
    data: () => z.object({ fine: z.boolean() }),
    handle: async ({ path }) => {
      if (path.kind === "hang") return new Promise<never>(() => {});
      throw new SecretLeak("canary");
    },
  }),
  endpoint.public({
    operation: "getLarge",
    method: "GET",
    path: "/v1/large",
    cors: false,
    summary: "A large response",
    tag: "Pages",
    query: () => z.object({ bytes: z.string() }),
    data: () => z.object({ text: z.string() }),
    // The envelope around the text is 30 bytes.
    handle: async ({ query }) => ({ text: "x".repeat(Number(query.bytes) - 30) }),
  }),
];

export interface TestApp {
  readonly app: FetchApp;
  readonly logLines: FaultLine[];
  /** `key` and `session`, in the order in which they were read. */
  readonly reads: string[];
}

/** Of the sessions below. */
export const CONSOLE = "https://console.example";
export const DOCS_URL = "https://parley.example/docs/errors";
export const CSRF_TOKEN = "the-csrf-token-of-ann";
const sessionByToken: Record<string, Session> = {
  ann: { userId: "usr_ann", epoch: 1, csrfToken: CSRF_TOKEN, kid: "k", expiresAt: 0 },
  signedout: { userId: "usr_gone", epoch: 1, csrfToken: CSRF_TOKEN, kid: "k", expiresAt: 0 },
};
const ann: SessionCaller = {
  kind: "session",
  userId: "usr_ann",
  email: "ann@example.com",
  name: "Ann",
  expiresAt: 0,
  epoch: 1,
  csrfToken: CSRF_TOKEN,
  scope: "live",
  memberships: [
    { tenant: tenantFromSlug("acme"), role: "admin", isSuspended: false },
    { tenant: tenantFromSlug("globex"), role: "agent", isSuspended: false },
    { tenant: tenantFromSlug("paused-shop"), role: "owner", isSuspended: true },
  ],
};

/** The app over these routes, the lines it logs, and what it reads of its callers. */
export function createTestApp(rateLimit: Credentials["rateLimit"] = async () => null): TestApp {
  const logLines: FaultLine[] = [];
  const reads: string[] = [];
  const served = createApp<SamplePorts>({
    endpoints: sampleRoutes,
    ports: samplePorts,
    credentials: {
      keys: {
        hasForm: (header) => /^bearer [^?]/i.test(header ?? ""),
        authenticate: async (header) => {
          reads.push("key");
          return keyByHeader[header ?? ""] ?? refuseUnauthorized("unknown_key");
        },
      },
      sessions: {
        hasForm: (token) => token !== "?",
        open: async (token) => sessionByToken[token] ?? null,
        authenticate: async ({ userId }) => {
          reads.push("session");
          return userId === ann.userId ? ann : refuseUnauthorized("session_ended");
        },
        consoleOrigin: CONSOLE,
      },
      rateLimit,
    },
    cors: { origin: CONSOLE },
    docsUrl: DOCS_URL,
    now: () => NOW,
    log: (line) => logLines.push(line),
    checkData: true,
  });
  return { app: toFetchApp(served), logLines, reads };
}

/** Status, code and detail of a response. Throws when it has no correlation id or no envelope. */
export async function readVerdict(pending: Response | Promise<Response>): Promise<[number, string, string]> {
  const response = await pending;
  if (!response.headers.get("x-correlation-id")) throw new Error("the response has no x-correlation-id");
  if (response.headers.get("x-content-type-options") !== "nosniff") throw new Error("the type may be guessed");
  const body = (await response.json()) as { ok: boolean; error?: { code: string; message: string; detail: string } };
  if (body.ok) return [response.status, "ok", ""];
  if (typeof body.error?.detail !== "string" || !body.error.message)
    throw new Error("the failure does not match its schema");
  return [response.status, body.error.code, body.error.detail];
}

/** The headers of a signed-in person's request, with the CSRF token. */
export const sessionAuth = { cookie: "console_session=ann", "x-csrf-token": CSRF_TOKEN };
export const tenantAuth = { authorization: "Bearer bound" };
export const operatorAuth = { authorization: "Bearer operator" };
