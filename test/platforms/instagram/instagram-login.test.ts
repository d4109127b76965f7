import { describe, expect, test } from "vitest";
import { platformHttp } from "#platforms/graph/http.ts";
import { instagramLogin } from "#platforms/instagram/instagram-login.ts";
import { jsonResponse } from "../graph/fake-platform.ts";
import { hostileAnswers } from "../graph/hostile-answers.ts";
import { type Answer, CODE, LOGIN_NOW, openLoginPlatform, REDIRECT, SECRET } from "../graph/login-fixture.ts";

const IGAA_SHORT = "IGAAshort";
const IGAA_LONG = "IGAAlong";
const { platform, script, madeCalls } = openLoginPlatform();

describe("Instagram Login", () => {
  const logIn = (...answers: Answer[]) => {
    script(answers);
    const { origin } = platform;
    const upstream = { instagramApi: `${origin}/api`, instagramGraph: `${origin}/graph`, graphVersion: "v26.0" };
    const login = instagramLogin({
      upstream,
      http: platformHttp({ total: 2_000 }),
      appId: "800000000000002",
      appSecret: SECRET,
      clock: () => LOGIN_NOW,
    });
    return login.logIn(CODE, REDIRECT);
  };
  const permissions = "instagram_business_basic,instagram_business_manage_messages";
  const short = { access_token: IGAA_SHORT, user_id: "25025320000000001", permissions };
  const long = { access_token: IGAA_LONG, token_type: "bearer", expires_in: 5_183_944 };
  const me = { user_id: "17841405793187218", username: "bakery", name: "Bakery", id: "25025320000000001" };
  const picture = { profile_picture_url: "https://pictures.example/bakery.jpg?oe=68F3A1B2" };
  const loggedIn = {
    kind: "logged_in",
    token: IGAA_LONG,
    expiresAt: LOGIN_NOW + 5_183_944_000,
    userIds: ["25025320000000001", "17841405793187218"],
    account: { externalId: "17841405793187218", handle: "bakery", displayName: "Bakery" },
    pictureUrl: null,
  };

  test("Instagram Login redeems the code, extends the token and reads the account", async () => {
    expect(await logIn({ data: [short] }, long, { ...me, ...picture })).toEqual({
      ...loggedIn,
      pictureUrl: picture.profile_picture_url,
    });
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
        query: { fields: "user_id,username,name,id,profile_picture_url" },
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
