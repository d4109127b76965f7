import type { Role } from "#features/access/rules/roles.ts";
import type { Auth, TenantSource } from "#http/endpoint.ts";

/** Status and code. */
export type Verdict = readonly [status: number, code: string];
/** What a route's id, or an id in its body, names. */
export type ResourceKind =
  | "conversation"
  | "message"
  | "endpoint"
  | "delivery"
  | "hold"
  | "upload"
  | "key"
  | "member"
  | "invite"
  | "account"
  | "tenant";

export interface RouteRequest {
  readonly path: string;
  readonly body?: object;
}

/** What fills a request: ids are percent-encoded. `actorId` is the caller's own where the caller is a person. */
export interface Filling {
  readonly id: string;
  readonly ownEndpointId: string;
  readonly actorId: string;
}

/** Who may call a route, and what it answers. Written by hand: the test compares it with the declaration. */
export interface RouteRow {
  readonly auth: Auth;
  readonly tenant: TenantSource;
  readonly role: Role | null;
  /** The answer to an accepted caller of the tenant, whose id, if there is one, is unknown. */
  readonly answer: Verdict;
  /** The answer to a test key, where it is another. */
  readonly testKeyAnswer?: Verdict;
  /** Ids of the impossible ones that this route finds: an erasure removes what is stored, also after its end. */
  readonly storedIds?: readonly string[];
  /** The answer to a member of a suspended tenant, where the request does not name it. */
  readonly suspendedAnswer?: Verdict;
  /** The answer to a browser whose request no page of the API caused, where it is another. */
  readonly unmeantAnswer?: Verdict;
  /** What the id names. Null when the request has none. */
  readonly kind: ResourceKind | null;
  readonly request: (filling: Filling) => RouteRequest;
}

const OK: Verdict = [200, "ok"];
const FORBIDDEN: Verdict = [403, "forbidden"];
const notFound = (kind: string): Verdict => [404, `${kind}_not_found`];

type Rest = Partial<RouteRow>;

const at = (path: string, rest: Rest = {}) => ({ kind: null, answer: OK, request: () => ({ path }), ...rest });
/** A route for keys and members; the tenant comes from `?tenant=`. */
const members = (role: Role, path: string, rest: Rest = {}): RouteRow => ({
  auth: "caller",
  tenant: "query",
  role,
  ...at(path, rest),
});
/** A route whose path has an id. */
const withId = (role: Role, kind: ResourceKind, path: (filling: Filling) => string, rest: Rest = {}): RouteRow =>
  members(role, "", { kind, answer: notFound(kind), request: (filling) => ({ path: path(filling) }), ...rest });
const endpointRoute = (suffix = "", body?: object): RouteRow => {
  const request = ({ id }: Filling) => ({ path: `/v1/webhooks/${id}${suffix}`, ...(body ? { body } : {}) });
  return withId("admin", "endpoint", () => "", { request });
};
const deliveryRoute = (suffix = ""): RouteRow =>
  withId("admin", "delivery", ({ id, ownEndpointId }) => `/v1/webhooks/${ownEndpointId}/deliveries/${id}${suffix}`);
const send = (path: string, body: (filling: Filling) => object): RouteRow => ({
  auth: "caller",
  tenant: "resource",
  role: "agent",
  kind: "conversation",
  answer: notFound("conversation"),
  request: (filling) => ({
    path,
    body: { conversation_id: decodeURIComponent(filling.id), text: "hi", ...body(filling) },
  }),
});
const open = (path: string, answer: Verdict = OK, rest: Rest = {}): RouteRow => ({
  auth: "none",
  tenant: "none",
  role: null,
  ...at(path, { answer, ...rest }),
});
/** A route for people that needs no tenant. */
const person = (path: string): RouteRow => ({ auth: "session", tenant: "none", role: null, ...at(path) });
/** A route for a tenant's members. */
const team = (row: RouteRow): RouteRow => ({ ...row, auth: "session" });
/** An invite of the person. One that no sign-in of theirs found is unknown. */
const invite = (answer: "accept" | "decline"): RouteRow => {
  const request = ({ id }: Filling) => ({ path: `/console/invites/${id}/${answer}` });
  return { ...team(withId("agent", "invite", () => "", { request })), tenant: "none", role: null };
};
const memberRoute = (role: Role, body?: object): RouteRow => {
  const request = ({ id }: Filling) => ({ path: `/console/team/${id}`, ...(body ? { body } : {}) });
  return team(withId(role, "member", () => "", { request }));
};
const tenantRoute = (role: Role, body?: object): RouteRow => {
  const request = ({ id }: Filling) => ({ path: `/console/tenants/${id}`, ...(body ? { body } : {}) });
  return { ...team(withId(role, "tenant", () => "", { request })), tenant: "resource" };
};
const check = (suffix: string, body: object = {}): RouteRow => {
  const request = ({ id }: Filling) => ({ path: `/verify/holds/${id}${suffix}`, body: { secret: "s", ...body } });
  return open("", notFound("hold"), { kind: "hold", request });
};

/** Of the API function. A name may go on after its path, where a query has an id. */
export const apiRows: Readonly<Record<string, RouteRow>> = {
  "GET /v1/ping": open("/v1/ping"),
  "GET /health": open("/health"),
  "GET /": open("/", [404, "route_not_found"]),
  "GET /.well-known/security.txt": open("/.well-known/security.txt", [404, "route_not_found"]),
  "GET /v1/conversations": members("agent", "/v1/conversations"),
  "GET /v1/conversations/{id}": withId("agent", "conversation", ({ id }) => `/v1/conversations/${id}`),
  "DELETE /v1/conversations/{id}": withId("admin", "conversation", ({ id }) => `/v1/conversations/${id}`, {
    testKeyAnswer: FORBIDDEN,
    storedIds: ["expired"],
  }),
  "GET /v1/messages": members("agent", "/v1/messages"),
  "GET /v1/messages?conversation_id=": withId(
    "agent",
    "conversation",
    ({ id }) => `/v1/messages?conversation_id=${id}`,
  ),
  "GET /v1/messages/{id}": withId("agent", "message", ({ id }) => `/v1/messages/${id}`),
  "POST /v1/messages/reply": send("/v1/messages/reply", () => ({})),
  "POST /v1/messages/human-agent": send("/v1/messages/human-agent", ({ actorId }) => ({ actor_id: actorId })),
  "GET /v1/messages/holds/{hold_id}": {
    ...withId("agent", "hold", ({ id }) => `/v1/messages/holds/${id}`),
    tenant: "resource",
  },
  "POST /v1/attachments/uploads": {
    ...withId("agent", "conversation", () => "", {
      request: ({ id }) => ({
        path: "/v1/attachments/uploads",
        body: { conversation_id: decodeURIComponent(id), filename: "a.png", content_type: "image/png", size: 1 },
      }),
    }),
    tenant: "resource",
  },
  "POST /v1/attachments": {
    ...withId("agent", "upload", () => "", {
      request: ({ id }) => ({ path: "/v1/attachments", body: { upload_id: decodeURIComponent(id) } }),
    }),
    tenant: "resource",
  },
  "GET /v1/attachments/uploads/{upload_id}": {
    ...withId("agent", "upload", ({ id }) => `/v1/attachments/uploads/${id}`),
    tenant: "resource",
  },
  "GET /v1/accounts": members("agent", "/v1/accounts"),
  "DELETE /v1/accounts/{account_key}": withId("admin", "account", ({ id }) => `/v1/accounts/${id}`, {
    testKeyAnswer: FORBIDDEN,
  }),
  "GET /v1/keys": members("admin", "/v1/keys"),
  "POST /v1/keys": members("admin", "", {
    request: () => ({ path: "/v1/keys", body: { scope: "live" } }),
    testKeyAnswer: FORBIDDEN,
  }),
  "DELETE /v1/keys/{id}": withId("admin", "key", ({ id }) => `/v1/keys/${id}`),
  "GET /v1/audit": members("admin", "/v1/audit"),
  "GET /v1/stats": members("agent", "/v1/stats"),
  "GET /v1/webhooks": members("admin", "/v1/webhooks"),
  "POST /v1/webhooks": members("admin", "", {
    request: () => ({ path: "/v1/webhooks", body: { url: "not a URL" } }),
    answer: [400, "invalid_request"],
  }),
  "GET /v1/webhooks/{id}": endpointRoute(),
  "PATCH /v1/webhooks/{id}": endpointRoute("", { status: "paused" }),
  "DELETE /v1/webhooks/{id}": endpointRoute(),
  "POST /v1/webhooks/{id}/rotate": endpointRoute("/rotate"),
  "POST /v1/webhooks/{id}/test": endpointRoute("/test"),
  "GET /v1/webhooks/{id}/deliveries": { ...endpointRoute("/deliveries"), answer: OK },
  "GET /v1/webhooks/{id}/deliveries/summary": endpointRoute("/deliveries/summary"),
  "POST /v1/webhooks/{id}/deliveries/replay": endpointRoute("/deliveries/replay?from=0"),
  "GET /v1/webhooks/{id}/deliveries/{deliveryId}": deliveryRoute(),
  "POST /v1/webhooks/{id}/deliveries/{deliveryId}/replay": deliveryRoute("/replay"),
  "POST /v1/realtime/ticket": members("agent", "/v1/realtime/ticket"),
  "GET /v1/event-types": { ...members("agent", "/v1/event-types"), tenant: "none", role: null },
};

/** A file of a page. The test's pages have none. */
const page = (path: string): RouteRow => open(path, [404, "route_not_found"]);

/** Of the check page and its API: the secret of a hold is its credential, and no other counts. */
export const checkPageRows: Readonly<Record<string, RouteRow>> = {
  "POST /verify/holds/{hold_id}": check(""),
  "POST /verify/holds/{hold_id}/challenge": check("/challenge"),
  "POST /verify/holds/{hold_id}/complete": check("/complete", { token: "t", solutions: [1] }),
  "GET /verify": page("/verify"),
  "GET /verify/check.js": page("/verify/check.js"),
  "GET /verify/check.css": page("/verify/check.css"),
  "GET /verify/solver.js": page("/verify/solver.js"),
};

/** Of the documentation, which anybody may read. */
export const docsRows: Readonly<Record<string, RouteRow>> = {
  "GET /openapi.json": open("/openapi.json"),
  "GET /docs": page("/docs"),
  "GET /docs/{page}": page("/docs/guides/unknown"),
};

/** Of the platforms' intake: a signature or the verify token is its credential, and no other counts. */
export const intakeRows: Readonly<Record<string, RouteRow>> = {
  "GET /webhooks/{platform}": open("/webhooks/messenger", FORBIDDEN),
  "POST /webhooks/{platform}": open("/webhooks/messenger", [401, "signature_invalid"]),
};

/** Of the console's API and its pages. */
export const consoleRows: Readonly<Record<string, RouteRow>> = {
  "POST /console/auth/request": open("", OK, {
    request: () => ({ path: "/console/auth/request", body: { email: "mara@example.com" } }),
  }),
  "GET /console/auth/verify": open("/console/auth/verify?token=unknown", [401, "invalid_token"]),
  "POST /console/auth/verify": open("/console/auth/verify", [403, "csrf_failed"]),
  "GET /console/me": person("/console/me"),
  "POST /console/auth/logout": person("/console/auth/logout"),
  "POST /console/session/ws-ticket": team(members("agent", "/console/session/ws-ticket")),
  "GET /console/team": team(members("agent", "/console/team")),
  "PATCH /console/team/{user_id}": memberRoute("owner", { role: "agent" }),
  "DELETE /console/team/{user_id}": memberRoute("agent"),
  "GET /console/invites": team(members("admin", "/console/invites")),
  "POST /console/invites": team(
    members("admin", "", {
      request: () => ({ path: "/console/invites", body: { email: "no address", role: "agent" } }),
      answer: [400, "invalid_request"],
    }),
  ),
  "DELETE /console/invites/{id}": team(withId("admin", "invite", ({ id }) => `/console/invites/${id}`)),
  "POST /console/invites/{id}/resend": team(withId("admin", "invite", ({ id }) => `/console/invites/${id}/resend`)),
  "POST /console/invites/{id}/accept": invite("accept"),
  "POST /console/invites/{id}/decline": invite("decline"),
  "GET /console/tenants": person("/console/tenants"),
  "POST /console/tenants": {
    ...person(""),
    request: () => ({ path: "/console/tenants", body: { id: "one-more", name: "One more" } }),
    answer: FORBIDDEN,
  },
  "GET /console/tenants/{slug}": tenantRoute("agent"),
  "PATCH /console/tenants/{slug}": tenantRoute("owner", { name: "Renamed" }),
  "GET /console/auth/sign-in": page("/console/auth/sign-in"),
  "GET /console/auth/sign-in.js": page("/console/auth/sign-in.js"),
  "GET /console/auth/sign-in.css": page("/console/auth/sign-in.css"),
  "GET /console/auth/signed-in": page("/console/auth/signed-in"),
  "GET /console/auth/signed-in.js": page("/console/auth/signed-in.js"),
};

/** A login of a platform. It answers with a redirect to the platform. */
const startOfLogin = (path: string): RouteRow =>
  team(members("admin", path, { answer: [302, "ok"], unmeantAnswer: OK }));
const startByScript = (path: string): RouteRow => team(members("admin", path));

const NO_LOGIN: Verdict = [400, "oauth_state_invalid"];
/** Where a platform sends the person. The state of the login names the tenant. */
const endOfLogin = (path: string): RouteRow => ({
  ...team(members("admin", `${path}?code=c&state=s`, { answer: NO_LOGIN, suspendedAnswer: NO_LOGIN })),
  tenant: "resource",
});

/** Of the platforms' logins, and of the platforms' own requests. */
export const connectRows: Readonly<Record<string, RouteRow>> = {
  "GET /oauth/instagram/start": startOfLogin("/oauth/instagram/start"),
  "GET /oauth/messenger/start": startOfLogin("/oauth/messenger/start"),
  "POST /oauth/instagram/start": startByScript("/oauth/instagram/start"),
  "POST /oauth/messenger/start": startByScript("/oauth/messenger/start"),
  "GET /oauth/instagram/callback": endOfLogin("/oauth/instagram/callback"),
  "GET /oauth/messenger/callback": endOfLogin("/oauth/messenger/callback"),
  "GET /oauth/messenger/pages": team(members("admin", "/oauth/messenger/pages", { answer: NO_LOGIN })),
  "POST /oauth/messenger/select": team(
    members("admin", "", {
      request: () => ({ path: "/oauth/messenger/select", body: { page_id: "1", connect: ["messenger"] } }),
      answer: NO_LOGIN,
    }),
  ),
  "GET /oauth/connect": page("/oauth/connect"),
  "GET /oauth/connect.js": page("/oauth/connect.js"),
  "GET /oauth/connect.css": page("/oauth/connect.css"),
  // A signature of the platform is the credential, and no other counts.
  "POST /platform/deauthorize": open("/platform/deauthorize", [400, "invalid_request"]),
  "POST /platform/data-deletion": open("/platform/data-deletion", [400, "invalid_request"]),
  "GET /platform/data-deletion/{code}": open("/platform/data-deletion/unknown", [404, "Request not found"]),
  "GET /platform/data-deletion/style.css": open("/platform/data-deletion/style.css"),
};

/** The route of a row's name: what it has after a `?` is not part of it. */
export function routeName(name: string): string {
  return name.split("?")[0] ?? name;
}
