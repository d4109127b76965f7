import { createHmac } from "node:crypto";
import { describe, expect, test } from "vitest";
import { facebookLogin } from "#platforms/accounts/facebook-login.ts";
import { instagramLogin } from "#platforms/accounts/instagram-login.ts";
import { platformHttp } from "#platforms/api/http.ts";
import { openedOnce } from "../../support/opened.ts";
import { jsonResponse, type Respond, startFakePlatform } from "../api/fake-platform.ts";
import { hostileAnswers } from "./hostile-answers.ts";

const NOW = Date.parse("2026-11-22T10:00:00Z");
const REDIRECT = "https://api.parley.example/oauth/instagram/callback";
const SECRET = "0123456789abcdef0123456789abcdef";
const CODE = "AQBx-login-code";
const IGAA_SHORT = "IGAAshort";
const IGAA_LONG = "IGAAlong";
const proofOf = (token: string) => createHmac("sha256", SECRET).update(token).digest("hex");
const platform = openedOnce(startFakePlatform);

/** Answers each call in turn; a text is the body itself. The last answer repeats. */
function script(answers: readonly (Respond | object | string)[]) {
  let at = 0;
  platform.respondWith((request, response) => {
    const answer = answers[Math.min(at++, answers.length - 1)] ?? {};
    const respond = typeof answer === "function" ? (answer as Respond) : jsonResponse(200, answer);
    respond(request, response);
  });
}

function madeCalls() {
  return platform.calls.map(({ method, url, body, headers }) => {
    const { pathname, searchParams } = new URL(url, platform.origin);
    const { authorization } = headers;
    return { call: `${method} ${pathname}`, query: Object.fromEntries(searchParams), body, authorization };
  });
}

describe("Instagram Login", () => {
  const logIn = (...answers: (Respond | object | string)[]) => {
    script(answers);
    const { origin } = platform;
    const upstream = { instagramApi: `${origin}/api`, instagramGraph: `${origin}/graph`, graphVersion: "v26.0" };
    const login = instagramLogin({
      upstream,
      http: platformHttp({ total: 2_000 }),
      appId: "800000000000002",
      appSecret: SECRET,
      clock: () => NOW,
    });
    return login.logIn(`${CODE}#_`, REDIRECT);
  };
  const permissions = "instagram_business_basic,instagram_business_manage_messages";
  const short = { access_token: IGAA_SHORT, user_id: "25025320000000001", permissions };
  const long = { access_token: IGAA_LONG, token_type: "bearer", expires_in: 5_183_944 };
  const me = { user_id: "17841405793187218", username: "bakery", name: "Bakery", id: "25025320000000001" };
  const loggedIn = {
    kind: "logged_in",
    token: IGAA_LONG,
    expiresAt: NOW + 5_183_944_000,
    userIds: ["25025320000000001", "17841405793187218"],
    account: { externalId: "17841405793187218", handle: "bakery", displayName: "Bakery" },
  };

  test("Instagram Login redeems the code without its #_, extends the token and reads the account", async () => {
    expect(await logIn({ data: [short] }, long, me)).toEqual(loggedIn);
    expect(madeCalls()).toEqual([
      {
        call: "POST /api/oauth/access_token",
        query: {},
        body: {
          client_id: "800000000000002",
          client_secret: SECRET,
          grant_type: "authorization_code",
          redirect_uri: REDIRECT,
          code: CODE,
        },
        authorization: undefined,
      },
      {
        call: "GET /graph/access_token",
        query: { grant_type: "ig_exchange_token", client_secret: SECRET, access_token: IGAA_SHORT },
        body: null,
        authorization: undefined,
      },
      {
        call: "GET /graph/v26.0/me",
        query: { fields: "user_id,username,name,id" },
        body: null,
        authorization: `Bearer ${IGAA_LONG}`,
      },
    ]);
  });

  test.each([
    ["flat, with a list of permissions", { ...short, permissions: permissions.split(",") }],
    ["without permissions", { access_token: IGAA_SHORT, user_id: "1" }],
    [
      "with a long number",
      `{"access_token":"${IGAA_SHORT}","user_id":25025320000000001,"permissions":["${permissions.split(",").join('","')}"]}`,
    ],
  ])("Instagram Login accepts the token %s", async (_name, answer) => {
    expect(await logIn(answer, long, me)).toEqual(loggedIn);
  });

  test("Instagram Login keeps every digit of an account that is a long number", async () => {
    const numbers = '{"user_id":17841405793187218,"id":25025320000000001,"username":"bakery","name":"Bakery"}';
    expect(await logIn(short, long, numbers)).toEqual(loggedIn);
    const longer = '{"user_id":178414057931872181234,"id":1,"username":"bakery"}';
    expect(await logIn(short, long, longer)).toMatchObject({
      userIds: ["1", "178414057931872181234"],
      account: { externalId: "178414057931872181234", displayName: "bakery" },
    });
  });

  test("Instagram Login is refused at once where the person left out the right to messages", async () => {
    for (const granted of ["instagram_business_basic", ["instagram_business_basic"], []]) {
      expect(await logIn({ ...short, permissions: granted }, long, me)).toMatchObject({
        kind: "refused",
        class: "permission",
        detail: "The permission instagram_business_manage_messages was not granted.",
      });
      expect(platform.calls).toHaveLength(1);
    }
  });

  test("Instagram Login is refused in the words of the platform, without the code or the secret", async () => {
    const text = `Matching code ${CODE} was not found or was already used (${SECRET})`;
    const error = { error_type: "OAuthException", code: 400, error_message: text };
    const outcome = await logIn(jsonResponse(400, error));
    expect(outcome).toMatchObject({
      kind: "refused",
      class: "other",
      detail: "Matching code [token] was not found or was already used ([token])",
    });
    expect(platform.calls).toHaveLength(1);
  });

  test.each<[string, object]>([
    ["no account", { user_id: undefined }],
    ["no person", { id: undefined }],
    ["no user name", { username: undefined }],
    ["an account with a #", { user_id: "1784#1" }],
    ["an account of 100 characters", { user_id: "1".repeat(100) }],
    ["a person with a #", { id: "1784#1" }],
    ["an account that is an object", { user_id: {} }],
    ["an account that is a fraction", { user_id: 1.5 }],
    ["a user name of control characters", { username: "\u0000\n" }],
  ])("Instagram Login that finds %s is a failure", async (_name, changes) => {
    expect(await logIn(short, long, { ...me, ...changes })).toEqual({ kind: "unknown" });
  });

  test.each(hostileAnswers)("Instagram Login is a failure with $name at any call", async ({ respond }) => {
    const answers = [short, long, me];
    for (const at of answers.keys()) {
      const outcome = await logIn(...answers.slice(0, at), respond);
      expect(outcome.kind).toMatch(/^(refused|unknown)$/);
      expect(platform.calls).toHaveLength(at + 1);
    }
  });
});

function facebook(...answers: (Respond | object | string)[]) {
  script(answers);
  const { origin } = platform;
  return facebookLogin({
    upstream: { facebookGraph: origin, graphVersion: "v26.0" },
    http: platformHttp({ total: 2_000 }),
    appId: "900000000000001",
    appSecret: SECRET,
    clock: () => NOW,
  });
}

describe("Facebook Login", () => {
  const short = { access_token: "EAAshort", token_type: "bearer", expires_in: 5_000 };
  const long = { access_token: "EAAlong", token_type: "bearer", expires_in: 5_184_000 };
  const me = { id: "10150000000000001" };
  const logIn = (...answers: (Respond | object | string)[]) => facebook(...answers).logIn(CODE, REDIRECT);

  test("Facebook Login redeems the code, extends the token and reads the person", async () => {
    expect(await logIn(short, long, me)).toEqual({
      kind: "logged_in",
      token: "EAAlong",
      expiresAt: NOW + 5_184_000_000,
      userIds: ["10150000000000001"],
    });
    const client = { client_id: "900000000000001", client_secret: SECRET };
    expect(madeCalls()).toMatchObject([
      {
        call: "GET /v26.0/oauth/access_token",
        query: { ...client, redirect_uri: REDIRECT, code: CODE },
        authorization: undefined,
      },
      {
        call: "GET /v26.0/oauth/access_token",
        query: { ...client, grant_type: "fb_exchange_token", fb_exchange_token: "EAAshort" },
        authorization: undefined,
      },
      {
        call: "GET /v26.0/me",
        query: { fields: "id", appsecret_proof: proofOf("EAAlong") },
        authorization: "Bearer EAAlong",
      },
    ]);
  });

  test("Facebook Login counts sixty days for a token without an end", async () => {
    expect(await logIn(short, { access_token: "EAAlong" }, me)).toMatchObject({
      expiresAt: NOW + 60 * 24 * 3_600_000,
    });
  });

  test.each([{}, { id: "1#2" }, { id: "1".repeat(100) }, { id: null }])(
    "Facebook Login of the person %j fails",
    async (person) => {
      expect(await logIn(short, long, person)).toEqual({ kind: "unknown" });
    },
  );

  test.each(hostileAnswers)("Facebook Login is a failure with $name at any call", async ({ respond }) => {
    const answers = [short, long, me];
    for (const at of answers.keys()) {
      const outcome = await logIn(...answers.slice(0, at), respond);
      // The token and its life suffice for the calls before the last.
      expect(outcome.kind).toMatch(/^(refused|unknown)$/);
      expect(platform.calls).toHaveLength(at + 1);
    }
  });
});

const linked = { id: "17841440011223344", username: "bikes", name: "Bikes" };
const page = {
  id: "104512347788901",
  name: "Bikes",
  username: "bikesonpage",
  access_token: "EAApage",
  tasks: ["ANALYZE", "MESSAGING"],
  instagram_business_account: linked,
};
const bikes = {
  pageId: "104512347788901",
  name: "Bikes",
  username: "bikesonpage",
  token: "EAApage",
  instagram: { externalId: linked.id, username: "bikes", displayName: "Bikes" },
};
const list = (...answers: (Respond | object | string)[]) => facebook(...answers).listPages("EAAlong");
const pagesOf = (...pages: object[]) => list({ data: pages });

test("the pages of a person are those that it may use for messages", async () => {
  const others = [
    { ...page, id: "1", tasks: ["ANALYZE"] },
    { ...page, id: "2", tasks: undefined },
    { ...page, id: "3", access_token: undefined },
    { ...page, id: "#", tasks: [] },
    {
      ...page,
      id: "4",
      tasks: ["PROFILE_PLUS_MESSAGING"],
      instagram_business_account: undefined,
      username: undefined,
    },
  ];
  expect(await pagesOf(page, ...others)).toEqual({
    kind: "listed",
    pages: [bikes, { ...bikes, pageId: "4", username: null, instagram: null }],
  });
  expect(madeCalls()).toEqual([
    {
      call: "GET /v26.0/me/accounts",
      query: {
        fields: "id,name,username,access_token,tasks,instagram_business_account{id,username,name}",
        limit: "100",
        appsecret_proof: proofOf("EAAlong"),
      },
      body: null,
      authorization: "Bearer EAAlong",
    },
  ]);
});

test("the pages of a person keep every digit of long numbers", async () => {
  const body = JSON.stringify({ data: [page] }).replace(`"${page.id}"`, "104512347788901234567");
  expect(await list(body)).toMatchObject({ pages: [{ pageId: "104512347788901234567" }] });
});

test("the pages of a person have no Instagram account without its user name", async () => {
  expect(await pagesOf({ ...page, instagram_business_account: { id: linked.id } })).toMatchObject({
    pages: [{ instagram: null }],
  });
});

test.each<[string, object]>([
  ["an id with a #", { id: "1#2" }],
  ["an id of 100 characters", { id: "1".repeat(100) }],
  ["no id", { id: undefined }],
  ["no name", { name: undefined }],
  ["a token of two lines", { access_token: "EAA\r\nx" }],
  ["an Instagram account with a #", { instagram_business_account: { ...linked, id: "1#2" } }],
  ["an Instagram account of 100 characters", { instagram_business_account: { ...linked, id: "1".repeat(100) } }],
])("the pages of a person are a failure where one has %s", async (_name, changes) => {
  expect(await pagesOf(page, { ...page, ...changes })).toEqual({ kind: "unknown" });
});

const pageAt = (at: number, next: string | null) => ({
  data: [{ ...page, id: String(at) }],
  paging: {
    cursors: { before: "B", after: next ?? "end" },
    ...(next === null ? {} : { next: "https://x.example/" }),
  },
});

test("the pages of a person are read by their cursor and never by a URL", async () => {
  const outcome = await list(pageAt(1, "c1"), pageAt(2, "c2"), pageAt(3, null));
  expect(outcome).toMatchObject({ pages: [{ pageId: "1" }, { pageId: "2" }, { pageId: "3" }] });
  expect(madeCalls().map(({ query }) => query.after)).toEqual([undefined, "c1", "c2"]);
});

test("the pages of a person are a failure where their cursors lead in a circle", async () => {
  expect(await list(pageAt(1, "c1"), pageAt(2, "c2"), pageAt(3, "c1"))).toEqual({ kind: "unknown" });
  expect(platform.calls).toHaveLength(3);
  expect(await list(pageAt(1, "c1"))).toEqual({ kind: "unknown" });
  expect(platform.calls).toHaveLength(2);
});

test("the pages of a person are at most those of twenty calls", async () => {
  const outcome = await list(...Array.from({ length: 30 }, (_, at) => pageAt(at, `c${at}`)));
  expect(outcome).toMatchObject({ kind: "listed", pages: expect.objectContaining({ length: 20 }) });
  expect(platform.calls).toHaveLength(20);
});

test("the pages of a person are a failure when a later call fails", async () => {
  expect(await list(pageAt(1, "c1"), jsonResponse(500, {}))).toEqual({ kind: "unknown" });
  const refused = jsonResponse(400, { error: { message: "No", code: 190 } });
  expect(await list(pageAt(1, "c1"), refused)).toMatchObject({ kind: "refused", class: "token" });
});

test.each(hostileAnswers)("the pages of a person are a failure with $name", async ({ respond }) => {
  expect((await list(respond)).kind).toMatch(/^(refused|unknown)$/);
});
