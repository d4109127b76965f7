import { describe, expect, it } from "vitest";
import { openedEach } from "../support/opened.ts";
import {
  CONSOLE,
  CSRF_TOKEN,
  createTestApp,
  operatorAuth,
  readVerdict,
  sessionAuth,
  tenantAuth,
} from "./support/sample-routes.ts";

const testApp = openedEach(createTestApp);

type Headers = Readonly<Record<string, string>>;

/** @returns status and code */
async function ask(method: string, path: string, headers: Headers): Promise<(string | number)[]> {
  return (await readVerdict(testApp.app.request(path, { method, headers }))).slice(0, 2);
}

const cookie = { cookie: "console_session=ann" };

it("a route for keys and sessions takes the one or the other, and refuses neither of both", async () => {
  expect(await ask("GET", "/v1/things", tenantAuth)).toEqual([200, "ok"]);
  expect(await ask("GET", "/v1/things?tenant=acme", cookie)).toEqual([200, "ok"]);
  expect(await ask("GET", "/v1/things?tenant=acme", {})).toEqual([401, "unauthorized"]);
});

it.each([
  ["unknown", "Bearer unknown"],
  ["empty", ""],
  ["of another scheme", "Basic YW5uOmFubg=="],
  ["sent twice", "Bearer bound, Bearer bound"],
])(
  "a route for keys and sessions refuses a session beside an Authorization header that is %s",
  async (_, authorization) => {
    expect(await ask("GET", "/v1/things?tenant=acme", { ...sessionAuth, authorization })).toEqual([
      401,
      "unauthorized",
    ]);
    expect(testApp.reads).toEqual(authorization.startsWith("Bearer") ? ["key"] : []);
  },
);

it("a route for keys and sessions takes the key of a request that also has a session, and asks it for no CSRF token", async () => {
  const headers = { ...tenantAuth, cookie: "console_session=ann", origin: "https://evil.example" };
  expect(await ask("PATCH", "/v1/settings", headers)).toEqual([200, "ok"]);
  expect(await ask("PATCH", "/v1/settings", { ...headers, cookie: "console_session=x; console_session=y" })).toEqual([
    200,
    "ok",
  ]);
  expect(testApp.reads).toEqual(["key", "key"]);
});

it.each([
  ["unknown", "console_session=unknown"],
  ["empty", "console_session="],
  ["sent twice", "console_session=ann; console_session=ann"],
  ["in quotes", 'console_session="ann"'],
  ["with a no-break space before its name", "\u00a0console_session=ann"],
  ["beside one with a no-break space before its name", "console_session=ann; \u00a0console_session=ann"],
  ["of 8 KB", `console_session=${"x".repeat(8 * 1024)}`],
  ["under another name", "console_csrf=ann"],
])(
  "a route for keys and sessions refuses a session cookie that is %s, without a read of the user",
  async (_, header) => {
    expect(await ask("GET", "/v1/things?tenant=acme", { cookie: header })).toEqual([401, "unauthorized"]);
    expect(testApp.reads).not.toContain("session");
  },
);

it("a route for keys and sessions refuses a session that was signed out", async () => {
  expect(await ask("GET", "/v1/things?tenant=acme", { cookie: "console_session=signedout" })).toEqual([
    401,
    "unauthorized",
  ]);
});

it.each([
  ["a key", { authorization: "Bearer ?" }],
  ["a key beside a session", { ...sessionAuth, authorization: "Bearer ?" }],
  ["a session", { cookie: "console_session=?" }],
])("a credential whose form is not right is refused without a read: %s", async (_, headers) => {
  expect(await ask("GET", "/v1/things?tenant=acme", headers)).toEqual([401, "unauthorized"]);
  expect(testApp.reads).toEqual([]);
});

it("a route for one of both refuses a session where it needs a key", async () => {
  expect(await ask("POST", "/v1/ticket", tenantAuth)).toEqual([200, "ok"]);
  expect(await ask("POST", "/v1/ticket?tenant=acme", sessionAuth)).toEqual([401, "unauthorized"]);
  expect(testApp.reads).not.toContain("session");
});

it("a route for one of both refuses a key where it needs a session, also beside one, without a read", async () => {
  expect(await ask("GET", "/console/me", cookie)).toEqual([200, "ok"]);
  testApp.reads.length = 0;
  expect(await ask("GET", "/console/me", tenantAuth)).toEqual([401, "unauthorized"]);
  expect(await ask("GET", "/console/me", { ...tenantAuth, ...cookie })).toEqual([401, "unauthorized"]);
  expect(await ask("GET", "/console/me", {})).toEqual([401, "unauthorized"]);
  expect(testApp.reads).toEqual([]);
});

it.each([
  ["", 400, "tenant_required"],
  ["?tenant=acme", 200, "ok"],
  ["?tenant=globex", 200, "ok"],
  ["?tenant=initech", 403, "forbidden"],
  ["?tenant=paused-shop", 403, "forbidden"],
  ["?tenant=X", 400, "invalid_request"],
])("%s is %i %s", async (query, status, code) => {
  expect(await ask("GET", `/v1/things${query}`, cookie)).toEqual([status, code]);
});

it("the tenant of a session decides which role counts", async () => {
  expect(await ask("PATCH", "/v1/settings?tenant=acme", sessionAuth)).toEqual([200, "ok"]);
  expect(await ask("PATCH", "/v1/settings?tenant=globex", sessionAuth)).toEqual([403, "forbidden"]);
  expect(await ask("PATCH", "/console/tenant?tenant=acme", sessionAuth)).toEqual([403, "forbidden"]);
  expect(await ask("PATCH", "/console/tenant?tenant=paused-shop", sessionAuth)).toEqual([403, "forbidden"]);
});

it("the tenant of a session says which of the three a 403 is", async () => {
  const message = async (tenant: string) => {
    const response = await testApp.app.request(`/v1/settings?tenant=${tenant}`, {
      method: "PATCH",
      headers: sessionAuth,
    });
    return ((await response.json()) as { error: { message: string } }).error.message;
  };
  expect(await message("globex")).toContain("Your role");
  expect(await message("paused-shop")).toContain("suspended");
  expect(await message("initech")).toContain("No access to the tenant");
});

describe("the CSRF token of a session's write", () => {
  const path = "/v1/settings?tenant=acme";

  it.each([
    ["missing", {}],
    ["empty", { "x-csrf-token": "" }],
    ["another one", { "x-csrf-token": "the-csrf-token-of-bob" }],
    ["shorter", { "x-csrf-token": CSRF_TOKEN.slice(0, -1) }],
    ["longer", { "x-csrf-token": `${CSRF_TOKEN}x` }],
    ["of 8 KB", { "x-csrf-token": CSRF_TOKEN.repeat(400) }],
    ["in other letters", { "x-csrf-token": CSRF_TOKEN.toUpperCase() }],
    ["sent twice", { "x-csrf-token": `${CSRF_TOKEN}, ${CSRF_TOKEN}` }],
    ["only in the cookie", { cookie: `console_session=ann; console_csrf=${CSRF_TOKEN}` }],
  ])("the CSRF token of a session's write is required: %s is 403 before a read", async (_, headers: Headers) => {
    expect(await ask("PATCH", path, { ...cookie, ...headers })).toEqual([403, "csrf_failed"]);
    expect(await ask("PATCH", "/console/tenant?tenant=acme", { ...cookie, ...headers })).toEqual([403, "csrf_failed"]);
    expect(testApp.reads).toEqual([]);
  });

  it("the CSRF token of a session's write is not needed to read, also from another origin", async () => {
    const things = "/v1/things?tenant=acme";
    expect(await ask("GET", things, { ...cookie, origin: "https://evil.example" })).toEqual([200, "ok"]);
    const head = await testApp.app.request(things, { method: "HEAD", headers: cookie });
    expect(head.status).toBe(200);
  });

  const origins: [Headers, boolean][] = [
    [{}, true],
    [{ origin: CONSOLE }, true],
    [{ origin: CONSOLE, "sec-fetch-site": "same-origin" }, true],
    [{ origin: CONSOLE, "sec-fetch-site": "same-site" }, true],
    [{ origin: CONSOLE, "sec-fetch-site": "none" }, true],
    [{ "sec-fetch-site": "same-origin" }, true],
    [{ "sec-fetch-site": "none" }, true],
    [{ origin: CONSOLE, "sec-fetch-site": "cross-site" }, false],
    [{ "sec-fetch-site": "cross-site" }, false],
    [{ "sec-fetch-site": "same-site" }, false],
    [{ "sec-fetch-site": "" }, false],
    [{ origin: "https://evil.example" }, false],
    [{ origin: "https://evil.example", "sec-fetch-site": "same-origin" }, false],
    [{ origin: "null" }, false],
    [{ origin: "" }, false],
    [{ origin: `${CONSOLE}.evil.example` }, false],
    [{ origin: `${CONSOLE}:443` }, false],
    [{ origin: `${CONSOLE}/` }, false],
    [{ origin: CONSOLE.replace("https", "http") }, false],
    [{ origin: CONSOLE.toUpperCase() }, false],
    [{ origin: `${CONSOLE}, ${CONSOLE}` }, false],
  ];

  it("the CSRF token of a session's write counts only from the console's origin", async () => {
    for (const [headers, isAccepted] of origins) {
      const verdict = isAccepted ? [200, "ok"] : [403, "csrf_failed"];
      expect(await ask("PATCH", path, { ...sessionAuth, ...headers }), JSON.stringify(headers)).toEqual(verdict);
    }
  });
});

it("a request that is refused for its credential is not counted", async () => {
  const counted: string[] = [];
  const { app } = createTestApp(async ({ kind }) => {
    counted.push(kind);
    return null;
  });
  const refused: Headers[] = [cookie, { cookie: "console_session=unknown" }, { authorization: "Bearer unknown" }, {}];
  for (const headers of refused) await app.request("/v1/settings?tenant=acme", { method: "PATCH", headers });
  expect(counted).toEqual([]);
  await app.request("/v1/things?tenant=acme", { headers: cookie });
  await app.request("/v1/things?tenant=acme", { headers: operatorAuth });
  expect(counted).toEqual(["session", "operator_key"]);
});
