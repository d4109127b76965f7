import { createHmac } from "node:crypto";
import { describe, expect, test } from "vitest";
import { clockNow } from "#base/kernel/time.ts";
import type { Connection } from "#features/accounts/rules/accounts.ts";
import { accountPlatformFor } from "#platforms/accounts/account-platform-for.ts";
import { platformHttp } from "#platforms/api/http.ts";
import { openedOnce } from "../../support/opened.ts";
import { jsonResponse, type Respond, startFakePlatform, TOKEN, upstreamAt } from "../api/fake-platform.ts";
import { type HostileAnswer, hostileAnswers } from "./hostile-answers.ts";

const NOW = Date.parse("2026-11-22T10:00:00Z");
const app = { metaAppId: "900000000000001", metaSecret: "the meta secret" };
const PAGE = "104512347788901";
const INSTAGRAM = "17841405793187218";
const accounts = {
  instagram_login: { platform: "instagram", externalId: INSTAGRAM, pageId: null },
  instagram_page: { platform: "instagram", externalId: INSTAGRAM, pageId: PAGE },
  messenger: { platform: "messenger", externalId: PAGE, pageId: PAGE },
} as const;
const proofOf = (token: string) => createHmac("sha256", app.metaSecret).update(token).digest("hex");
const platform = openedOnce(startFakePlatform);

function over(connection: Connection, answer: Respond | object, total?: number) {
  platform.respondWith(typeof answer === "function" ? (answer as Respond) : jsonResponse(200, answer));
  const calls = accountPlatformFor(connection, {
    upstream: upstreamAt(platform.origin),
    http: platformHttp(total === undefined ? {} : { total }),
    app,
    clock: () => NOW,
  });
  return { calls, account: accounts[connection] };
}

/** The only call that the platform got: its path, and its query as an object. */
function onlyCall() {
  expect(platform.calls).toHaveLength(1);
  const [{ method, url, headers } = { method: "", url: "", headers: {} }] = platform.calls;
  const { pathname, searchParams } = new URL(url, platform.origin);
  return {
    call: `${method} ${pathname}`,
    query: Object.fromEntries(searchParams),
    authorization: headers.authorization,
  };
}

const pageFields =
  "messages,message_echoes,message_reads,message_deliveries,message_reactions,message_edits,messaging_postbacks,messaging_referrals,standby,messaging_policy_enforcement";
const instagramFields = "messages,messaging_postbacks,messaging_seen,message_reactions,messaging_referral,standby";
const nodes = {
  instagram_login: `/instagram/v26.0/${INSTAGRAM}`,
  instagram_page: `/facebook/v26.0/${PAGE}`,
  messenger: `/facebook/v26.0/${PAGE}`,
} as const;
const flavours = [
  ["instagram_login", instagramFields],
  ["instagram_page", pageFields],
  ["messenger", pageFields],
] as const;

test.each(flavours)("the subscription of %s names %s", async (connection, fields) => {
  const { calls, account } = over(connection, { success: true });
  expect(await calls.subscribe(account, TOKEN)).toEqual({ kind: "done" });
  const proof = connection === "instagram_login" ? {} : { appsecret_proof: proofOf(TOKEN) };
  expect(onlyCall()).toEqual({
    call: `POST ${nodes[connection]}/subscribed_apps`,
    query: { subscribed_fields: fields, ...proof },
    authorization: `Bearer ${TOKEN}`,
  });
});

test.each(flavours)("the subscription of %s ends with one DELETE", async (connection) => {
  const { calls, account } = over(connection, { success: true });
  expect(await calls.unsubscribe(account, TOKEN)).toEqual({ kind: "done" });
  expect(onlyCall()).toMatchObject({ call: `DELETE ${nodes[connection]}/subscribed_apps` });
  expect(onlyCall().query).toEqual(connection === "instagram_login" ? {} : { appsecret_proof: proofOf(TOKEN) });
});

test("the subscription is ended by one try that has an end", async () => {
  const { calls, account } = over("messenger", () => {});
  expect(await calls.unsubscribe(account, TOKEN, clockNow() + 150)).toEqual({ kind: "unknown" });
  expect(platform.calls).toHaveLength(1);
});

test.each(flavours)("the subscription of %s is complete with every field", async (connection, fields) => {
  const names = fields.split(",");
  const apps: [unknown, boolean][] = [
    [[{ id: app.metaAppId, subscribed_fields: [...names, "feed"] }], true],
    [[{ id: app.metaAppId, subscribed_fields: names.map((name) => ({ name, version: "v26.0" })) }], true],
    [[{ id: app.metaAppId, subscribed_fields: names.slice(1) }], false],
    [[{ id: app.metaAppId }], false],
    [[{ id: "1", subscribed_fields: names }], connection === "instagram_login"],
    [[], false],
    [["app"], false],
  ];
  for (const [data, isComplete] of apps) {
    const { calls, account } = over(connection, { data });
    expect(await calls.readSubscription(account, TOKEN)).toEqual({ kind: "read", isComplete });
    expect(onlyCall()).toMatchObject({ call: `GET ${nodes[connection]}/subscribed_apps` });
  }
});

test("a refresh extends the token of Instagram Login, whose life is counted from the call", async () => {
  const { calls } = over("instagram_login", { access_token: "IGAAnew", token_type: "bearer", expires_in: 5_183_944 });
  expect(await calls.refresh("IGAAold")).toEqual({
    kind: "refreshed",
    token: "IGAAnew",
    expiresAt: NOW + 5_183_944_000,
  });
  expect(onlyCall()).toEqual({
    call: "GET /instagram/refresh_access_token",
    query: { grant_type: "ig_refresh_token", access_token: "IGAAold" },
    authorization: undefined,
  });
});

test("a refresh of a page's token is refused without a call", async () => {
  const { calls } = over("messenger", {});
  expect(await calls.refresh(TOKEN)).toMatchObject({ kind: "refused", class: "other", accountStatus: null });
  expect(platform.calls).toEqual([]);
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

describe("the inspection of a page's token", () => {
  const data = {
    is_valid: true,
    scopes: ["pages_messaging", "instagram_manage_messages"],
    data_access_expires_at: 1_780_000_000,
  };
  const inspect = async (answer: object, connection: Connection = "messenger") => {
    const { calls, account } = over(connection, { data: answer });
    return calls.inspect(account, TOKEN);
  };

  test("the inspection of a page's token asks with the app's own token, which is proven too", async () => {
    expect(await inspect(data)).toEqual({
      kind: "inspected",
      isValid: true,
      detail: null,
      hasRights: true,
      dataAccessExpiresAt: 1_780_000_000_000,
    });
    const appToken = `${app.metaAppId}|${app.metaSecret}`;
    expect(onlyCall()).toEqual({
      call: "GET /facebook/v26.0/debug_token",
      query: { input_token: TOKEN, access_token: appToken, appsecret_proof: proofOf(appToken) },
      authorization: undefined,
    });
  });

  test.each([
    ["messenger", { scopes: ["instagram_manage_messages"] }, false],
    ["instagram_page", { scopes: ["pages_messaging"] }, false],
    ["instagram_page", { scopes: ["instagram_manage_messages"] }, true],
    ["messenger", { scopes: "pages_show_list,pages_messaging" }, true],
    ["messenger", { scopes: null }, false],
    ["messenger", { granular_scopes: [{ scope: "pages_messaging", target_ids: ["1"] }] }, false],
    ["messenger", { granular_scopes: [{ scope: "pages_messaging", target_ids: ["1", PAGE] }] }, true],
    ["messenger", { granular_scopes: [{ scope: "pages_messaging" }] }, true],
    ["messenger", { granular_scopes: [{ scope: "pages_show_list", target_ids: ["1"] }, null] }, true],
    ["instagram_page", { granular_scopes: [{ scope: "instagram_manage_messages", target_ids: [INSTAGRAM] }] }, true],
  ] as const)(
    "the inspection of a page's token of %s with %j has the rights: %s",
    async (connection, changes, hasRights) => {
      expect(await inspect({ ...data, ...changes }, connection)).toMatchObject({ isValid: true, hasRights });
    },
  );

  test("the inspection of a page's token names the platform's words on a token that is not valid, without the token", async () => {
    const error = { code: 190, subcode: 460, message: `The session of ${TOKEN} is invalid.` };
    expect(await inspect({ ...data, is_valid: false, error })).toMatchObject({
      isValid: false,
      hasRights: false,
      detail: "The session of [token] is invalid.",
    });
    expect(await inspect({ is_valid: false })).toMatchObject({ detail: "The access token is no longer valid." });
    expect(await inspect({ is_valid: false, error: "odd" })).toMatchObject({ isValid: false });
  });

  test.each([0, undefined, null, "never", -5])(
    "the inspection of a page's token with the end of the data access %j names none",
    async (end) => {
      expect(await inspect({ ...data, data_access_expires_at: end })).toMatchObject({ dataAccessExpiresAt: null });
    },
  );

  test("the inspection of a page's token is a failure without an answer on the token", async () => {
    for (const answer of [{}, { is_valid: "yes" }, { scopes: [] }]) {
      expect(await inspect(answer)).toEqual({ kind: "unknown" });
    }
  });

  test("the inspection of a page's token is refused without a call where the app is not set", async () => {
    platform.respondWith(jsonResponse(200, { data }));
    const upstream = { facebookGraph: platform.origin, instagramGraph: platform.origin, graphVersion: "v26.0" };
    const none = { metaAppId: null, metaSecret: null };
    const calls = accountPlatformFor("messenger", { upstream, http: platformHttp(), app: none });
    expect(await calls.inspect(accounts.messenger, TOKEN)).toMatchObject({
      kind: "refused",
      detail: "The id or the secret of the Meta app is not set.",
    });
    expect(platform.calls).toEqual([]);
  });
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

const thread = { id: "aWdfZAG06MTpJR0RNOlRocmVhZA=", updated_time: "2026-11-22T09:30:05+0000" };

test.each([
  ["instagram_login", "instagram"],
  ["instagram_page", "instagram"],
  ["messenger", "messenger"],
] as const)("the history of %s is listed by pages", async (connection, name) => {
  const paging = { cursors: { before: "B", after: "A" }, next: "https://elsewhere.example/" };
  const { externalId, pageId } = accounts[connection];
  const participants = {
    data: [{ id: externalId }, { id: pageId }, { id: "5001", username: "ann" }, { id: "a\nb" }],
  };
  const { calls, account } = over(connection, { data: [{ ...thread, participants }], paging });
  expect(await calls.listThreads(account, TOKEN, { after: null, limit: 10 })).toEqual({
    kind: "listed",
    threads: [{ id: thread.id, updatedAt: Date.parse("2026-11-22T09:30:05Z"), participantIds: ["5001"] }],
    next: "A",
  });
  const query = { platform: name, fields: "id,updated_time,participants", limit: "10" };
  expect(onlyCall()).toMatchObject({ call: `GET ${nodes[connection]}/conversations`, query });
  platform.respondWith(jsonResponse(200, { data: [], paging: { cursors: { after: "A" } } }));
  expect(await calls.listThreads(account, TOKEN, { after: "A", limit: 10 })).toMatchObject({
    threads: [],
    next: null,
  });
  expect(onlyCall().query).toMatchObject({ ...query, after: "A" });
});

test.each([
  {},
  { data: {} },
  { data: [null] },
  { data: [{ id: thread.id }] },
  { data: [{ updated_time: thread.updated_time }] },
  { data: [{ ...thread, id: ".." }] },
  { data: [{ ...thread, id: "t 1" }] },
  { data: [{ ...thread, id: "x".repeat(513) }] },
  { data: [{ ...thread, updated_time: "yesterday" }] },
  { data: [{ ...thread, updated_time: "2026-13-45T99:99:99+0000" }] },
])("a history that is listed as %j is a failure", async (answer) => {
  const { calls, account } = over("messenger", answer);
  expect(await calls.listThreads(account, TOKEN, { after: null, limit: 10 })).toEqual({ kind: "unknown" });
});

test("the history of one conversation is one call, and its messages come oldest first", async () => {
  const message = (id: string, second: number) => ({
    id,
    created_time: `2026-11-22T09:30:0${second}+0000`,
    from: { id: "6543210987654321" },
    to: { data: [{ id: PAGE }] },
    message: id,
  });
  const data = [message("c", 2), message("b", 1), message("a", 1), { id: "odd" }, null];
  const { calls, account } = over("messenger", { messages: { data }, id: "t_1/x" });
  const read = await calls.readThread(account, TOKEN, "t_1/x");
  expect(read).toMatchObject({ kind: "read", messages: [{ id: "a" }, { id: "b" }, { id: "c" }] });
  expect(onlyCall()).toMatchObject({
    call: "GET /facebook/v26.0/t_1%2Fx",
    query: {
      fields: "messages{id,created_time,from,to,message,attachments,reply_to,shares,sticker}",
      appsecret_proof: proofOf(TOKEN),
    },
  });
});

test("the history of one conversation of Instagram asks for its stories", async () => {
  const { calls, account } = over("instagram_login", { messages: { data: [] } });
  expect(await calls.readThread(account, TOKEN, thread.id)).toEqual({ kind: "read", messages: [], isCut: false });
  expect(onlyCall().query).toEqual({
    fields: "messages{id,created_time,from,to,message,attachments,reply_to,story,is_unsupported,shares}",
  });
});

test("the history of a conversation with an odd id is refused without a call", async () => {
  const { calls, account } = over("messenger", {});
  for (const id of ["", ".", "..", "a b", "x".repeat(513)]) {
    expect(await calls.readThread(account, TOKEN, id)).toMatchObject({ kind: "refused" });
  }
  expect(platform.calls).toEqual([]);
});

describe("every call", () => {
  type Calls = ReturnType<typeof over>;
  const everyCall: readonly (readonly [string, Connection, (calls: Calls) => Promise<{ kind: string }>])[] = [
    ["subscribe", "messenger", ({ calls, account }) => calls.subscribe(account, TOKEN)],
    ["unsubscribe", "messenger", ({ calls, account }) => calls.unsubscribe(account, TOKEN)],
    ["readSubscription", "instagram_page", ({ calls, account }) => calls.readSubscription(account, TOKEN)],
    ["refresh", "instagram_login", ({ calls }) => calls.refresh(TOKEN)],
    ["inspect", "instagram_login", ({ calls, account }) => calls.inspect(account, TOKEN)],
    ["debug_token", "messenger", ({ calls, account }) => calls.inspect(account, TOKEN)],
    ["listThreads", "messenger", ({ calls, account }) => calls.listThreads(account, TOKEN, { after: null, limit: 1 })],
    ["readThread", "messenger", ({ calls, account }) => calls.readThread(account, TOKEN, "t_1")],
  ];
  const cases = everyCall.flatMap(([name, connection, call]) =>
    hostileAnswers.map((hostile) => [name, hostile.name, { connection, call, hostile }] as const),
  );

  test.each(cases)("%s answered with %s is a failure", async (_name, _answer, { connection, call, hostile }) => {
    const outcome = await call(over(connection, (hostile as HostileAnswer).respond, 2_000));
    expect(outcome.kind).toMatch(/^(refused|unknown)$/);
    expect(platform.calls).toHaveLength(1);
  });

  test.each(everyCall)("%s that is refused has a detail without a token or secret", async (name, connection, call) => {
    const appToken = `${app.metaAppId}|${app.metaSecret}`;
    const secrets = [TOKEN, proofOf(TOKEN), ...(name === "debug_token" ? [appToken, proofOf(appToken)] : [])];
    const error = { message: `Of ${secrets.join(" and ")} end`, code: 100 };
    const outcome = await call(over(connection, jsonResponse(400, { error })));
    const detail = `Of ${secrets.map(() => "[token]").join(" and ")} end`;
    expect(outcome).toMatchObject({ kind: "refused", class: "invalid", code: 100, accountStatus: null, detail });
  });

  test.each(everyCall)("%s that no one can reach is refused as transient", async (_name, connection, call) => {
    const { calls: _calls, account } = over(connection, {});
    const upstream = {
      facebookGraph: "http://127.0.0.1:1",
      instagramGraph: "http://127.0.0.1:1",
      graphVersion: "v26.0",
    };
    const calls = accountPlatformFor(connection, { upstream, http: platformHttp(), app });
    expect(await call({ calls, account })).toEqual({
      kind: "refused",
      class: "other",
      detail: "The platform could not be reached.",
      code: null,
      subcode: null,
      accountStatus: null,
      transient: true,
    });
  });
});
