import { describe, expect, test } from "vitest";
import { clockNow } from "#base/kernel/time.ts";
import type { Connection } from "#features/accounts/rules/accounts.ts";
import { platformHttp } from "#platforms/graph/http.ts";
import { accountPlatformFor } from "#platforms/platforms.ts";
import { accounts, app, INSTAGRAM, openAccountCalls, PAGE, proofOf } from "./account-fixture.ts";
import { jsonResponse, TOKEN } from "./fake-platform.ts";
import { type HostileAnswer, hostileAnswers } from "./hostile-answers.ts";

const { platform, over, onlyCall } = openAccountCalls();

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

const PICTURE = "https://pictures.example/account.jpg?oe=68F3A1B2";

test.each([
  ["instagram_login", `/instagram/v26.0/${INSTAGRAM}`, "profile_picture_url", { profile_picture_url: PICTURE }],
  ["instagram_page", `/facebook/v26.0/${INSTAGRAM}`, "profile_picture_url", { profile_picture_url: PICTURE }],
  ["messenger", `/facebook/v26.0/${PAGE}`, "picture{url}", { picture: { data: { url: PICTURE } } }],
] as const)("the picture of %s is a field of the account", async (connection, node, fields, answer) => {
  const { calls, account } = over(connection, { ...answer, id: "1" });
  expect(await calls.readPicture(account, TOKEN)).toEqual({ kind: "read", url: PICTURE });
  const proof = connection === "instagram_login" ? {} : { appsecret_proof: proofOf(TOKEN) };
  expect(onlyCall()).toEqual({
    call: `GET ${node}`,
    query: { fields, ...proof },
    authorization: `Bearer ${TOKEN}`,
  });
});

test.each([
  ["instagram_login", {}],
  ["instagram_login", { profile_picture_url: 7 }],
  ["messenger", {}],
  ["messenger", { picture: PICTURE }],
  ["messenger", { picture: { data: [] } }],
  ["messenger", { picture: { data: { url: null } } }],
] as const)("the picture of %s that answers %j is none", async (connection, answer) => {
  const { calls, account } = over(connection, { ...answer, id: "1" });
  expect(await calls.readPicture(account, TOKEN)).toEqual({ kind: "read", url: null });
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
    ["readPicture", "messenger", ({ calls, account }) => calls.readPicture(account, TOKEN)],
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
