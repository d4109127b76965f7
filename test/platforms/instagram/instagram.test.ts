import { describe, expect, test } from "vitest";
import { CALLS_NOW, INSTAGRAM, openAccountCalls } from "../graph/account-fixture.ts";
import { jsonResponse, type Respond, TOKEN } from "../graph/fake-platform.ts";

const { over, onlyCall } = openAccountCalls();

test("a refresh extends the token of Instagram Login, whose life is counted from the call", async () => {
  const { calls } = over("instagram_login", { access_token: "IGAAnew", token_type: "bearer", expires_in: 5_183_944 });
  expect(await calls.refresh("IGAAold")).toEqual({
    kind: "refreshed",
    token: "IGAAnew",
    expiresAt: CALLS_NOW + 5_183_944_000,
  });
  expect(onlyCall()).toEqual({
    call: "GET /instagram/refresh_access_token",
    query: { grant_type: "ig_refresh_token", access_token: "IGAAold" },
    authorization: undefined,
  });
});

test.each([
  {},
  { access_token: "IGAAnew" },
  { expires_in: 5 },
  { access_token: "", expires_in: 5 },
  { access_token: "a b", expires_in: 5 },
  { access_token: "a\r\nx: y", expires_in: 5 },
  { access_token: "x".repeat(3_000), expires_in: 5 },
  { access_token: "IGAAnew", expires_in: 0 },
  { access_token: "IGAAnew", expires_in: -1 },
  { access_token: "IGAAnew", expires_in: "soon" },
])("a refresh that is answered with %j is a failure", async (answer) => {
  const { calls } = over("instagram_login", answer);
  expect(await calls.refresh("IGAAold")).toEqual({ kind: "unknown" });
});

test.each([
  ["a code that leaves the result open", 400, { code: 2 }],
  ["an unknown code that may pass", 400, { code: 987_654, is_transient: true }],
  ["a fault of the platform", 500, { code: 1 }],
  ["a fault of the platform with the code of a refusal", 503, { code: 190 }],
])("a refresh that fails with %s has the platform's own words, without the token", async (_, status, error) => {
  const message = "An unexpected error for IGAAold has occurred.";
  const { calls } = over("instagram_login", jsonResponse(status, { error: { message, ...error } }));
  expect(await calls.refresh("IGAAold")).toEqual({
    kind: "unknown",
    detail: "An unexpected error for [token] has occurred.",
  });
});

test("a refresh that fails without an error in the answer has no words", async () => {
  const { calls } = over("instagram_login", jsonResponse(503, {}));
  expect(await calls.refresh("IGAAold")).toEqual({ kind: "unknown" });
});

describe("the inspection of a token of Instagram Login", () => {
  const refusal = (code: number, error_subcode?: number) =>
    jsonResponse(400, { error: { message: "No", code, error_subcode } });
  const inspect = (answer: Respond | object) => {
    const { calls, account } = over("instagram_login", answer);
    return calls.inspect(account, TOKEN);
  };

  test("the inspection of a token of Instagram Login is one read that needs the right to messages", async () => {
    expect(await inspect({ data: [] })).toEqual({
      kind: "inspected",
      isValid: true,
      detail: null,
      hasRights: true,
      dataAccessExpiresAt: null,
    });
    expect(onlyCall()).toEqual({
      call: `GET /instagram/v26.0/${INSTAGRAM}/conversations`,
      query: { platform: "instagram", fields: "id", limit: "1" },
      authorization: `Bearer ${TOKEN}`,
    });
  });

  test("the inspection of a token of Instagram Login says what a refusal says of the token and its rights", async () => {
    expect(await inspect(refusal(190, 463))).toMatchObject({ kind: "inspected", isValid: false, hasRights: false });
    expect(await inspect(refusal(10))).toMatchObject({ kind: "inspected", isValid: true, hasRights: false });
    expect(await inspect(refusal(200))).toMatchObject({ kind: "inspected", hasRights: false, detail: "No" });
  });

  test("the inspection of a token of Instagram Login is a failure by any other refusal", async () => {
    expect(await inspect(refusal(10, 1893063))).toMatchObject({ kind: "refused", class: "restricted" });
    expect(await inspect(refusal(4))).toMatchObject({ kind: "refused", class: "rate" });
    expect(await inspect(refusal(2))).toEqual({ kind: "unknown", detail: "No" });
  });
});

test("the history of one conversation of Instagram asks for its stories", async () => {
  const { calls, account } = over("instagram_login", { messages: { data: [] } });
  expect(await calls.readThread(account, TOKEN, "aWdfZAG06MTpJR0RNOlRocmVhZA=")).toEqual({
    kind: "read",
    messages: [],
    isCut: false,
  });
  expect(onlyCall().query).toEqual({
    fields: "messages{id,created_time,from,to,message,attachments,reply_to,story,is_unsupported,shares}",
  });
});
