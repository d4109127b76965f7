import { createHmac } from "node:crypto";
import { describe, expect, test } from "vitest";
import type { Connection } from "#features/accounts/rules/accounts.ts";
import { platformHttp } from "#platforms/graph/http.ts";
import { mockPlatform } from "#platforms/graph/mock.ts";
import { platformFor } from "#platforms/platforms.ts";
import { openedOnce } from "../../support/opened.ts";
import { jsonResponse, type Respond, startFakePlatform, TOKEN, upstreamAt } from "./fake-platform.ts";

const PERSON = "6543210987654321";
const account = { platform: "messenger", externalId: "102030405060708" } as const;
const unknownProfile = { kind: "unknown" };
const laterProfile = { kind: "later", coolDownMs: null };
const unavailableProfile = { kind: "unavailable" };
const platform = openedOnce(startFakePlatform);

function fetchFrom(connection: Connection, answer: Respond, person = PERSON, http = platformHttp()) {
  platform.respondWith(answer);
  return platformFor(connection, upstreamAt(platform.origin), http).fetchProfile(account, TOKEN, person);
}

const fetchBody = (body: unknown) => fetchFrom("messenger", jsonResponse(200, body));

const instagram = { id: PERSON, name: "Ada Lind", username: "ada.lind", profile_pic: "https://cdn.example/a.jpg" };
const foundProfile = {
  kind: "found",
  name: "Ada Lind",
  username: "ada.lind",
  pictureUrl: "https://cdn.example/a.jpg",
};

test.each([
  ["instagram_login", `/instagram/v26.0/${PERSON}?fields=name,username,profile_pic`],
  ["instagram_page", `/facebook/v26.0/${PERSON}?fields=name,username,profile_pic`],
] as const)("a person of %s is looked up at %s", async (connection, url) => {
  expect(await fetchFrom(connection, jsonResponse(200, instagram))).toEqual(foundProfile);
  expect(platform.calls).toMatchObject([{ method: "GET", url, headers: { authorization: `Bearer ${TOKEN}` } }]);
});

test.each([
  ["instagram_login", false],
  ["instagram_page", true],
  ["messenger", true],
] as const)("a person of %s is looked up with a proof of the app's secret: %s", async (connection, proves) => {
  platform.respondWith(jsonResponse(200, instagram));
  const upstream = { facebookGraph: platform.origin, instagramGraph: platform.origin, graphVersion: "v26.0" };
  await platformFor(connection, upstream, platformHttp(), "an app secret").fetchProfile(account, TOKEN, PERSON);
  const proof = createHmac("sha256", "an app secret").update(TOKEN).digest("hex");
  const { searchParams } = new URL(platform.calls[0]?.url ?? "", platform.origin);
  expect(searchParams.get("appsecret_proof")).toBe(proves ? proof : null);
});

test("a person of Messenger has a first and a last name, and no user name", async () => {
  const body = { id: PERSON, first_name: "Ada", last_name: "Lind" };
  expect(await fetchFrom("messenger", jsonResponse(200, body))).toEqual({
    ...foundProfile,
    username: null,
    pictureUrl: null,
  });
  expect(platform.calls).toMatchObject([
    { method: "GET", url: `/facebook/v26.0/${PERSON}?fields=first_name,last_name,profile_pic` },
  ]);
});

test.each([
  [{ id: PERSON, first_name: "Ada" }, "Ada"],
  [{ id: PERSON, last_name: "Lind" }, "Lind"],
  [{ id: PERSON, name: "Lind Ada", first_name: "Ada", last_name: "Lind" }, "Lind Ada"],
  [{ id: PERSON, name: " \u0000 ", first_name: "Ada" }, "Ada"],
  [{ id: PERSON }, null],
  [{ id: PERSON, name: null }, null],
  [{ id: PERSON, name: 5 }, null],
  [{ id: PERSON, name: "a\r\nb\u0007c\u202Ed" }, "a b cd"],
  [{ id: PERSON, name: "\ufeff\u2066A\u200bd\u{e0041}a\u061c\u0085\u202eL" }, "Ada L"],
  [{ id: PERSON, name: "👩‍👩‍👧 Zoë" }, "👩‍👩‍👧 Zoë"],
  [{ id: PERSON, name: "\uD800" }, "\uFFFD"],
])("a person who is returned as %j is named %j", async (body, name) => {
  expect(await fetchBody(body)).toMatchObject({ kind: "found", name, username: null });
});

test("a person has a name of at most 200 characters and a user name of at most 100, without split characters", async () => {
  const long = await fetchBody({ name: "n".repeat(201), username: "u".repeat(101) });
  expect(long).toMatchObject({ name: "n".repeat(200), username: "u".repeat(100) });
  expect(await fetchBody({ name: ` ${"n ".repeat(500_000)}` })).toMatchObject({ name: "n ".repeat(100).trim() });
  const cut = await fetchBody({ name: `${"n".repeat(199)}😀` });
  expect(cut).toMatchObject({ name: "n".repeat(199) });
});

test("a person with an invalid id is never looked up", async () => {
  for (const person of ["me", "..", "1/accounts", "1?fields=access_token", ""]) {
    expect(await fetchFrom("messenger", jsonResponse(200, instagram), person)).toEqual(unavailableProfile);
  }
  expect(platform.calls).toEqual([]);
});

test("a person of a test key is unknown", async () => {
  expect(await mockPlatform(() => "1", "instagram").fetchProfile(account, "", PERSON)).toEqual(unknownProfile);
});

test.each([
  [230, undefined],
  [100, 2018218],
  [10, 2018218],
  [2018218, undefined],
  [100, 2018247],
  [10, 2018247],
  [100, 33],
  [100, 2018001],
  [551, undefined],
  [100, undefined],
  [10, undefined],
  [200, undefined],
  [3, undefined],
])("a person whom the platform does not show to the account with %s/%s is unavailable", async (code, error_subcode) => {
  const error = { message: "No", code, error_subcode };
  expect(await fetchFrom("instagram_login", jsonResponse(400, { error }))).toEqual(unavailableProfile);
});

describe("the profile is unknown when", () => {
  const refusal = (status: number, error: object) => jsonResponse(status, { error });
  test.each([
    ["the token has ended", refusal(401, { code: 190, error_subcode: 463 })],
    ["the account is restricted", refusal(400, { code: 10, error_subcode: 1893063 })],
    ["the platform is unsure", refusal(400, { code: 2, is_transient: true })],
    ["a refusal has no error", jsonResponse(400, {})],
    ["it redirects elsewhere", jsonResponse(302, "", { location: "https://example.com/" })],
    ["the answer is no JSON", jsonResponse(200, "<html>ok</html>")],
    ["the answer is a list", jsonResponse(200, [])],
    ["the answer is empty", jsonResponse(200, {})],
    ["the answer is of something else", jsonResponse(200, { ok: true })],
  ] as [string, Respond][])("the profile is unknown when %s", async (_name, answer) => {
    expect(await fetchFrom("messenger", answer)).toEqual(unknownProfile);
    expect(platform.calls).toHaveLength(1);
  });
});

describe("the profile is to be looked up later when", () => {
  const refusal = (status: number, error: object, headers = {}) => jsonResponse(status, { error }, headers);
  test.each([
    ["the pace is too high", refusal(400, { code: 613 }), 60_000],
    ["the pace is too high for the app", refusal(400, { code: 4, is_transient: true }), 60_000],
    [
      "the platform says for how long the pace is too high",
      refusal(400, { code: 613 }, { "retry-after": "1200" }),
      1_200_000,
    ],
    ["the platform has trouble", refusal(500, { code: 230 }), null],
    ["a gateway answers", jsonResponse(502, "<html>bad gateway</html>"), null],
    ["the answer is over 1 MB", jsonResponse(200, { name: "x".repeat(1024 * 1024) }), null],
    ["the connection breaks", (request) => request.socket.destroy(), null],
  ] as [string, Respond, number | null][])(
    "the profile is to be looked up later when %s",
    async (_name, answer, coolDownMs) => {
      expect(await fetchFrom("messenger", answer)).toEqual({ kind: "later", coolDownMs });
    },
  );

  test("the platform does not answer in time", async () => {
    expect(await fetchFrom("messenger", () => {}, PERSON, platformHttp({ total: 150 }))).toEqual(laterProfile);
  });
});
