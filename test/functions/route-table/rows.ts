import type { Role } from "#features/access/rules/callers.ts";
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

interface OperationRow extends RouteRow {
  readonly operation: string;
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

/** Rows by method and path, from names that start with the operation of the route. */
function routeRows(rows: Readonly<Record<string, RouteRow>>): Readonly<Record<string, OperationRow>> {
  const named = Object.entries(rows).map(([name, row]) => {
    const [operation = "", route = ""] = name.split(": ");
    return [route, { ...row, operation }] as const;
  });
  return Object.fromEntries(named);
}

/** Of the API function. A name may go on after its path, where a query has an id. */
export const apiRows = routeRows({
  "ping: GET /v1/ping": open("/v1/ping"),
  "health: GET /health": open("/health"),
  "redirectToSite: GET /": open("/", [404, "route_not_found"]),
  "redirectToSecurityTxt: GET /.well-known/security.txt": open("/.well-known/security.txt", [404, "route_not_found"]),
  "listConversations: GET /v1/conversations": members("agent", "/v1/conversations"),
  "getConversation: GET /v1/conversations/{id}": withId("agent", "conversation", ({ id }) => `/v1/conversations/${id}`),
  "updateConversation: PATCH /v1/conversations/{id}": withId("agent", "conversation", () => "", {
    testKeyAnswer: FORBIDDEN,
    request: ({ id }) => ({ path: `/v1/conversations/${id}`, body: { done: true } }),
  }),
  "eraseConversation: DELETE /v1/conversations/{id}": withId(
    "admin",
    "conversation",
    ({ id }) => `/v1/conversations/${id}`,
    {
      testKeyAnswer: FORBIDDEN,
      storedIds: ["expired"],
    },
  ),
  "listMessages: GET /v1/messages": members("agent", "/v1/messages"),
  "listMessages: GET /v1/messages?conversation_id=": withId(
    "agent",
    "conversation",
    ({ id }) => `/v1/messages?conversation_id=${id}`,
  ),
  "getMessage: GET /v1/messages/{id}": withId("agent", "message", ({ id }) => `/v1/messages/${id}`),
  "sendReply: POST /v1/messages/reply": send("/v1/messages/reply", () => ({})),
  "sendHumanAgentMessage: POST /v1/messages/human-agent": send("/v1/messages/human-agent", ({ actorId }) => ({
    actor_id: actorId,
  })),
  "getHold: GET /v1/messages/holds/{hold_id}": {
    ...withId("agent", "hold", ({ id }) => `/v1/messages/holds/${id}`),
    tenant: "resource",
  },
  "createUpload: POST /v1/attachments/uploads": {
    ...withId("agent", "conversation", () => "", {
      request: ({ id }) => ({
        path: "/v1/attachments/uploads",
        body: { conversation_id: decodeURIComponent(id), filename: "a.png", content_type: "image/png", size: 1 },
      }),
    }),
    tenant: "resource",
  },
  "finishUpload: POST /v1/attachments": {
    ...withId("agent", "upload", () => "", {
      request: ({ id }) => ({ path: "/v1/attachments", body: { upload_id: decodeURIComponent(id) } }),
    }),
    tenant: "resource",
  },
  "getUpload: GET /v1/attachments/uploads/{upload_id}": {
    ...withId("agent", "upload", ({ id }) => `/v1/attachments/uploads/${id}`),
    tenant: "resource",
  },
  "listAccounts: GET /v1/accounts": members("agent", "/v1/accounts"),
  "disconnectAccount: DELETE /v1/accounts/{account_key}": withId("admin", "account", ({ id }) => `/v1/accounts/${id}`, {
    testKeyAnswer: FORBIDDEN,
  }),
  "listKeys: GET /v1/keys": members("admin", "/v1/keys"),
  "createKey: POST /v1/keys": members("admin", "", {
    request: () => ({ path: "/v1/keys", body: { scope: "live" } }),
    testKeyAnswer: FORBIDDEN,
  }),
  "revokeKey: DELETE /v1/keys/{id}": withId("admin", "key", ({ id }) => `/v1/keys/${id}`),
  "listAuditEntries: GET /v1/audit": members("admin", "/v1/audit"),
  "getStats: GET /v1/stats": members("agent", "/v1/stats"),
  "listWebhooks: GET /v1/webhooks": members("admin", "/v1/webhooks"),
  "createWebhook: POST /v1/webhooks": members("admin", "", {
    request: () => ({ path: "/v1/webhooks", body: { url: "not a URL" } }),
    answer: [400, "invalid_request"],
  }),
  "getWebhook: GET /v1/webhooks/{id}": endpointRoute(),
  "updateWebhook: PATCH /v1/webhooks/{id}": endpointRoute("", { status: "paused" }),
  "deleteWebhook: DELETE /v1/webhooks/{id}": endpointRoute(),
  "rotateWebhookSecret: POST /v1/webhooks/{id}/rotate": endpointRoute("/rotate"),
  "sendTestEvent: POST /v1/webhooks/{id}/test": endpointRoute("/test"),
  "listDeliveries: GET /v1/webhooks/{id}/deliveries": { ...endpointRoute("/deliveries"), answer: OK },
  "summarizeDeliveries: GET /v1/webhooks/{id}/deliveries/summary": endpointRoute("/deliveries/summary"),
  "replayDeliveries: POST /v1/webhooks/{id}/deliveries/replay": endpointRoute("/deliveries/replay?from=0"),
  "getDelivery: GET /v1/webhooks/{id}/deliveries/{deliveryId}": deliveryRoute(),
  "replayDelivery: POST /v1/webhooks/{id}/deliveries/{deliveryId}/replay": deliveryRoute("/replay"),
  "createRealtimeTicket: POST /v1/realtime/ticket": members("agent", "/v1/realtime/ticket"),
  "listEventTypes: GET /v1/event-types": { ...members("agent", "/v1/event-types"), tenant: "none", role: null },
});

/** A file of a page. The test's pages have none. */
const page = (path: string): RouteRow => open(path, [404, "route_not_found"]);

/** Of the check page and its API: the secret of a hold is its credential, and no other counts. */
export const checkPageRows = routeRows({
  "getHeldMessage: POST /verify/holds/{hold_id}": check(""),
  "createChallenge: POST /verify/holds/{hold_id}/challenge": check("/challenge"),
  "completeCheck: POST /verify/holds/{hold_id}/complete": check("/complete", { token: "t", solutions: [1] }),
  "getCheckPage: GET /verify": page("/verify"),
  "getCheckPageScript: GET /verify/check.js": page("/verify/check.js"),
  "getCheckPageStyle: GET /verify/check.css": page("/verify/check.css"),
  "getCheckPageSolver: GET /verify/solver.js": page("/verify/solver.js"),
});

/** Of the documentation, which anybody may read. */
export const webRows = routeRows({
  "getOpenApiDocument: GET /openapi.json": open("/openapi.json"),
  "getDocs: GET /docs": page("/docs"),
  "getDocsMarkdown: GET /docs.md": page("/docs.md"),
  "getDocsPage: GET /docs/{page}": page("/docs/guides/unknown"),
  "getDocsList: GET /llms.txt": page("/llms.txt"),
  "getDocsText: GET /llms-full.txt": page("/llms-full.txt"),
  "getConsole: GET /app": open("/app"),
  "getConsolePage: GET /app/{page}": open("/app/acme/inbox"),
});

/** Of the platforms' intake: a signature or the verify token is its credential, and no other counts. */
export const intakeRows = routeRows({
  "confirmPlatformSubscription: GET /webhooks/{platform}": open("/webhooks/messenger", FORBIDDEN),
  "receivePlatformWebhook: POST /webhooks/{platform}": open("/webhooks/messenger", [401, "signature_invalid"]),
});

/** Of the console's API and its pages. */
export const consoleRows = routeRows({
  "requestSignInLink: POST /console/auth/request": open("", OK, {
    request: () => ({ path: "/console/auth/request", body: { email: "mara@example.com" } }),
  }),
  "verifySignInLink: GET /console/auth/verify": open("/console/auth/verify?token=unknown", [401, "invalid_token"]),
  "confirmSignIn: POST /console/auth/verify": open("/console/auth/verify", [403, "csrf_failed"]),
  "getSession: GET /console/me": person("/console/me"),
  "updateSession: PATCH /console/me": {
    ...person(""),
    request: () => ({ path: "/console/me", body: { name: "" } }),
    answer: [400, "invalid_request"],
  },
  "signOut: POST /console/auth/logout": person("/console/auth/logout"),
  "createSessionTicket: POST /console/session/ws-ticket": team(members("agent", "/console/session/ws-ticket")),
  "listMembers: GET /console/team": team(members("agent", "/console/team")),
  "updateMember: PATCH /console/team/{user_id}": memberRoute("owner", { role: "agent" }),
  "removeMember: DELETE /console/team/{user_id}": memberRoute("agent"),
  "listInvites: GET /console/invites": team(members("admin", "/console/invites")),
  "createInvite: POST /console/invites": team(
    members("admin", "", {
      request: () => ({ path: "/console/invites", body: { email: "no address", role: "agent" } }),
      answer: [400, "invalid_request"],
    }),
  ),
  "revokeInvite: DELETE /console/invites/{id}": team(withId("admin", "invite", ({ id }) => `/console/invites/${id}`)),
  "resendInvite: POST /console/invites/{id}/resend": team(
    withId("admin", "invite", ({ id }) => `/console/invites/${id}/resend`),
  ),
  "acceptInvite: POST /console/invites/{id}/accept": invite("accept"),
  "declineInvite: POST /console/invites/{id}/decline": invite("decline"),
  "listTenants: GET /console/tenants": person("/console/tenants"),
  "createTenant: POST /console/tenants": {
    ...person(""),
    request: () => ({ path: "/console/tenants", body: { id: "one-more", name: "One more" } }),
    answer: FORBIDDEN,
  },
  "getTenant: GET /console/tenants/{slug}": tenantRoute("agent"),
  "updateTenant: PATCH /console/tenants/{slug}": tenantRoute("owner", { name: "Renamed" }),
  "getSignInPage: GET /console/auth/sign-in": page("/console/auth/sign-in"),
  "getSignInScript: GET /console/auth/sign-in.js": page("/console/auth/sign-in.js"),
  "getSignInStyle: GET /console/auth/sign-in.css": page("/console/auth/sign-in.css"),
  "getSignedInPage: GET /console/auth/signed-in": open("/console/auth/signed-in", [302, "ok"]),
  "getSignedInScript: GET /console/auth/signed-in.js": open("/console/auth/signed-in.js", [302, "ok"]),
});

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
export const connectRows = routeRows({
  "startInstagramLogin: GET /oauth/instagram/start": startOfLogin("/oauth/instagram/start"),
  "startMessengerLogin: GET /oauth/messenger/start": startOfLogin("/oauth/messenger/start"),
  "createInstagramLogin: POST /oauth/instagram/start": startByScript("/oauth/instagram/start"),
  "createMessengerLogin: POST /oauth/messenger/start": startByScript("/oauth/messenger/start"),
  "finishInstagramLogin: GET /oauth/instagram/callback": endOfLogin("/oauth/instagram/callback"),
  "finishMessengerLogin: GET /oauth/messenger/callback": endOfLogin("/oauth/messenger/callback"),
  "listLoginPages: GET /oauth/messenger/pages": team(members("admin", "/oauth/messenger/pages", { answer: NO_LOGIN })),
  "selectLoginPage: POST /oauth/messenger/select": team(
    members("admin", "", {
      request: () => ({ path: "/oauth/messenger/select", body: { page_id: "1", connect: ["messenger"] } }),
      answer: NO_LOGIN,
    }),
  ),
  "getConnectPage: GET /oauth/connect": page("/oauth/connect"),
  "getConnectScript: GET /oauth/connect.js": page("/oauth/connect.js"),
  "getConnectStyle: GET /oauth/connect.css": page("/oauth/connect.css"),
  // A signature of the platform is the credential, and no other counts.
  "receiveDeauthorization: POST /platform/deauthorize": open("/platform/deauthorize", [400, "invalid_request"]),
  "requestDataDeletion: POST /platform/data-deletion": open("/platform/data-deletion", [400, "invalid_request"]),
  "getDataDeletionPage: GET /platform/data-deletion/{code}": open("/platform/data-deletion/unknown", [
    404,
    "Request not found",
  ]),
  "getDataDeletionStyle: GET /platform/data-deletion/style.css": open("/platform/data-deletion/style.css"),
});

/** The route of a row's name: what it has after a `?` is not part of it. */
export function routeName(name: string): string {
  return name.split("?")[0] ?? name;
}
