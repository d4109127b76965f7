import { describe, expect, it } from "vitest";
import { loginErrorText } from "../../../../web/common/login-errors.ts";
import { type Account, arrangeAccounts, troublesOf } from "../../../../web/console/accounts/account-health.ts";
import { accountLine, futureDay, quotesOf, troubleWords } from "../../../../web/console/accounts/account-words.ts";
import { parseLoginEnd, parseWay } from "../../../../web/console/accounts/login-end.ts";

const now = Date.parse("2026-11-20T12:00:00.000Z");
const HOUR = 3_600_000;
const ago = (hours: number) => new Date(now - hours * HOUR).toISOString();

const plain: Account = {
  account_key: "instagram#1",
  platform: "instagram",
  external_id: "1",
  handle: "harbor.tailors",
  display_name: "Harbor Tailors",
  picture: null,
  page_id: null,
  connection: "instagram_login",
  status: "active",
  status_detail: null,
  refresh_error: null,
  last_refreshed_at: ago(26),
  token_expires_at: ago(-24 * 58),
  human_agent_blocked_at: null,
  subscribed_at: ago(5),
  subscription: { state: "complete", checked_at: ago(5) },
  missing_since: null,
};
const of = (more: Partial<Account>): Account => ({ ...plain, ...more });

function said(more: Partial<Account>): string[] {
  const account = of(more);
  return troublesOf(account, now).map((trouble) => {
    const { title, text } = troubleWords(account, trouble, now);
    return `${title} ${text}`;
  });
}

describe("what is wrong with an account", () => {
  it.each<[string, Partial<Account>, string[]]>([
    ["nothing", {}, []],
    ["a new account without a check", { subscribed_at: null, last_refreshed_at: null }, []],
    [
      "an end of the access",
      { status: "needs_reauth" },
      ["must be logged in again", "was today", "Nothing can be sent"],
    ],
    [
      "an access whose time is over",
      { status: "needs_reauth", token_expires_at: ago(27) },
      ["Its access ended yesterday,", "still stored and delivered"],
    ],
    [
      "an access that cannot be renewed",
      { status: "refresh_failing", token_expires_at: ago(-24 * 10) },
      ["cannot be renewed", `until ${futureDay(now + 240 * HOUR, now)}`, "Log in again"],
    ],
    [
      "a restriction",
      { status: "restricted" },
      ["restricted by the platform", "Look for a notice in the app of Instagram"],
    ],
    ["an end of the app's access", { status_detail: "Data access ends." }, ["ends soon", "Log in again"]],
    [
      "messages that may be missing",
      { missing_since: ago(3) },
      ["may be missing since today", "Log in again to fetch"],
    ],
    ["a check that is late", { subscribed_at: ago(80) }, ["No check of Harbor Tailors has succeeded since", "17"]],
    [
      "a refused human agent",
      { human_agent_blocked_at: ago(30) },
      ["no messages as a person since yesterday", "Human Agent"],
    ],
  ])("the page says of %s what it is, since when, and what to do", (_, more, words) => {
    const [first = ""] = said(more);
    for (const expected of words) expect(first).toContain(expected);
    expect(said(more)).toHaveLength(words.length === 0 ? 0 : 1);
  });

  it("the worst stands first, and a login is offered only where it helps", () => {
    const many = of({ status: "restricted", missing_since: ago(1), human_agent_blocked_at: ago(2) });
    expect(troublesOf(many, now).map(({ kind, endsByLogin }) => [kind, endsByLogin])).toEqual([
      ["restricted", false],
      ["missing", true],
      ["human_agent", false],
    ]);
  });

  it("a time that is none is not said", () => {
    expect(troublesOf(of({ subscribed_at: "soon", missing_since: "" }), now)).toEqual([]);
  });
});

it("the accounts that are broken stand first, the worst at the top, and the others by name", () => {
  const named = (display_name: string, more: Partial<Account> = {}) =>
    of({ display_name, account_key: `instagram#${display_name}`, ...more });
  const accounts = [
    named("Zoe"),
    named("Anna"),
    named("Refresh", { status: "refresh_failing" }),
    named("Missing", { missing_since: ago(1) }),
    named("Ended", { status: "needs_reauth" }),
    named("Restricted", { status: "restricted" }),
  ];
  expect(arrangeAccounts(accounts, now).map(({ display_name }) => display_name)).toEqual([
    "Ended",
    "Restricted",
    "Missing",
    "Refresh",
    "Anna",
    "Zoe",
  ]);
});

it("the line of an account names the platform, the handle, the connection and how long the access is good", () => {
  const page = of({ account_key: "messenger#9", platform: "messenger", display_name: "Mill", connection: "messenger" });
  const linked = of({ connection: "instagram_page", page_id: "9", last_refreshed_at: null, token_expires_at: null });
  expect(accountLine(plain, [plain], now)).toBe(
    `Instagram · \u2068@harbor.tailors\u2069 · by Instagram login · access renewed yesterday, good until ${futureDay(now + 58 * 24 * HOUR, now)}`,
  );
  expect(futureDay(now + 58 * 24 * HOUR, now)).toContain("2027");
  expect(accountLine(linked, [linked, page], now)).toMatch(/ · through the page Mill$/);
  expect(accountLine(linked, [linked], now)).toMatch(/ · through a Facebook page$/);
});

it("the words of the platform are quoted once, without characters that are not shown", () => {
  expect(quotesOf(of({ status_detail: "Ended\u202e", refresh_error: "Ended" }))).toEqual([
    { source: "Instagram says:", words: "Ended" },
  ]);
  expect(quotesOf(of({ refresh_error: "No answer" }))).toEqual([
    { source: "The last renewal failed with:", words: "No answer" },
  ]);
});

it.each([
  ["error=oauth_denied&connected=x", { kind: "error", code: "oauth_denied" }],
  ["connected=instagram%231", { kind: "connected", keys: ["instagram#1"] }],
  ["choose=messenger", null],
])("the end of a login is read from the address: %s", (query, end) => {
  expect(parseLoginEnd(new URLSearchParams(query))).toEqual(end);
});

it("a way of connecting that the address names is one of three", () => {
  expect(["instagram_login", "instagram_page", "messenger", "constructor", "", null].map(parseWay)).toEqual([
    "instagram_login",
    "instagram_page",
    "messenger",
    null,
    null,
    null,
  ]);
});

it.each([
  ["oauth_denied", "grant every permission"],
  ["oauth_state_invalid", "longer than 10 minutes"],
  ["oauth_failed", "Start the login again and grant every permission that it asks for. If it fails again"],
  ["account_in_use", "Disconnect it there, wait two minutes"],
  ["account_limit", "Disconnect one that you no longer need"],
  ["forbidden", "Ask an admin or an owner."],
  ["unauthorized", "You were signed out during the login."],
  ["__proto__", "The login failed."],
])("the error %s of a login has a text that says what to do", (code, words) => {
  expect(loginErrorText(code)).toContain(words);
});
