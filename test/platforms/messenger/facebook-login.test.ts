import { createHmac } from "node:crypto";
import { describe, expect, test } from "vitest";
import { platformHttp } from "#platforms/graph/http.ts";
import { facebookLogin } from "#platforms/messenger/facebook-login.ts";
import { jsonResponse } from "../graph/fake-platform.ts";
import { hostileAnswers } from "../graph/hostile-answers.ts";
import { type Answer, CODE, LOGIN_NOW, openLoginPlatform, REDIRECT, SECRET } from "../graph/login-fixture.ts";

const proofOf = (token: string) => createHmac("sha256", SECRET).update(token).digest("hex");
const { platform, script, madeCalls } = openLoginPlatform();

function facebook(...answers: Answer[]) {
  script(answers);
  const { origin } = platform;
  return facebookLogin({
    upstream: { facebookGraph: origin, graphVersion: "v26.0" },
    http: platformHttp({ total: 2_000 }),
    appId: "900000000000001",
    appSecret: SECRET,
    clock: () => LOGIN_NOW,
  });
}

describe("Facebook Login", () => {
  const short = { access_token: "EAAshort", token_type: "bearer", expires_in: 5_000 };
  const long = { access_token: "EAAlong", token_type: "bearer", expires_in: 5_184_000 };
  const me = { id: "10150000000000001" };
  const logIn = (...answers: Answer[]) => facebook(...answers).logIn(CODE, REDIRECT);

  test("Facebook Login redeems the code, extends the token and reads the person", async () => {
    expect(await logIn(short, long, me)).toEqual({
      kind: "logged_in",
      token: "EAAlong",
      expiresAt: LOGIN_NOW + 5_184_000_000,
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
      expiresAt: LOGIN_NOW + 60 * 24 * 3_600_000,
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

const linked = {
  id: "17841440011223344",
  username: "bikes",
  name: "Bikes",
  profile_picture_url: "https://pictures.example/bikes.jpg",
};
const page = {
  id: "104512347788901",
  name: "Bikes",
  username: "bikesonpage",
  picture: { data: { url: "https://pictures.example/page.jpg" } },
  access_token: "EAApage",
  tasks: ["ANALYZE", "MESSAGING"],
  instagram_business_account: linked,
};
const bikes = {
  pageId: "104512347788901",
  name: "Bikes",
  username: "bikesonpage",
  pictureUrl: "https://pictures.example/page.jpg",
  token: "EAApage",
  instagram: {
    externalId: linked.id,
    username: "bikes",
    displayName: "Bikes",
    pictureUrl: "https://pictures.example/bikes.jpg",
  },
};
const list = (...answers: Answer[]) => facebook(...answers).listPages("EAAlong");
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
      picture: undefined,
    },
  ];
  expect(await pagesOf(page, ...others)).toEqual({
    kind: "listed",
    pages: [bikes, { ...bikes, pageId: "4", username: null, pictureUrl: null, instagram: null }],
  });
  expect(madeCalls()).toEqual([
    {
      call: "GET /v26.0/me/accounts",
      query: {
        fields:
          "id,name,username,picture{url},access_token,tasks,instagram_business_account{id,username,name,profile_picture_url}",
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

test("the pages of a person are a failure where their cursors form a circle", async () => {
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
