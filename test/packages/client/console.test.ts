import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { beforeEach, describe, expect, test } from "vitest";
import { HttpClient, Parley } from "#client";
import { takesCredential } from "../../../packages/client/src/operations.ts";
import { openedOnce } from "../../support/opened.ts";
import { fail, failureOf, ok, startScriptedServer, text } from "./support/scripted-server.ts";

// What a console calls with the session of a signed-in person, and the check of a held message.

const server = openedOnce(startScriptedServer);
let parley: Parley;
beforeEach(() => {
  server.play(ok({}));
  parley = new Parley({ baseUrl: server.url, csrfToken: "token-1", tenant: "first" });
});

const link = { hold_id: "hold_1", secret: "s-_1" };
const solution = { token: "t", solutions: [4, 0] };
const page = { page_id: "1", connect: ["messenger" as const] };
/** Each call with the request that it makes: operation, path and query, and body. */
const calls: [string, (client: Parley) => Promise<unknown>, string, unknown?][] = [
  ["GET /console/me", ({ me }) => me.get(), "/console/me"],
  ["PATCH /console/me", ({ me }) => me.update({ name: "Mara" }), "/console/me", { name: "Mara" }],
  ["GET /console/team", ({ team }) => team.list(), "/console/team?tenant=first"],
  [
    "PATCH /console/team/{user_id}",
    ({ team }) => team.update("usr_1", { role: "admin" }, { tenant: "second" }),
    "/console/team/usr_1?tenant=second",
    { role: "admin" },
  ],
  ["DELETE /console/team/{user_id}", ({ team }) => team.remove("usr_1"), "/console/team/usr_1?tenant=first"],
  ["GET /console/invites", ({ invites }) => invites.list({ tenant: "second" }), "/console/invites?tenant=second"],
  [
    "POST /console/invites",
    ({ invites }) => invites.create({ email: "ann@example.com", role: "agent" }),
    "/console/invites?tenant=first",
    { email: "ann@example.com", role: "agent" },
  ],
  [
    "POST /console/invites/{id}/resend",
    ({ invites }) => invites.resend("inv_1"),
    "/console/invites/inv_1/resend?tenant=first",
  ],
  ["DELETE /console/invites/{id}", ({ invites }) => invites.revoke("inv_1"), "/console/invites/inv_1?tenant=first"],
  ["POST /console/invites/{id}/accept", ({ invites }) => invites.accept("inv_1"), "/console/invites/inv_1/accept"],
  ["POST /console/invites/{id}/decline", ({ invites }) => invites.decline("inv_1"), "/console/invites/inv_1/decline"],
  ["GET /console/tenants", ({ tenants }) => tenants.list(), "/console/tenants"],
  [
    "POST /console/tenants",
    ({ tenants }) => tenants.create({ id: "shop", name: "Shop" }),
    "/console/tenants",
    { id: "shop", name: "Shop" },
  ],
  ["GET /console/tenants/{slug}", ({ tenants }) => tenants.get("shop"), "/console/tenants/shop"],
  [
    "PATCH /console/tenants/{slug}",
    ({ tenants }) => tenants.update("shop", { name: "Store" }),
    "/console/tenants/shop",
    { name: "Store" },
  ],
  [
    "POST /console/auth/request",
    ({ logins }) => logins.requestLink({ email: "ann@example.com", redirect: "/inbox", invite: "i" }),
    "/console/auth/request",
    { email: "ann@example.com", redirect: "/inbox", invite: "i" },
  ],
  ["POST /console/auth/logout", ({ logins }) => logins.signOut(), "/console/auth/logout"],
  [
    "POST /oauth/instagram/start",
    ({ logins }) => logins.start("instagram", { redirect: "/accounts" }),
    "/oauth/instagram/start?tenant=first&redirect=%2Faccounts",
  ],
  [
    "POST /oauth/messenger/start",
    ({ logins }) => logins.start("messenger", { tenant: "second" }),
    "/oauth/messenger/start?tenant=second",
  ],
  ["GET /oauth/messenger/pages", ({ logins }) => logins.listPages(), "/oauth/messenger/pages?tenant=first"],
  [
    "POST /oauth/messenger/select",
    ({ logins }) => logins.selectPage(page),
    "/oauth/messenger/select?tenant=first",
    page,
  ],
  [
    "POST /verify/holds/{hold_id}",
    ({ holds }) => holds.getMessage(link),
    "/verify/holds/hold_1",
    { secret: link.secret },
  ],
  [
    "POST /verify/holds/{hold_id}/challenge",
    ({ holds }) => holds.createChallenge(link),
    "/verify/holds/hold_1/challenge",
    { secret: link.secret },
  ],
  [
    "POST /verify/holds/{hold_id}/complete",
    ({ holds }) => holds.complete(link, solution),
    "/verify/holds/hold_1/complete",
    { secret: link.secret, ...solution },
  ],
];

test.each(calls)(
  "the request of %s has its path, its tenant, its body and its token",
  async (name, call, url, body) => {
    expect(await call(parley)).toEqual({});
    const [method = ""] = name.split(" ");
    const [request] = server.requests;
    expect(request).toMatchObject({ method, url });
    expect(String(request?.body)).toBe(body === undefined ? "" : JSON.stringify(body));
    expect(request?.headers["x-csrf-token"]).toBe(method !== "GET" && takesCredential(name) ? "token-1" : undefined);
  },
);

test("a failed write of a console is not repeated", async () => {
  server.play(text(503, ""), ok({}));
  const writes = calls.filter(([name]) => !name.startsWith("GET "));
  for (const [, call] of writes) {
    server.play(text(503, ""), ok({}));
    expect(await failureOf(call(parley))).toMatchObject({ status: 503 });
    expect(server.requests).toHaveLength(1);
  }
  expect(writes).toHaveLength(18);
});

interface DocumentedOperation {
  readonly security?: readonly object[];
  readonly responses: Readonly<Record<string, object>>;
}
const document = JSON.parse(
  readFileSync(fileURLToPath(new URL("../../../docs/openapi.json", import.meta.url)), "utf8"),
);
const operations = Object.entries<Record<string, DocumentedOperation>>(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ name: `${method.toUpperCase()} ${path}`, operation })),
);

test("each operation of a console has a method, but what the browser itself requests", () => {
  const answersInEnvelope = ({ responses }: DocumentedOperation) =>
    Object.entries(responses).some(([status, answer]) => /^2/.test(status) && JSON.stringify(answer).includes('"ok"'));
  const ofConsole = operations.filter(
    ({ name, operation }) => / \/(console|oauth|verify)\//.test(name) && answersInEnvelope(operation),
  );
  const byBrowser = ["GET /oauth/instagram/callback", "GET /oauth/messenger/callback"];
  // `connect` gets its ticket.
  const others = [...byBrowser, "POST /console/session/ws-ticket"];
  const names = ofConsole.map(({ name }) => name);
  expect(names.filter((name) => !others.includes(name)).sort()).toEqual(calls.map(([name]) => name).sort());
});

describe("an operation without a credential", () => {
  test("an operation without a credential is one that the document gives to everyone", () => {
    const ofClient = operations.filter(({ name }) => / \/(v1|console|verify)\b/.test(name));
    const wrong = ofClient.filter(
      ({ name, operation }) => takesCredential(name) !== (operation.security ?? []).length > 0,
    );
    expect(ofClient.length).toBeGreaterThan(50);
    expect(wrong.map(({ name }) => name)).toEqual([]);
  });

  test("an operation without a credential is sent without the key, and needs no CSRF token", async () => {
    const program = new Parley({ baseUrl: server.url, apiKey: "svc_live_k" });
    await program.holds.getMessage(link);
    const signedOut = new Parley({
      baseUrl: server.url,
      csrfToken: async () => (await new HttpClient({ baseUrl: server.url }).request("GET /console/me")).csrf_token,
    });
    expect(server.requests[0]?.headers).not.toHaveProperty("authorization");
    server.play((response, request) =>
      request.method === "GET"
        ? fail(401, { code: "unauthorized" })(response, request)
        : ok({ sent: true })(response, request),
    );
    expect(await signedOut.logins.requestLink({ email: "ann@example.com" })).toEqual({ sent: true });
    expect(server.requests).toHaveLength(1);
    expect(await failureOf(signedOut.logins.signOut())).toMatchObject({ code: "unauthorized" });
  });
});

test("the link of a hold has its id and its secret", () => {
  const verify_url = "https://parley.example.com/verify?hold=hold_01M7ZAN532DXZZ1TKP6RZ0YEPG#t=a-_9";
  expect(parley.holds.readLink(verify_url)).toEqual({ hold_id: "hold_01M7ZAN532DXZZ1TKP6RZ0YEPG", secret: "a-_9" });
});

test.each([
  undefined,
  "",
  "hold_1",
  "https://parley.example.com/verify?hold=hold_1",
  "https://parley.example.com/verify#t=a",
])("the link %j is refused, and no request is made", (verify_url) => {
  expect(() => parley.holds.readLink(verify_url)).toThrow(
    expect.objectContaining({ name: "ParleyError", code: "invalid_argument" }),
  );
  expect(server.requests).toEqual([]);
});
