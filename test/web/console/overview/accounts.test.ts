import { expect, it } from "vitest";
import type { Account } from "#client";
import { accountName, blockedAccounts } from "../../../../web/console/data/accounts.ts";
import { accountHealth, byUrgency, lastMessageAt } from "../../../../web/console/overview/account-health.ts";
import { conversation } from "../data/conversations.ts";

const NOW = new Date(2026, 10, 29, 12, 0).getTime();
const iso = (at: number) => new Date(at).toISOString();
const account = (more: Partial<Account> = {}): Account => ({
  account_key: "instagram#178414",
  platform: "instagram",
  external_id: "178414",
  handle: "acme",
  display_name: "Acme",
  picture: null,
  page_id: null,
  connection: "instagram_login",
  status: "active",
  status_detail: null,
  refresh_error: null,
  last_refreshed_at: null,
  token_expires_at: null,
  human_agent_blocked_at: null,
  subscribed_at: null,
  subscription: { state: "unchecked", checked_at: null },
  missing_since: null,
  ...more,
});

it.each([
  [{ status: "needs_reauth" }, "bad", "Connect again", "incoming messages are stored, nothing can be sent"],
  [{ status: "restricted" }, "bad", "Restricted", "incoming messages are stored, nothing can be sent"],
  [{ status: "refresh_failing" }, "warn", "Not renewed", "still works; connect it again"],
  [
    { status: "refresh_failing", token_expires_at: iso(NOW + 20 * 86_400_000) },
    "warn",
    "Not renewed",
    "works until December 19; connect it again before",
  ],
  [
    { missing_since: iso(NOW - 3_600_000) },
    "warn",
    "Messages may be missing",
    /^since today, 11:00.AM; the next check/,
  ],
  [{ status: "needs_reauth", missing_since: iso(NOW) }, "bad", "Connect again", /^incoming/],
  [{}, "ok", "Active", "no recent message"],
] as const)("an account with %o is shown as %s: %s", (more, tone, words, line) => {
  expect(accountHealth(account(more), null, NOW)).toEqual({
    tone,
    words,
    line: typeof line === "string" ? line : expect.stringMatching(line),
  });
});

it("an account that works shows when its newest message was sent", () => {
  const sent = (id: string, account_key: string, at: number) => conversation(id, { inbound: at }, { account_key });
  const newest = [
    sent("a", "instagram#178414", NOW - 7_200_000),
    sent("b", "instagram#178414", NOW - 3_600_000),
    sent("c", "messenger#1", NOW),
  ];
  const at = lastMessageAt(newest, "instagram#178414");
  expect(at).toBe(NOW - 3_600_000);
  expect(accountHealth(account(), at, NOW).line).toMatch(/^last message today, 11:00/);
  expect(lastMessageAt(newest, "messenger#2")).toBeNull();
  expect(lastMessageAt(null, "messenger#1")).toBeNull();
});

it("an account whose access ended or that is restricted cannot send; others can", () => {
  const accounts = (["active", "needs_reauth", "refresh_failing", "restricted"] as const).map((status) =>
    account({ status }),
  );
  expect(blockedAccounts(accounts).map(({ status }) => status)).toEqual(["needs_reauth", "restricted"]);
});

it("an account without a name has its handle, or else its id, without marks that turn the text", () => {
  expect(accountName(account({ display_name: "\u202eemcA" }))).toBe("emcA");
  expect(accountName(account({ display_name: "" }))).toBe("acme");
  expect(accountName(account({ display_name: "", handle: "" }))).toBe("178414");
});

it("what needs attention comes first, and the rest stays in its order", () => {
  const rows = (["ok", "warn", "off", "bad", "ok"] as const).map((tone, index) => ({ tone, index }));
  expect(byUrgency(rows).map(({ index }) => index)).toEqual([3, 1, 0, 4, 2]);
});
