import { expect, it } from "vitest";
import type { Account } from "#client";
import { type WaitingFacts, waitingEntries } from "../../../../web/console/waiting/entries.ts";

const NOW = Date.parse("2026-11-29T10:00:00Z");
const DAY = 86_400_000;
const ago = (days: number) => new Date(NOW - days * DAY).toISOString();

const nothing: WaitingFacts = { accounts: [], endpoints: [], keys: [], invites: [], held: [] };
const account = (status: Account["status"], more: Partial<Account> = {}) =>
  ({
    account_key: `instagram#${status}`,
    platform: "instagram",
    handle: "acme",
    display_name: `Shop ${status}`,
    picture: null,
    status,
    token_expires_at: null,
    missing_since: null,
    ...more,
  }) as Account;
const endpoint = (id: string, more: object = {}) =>
  ({
    id,
    url: `https://${id}.example/hook`,
    status: "active",
    paused_by: null,
    health: { state: "ok", since: null },
    ...more,
  }) as never;
const key = (id: string, more: object = {}) =>
  ({
    id,
    label: id,
    prefix: "svc_live_x",
    status: "active",
    created_at: ago(200),
    last_used_at: null,
    ...more,
  }) as never;
const invite = {
  id: "inv_1",
  tenant: "north",
  name: "North",
  role: "agent",
  invited_by: null,
  invited_by_email: "ben@example.com",
  expires_at: ago(-3),
} as never;
const health = (state: string) => ({ health: { state, since: ago(0.1) } });

const everything: WaitingFacts = {
  accounts: [
    account("active"),
    account("needs_reauth"),
    account("restricted", { missing_since: ago(1) }),
    account("refresh_failing", { token_expires_at: ago(-2) }),
  ],
  endpoints: [
    endpoint("well"),
    endpoint("failing", health("failing")),
    endpoint("open", health("circuit_open")),
    endpoint("system", { status: "paused", paused_by: "system", ...health("paused") }),
    endpoint("person", { status: "paused", paused_by: "console:usr_1", ...health("paused") }),
    endpoint("old", { status: "deleted", ...health("paused") }),
  ],
  keys: [
    key("never"),
    key("used", { last_used_at: ago(1) }),
    key("new", { created_at: ago(89) }),
    key("revoked", { status: "revoked" }),
  ],
  invites: [invite],
  held: [
    { conversation: "CONV#acme#instagram#1#2", endsAt: NOW + 120_000, isOwn: true },
    { conversation: "CONV#acme#instagram#1#3", endsAt: NOW + 180_000, isOwn: false },
  ],
};

const entriesFor = (role: "agent" | "admin" | "owner", facts = everything) =>
  waitingEntries(facts, { tenant: "acme", role, now: NOW, nameOf: (id) => (id.endsWith("#2") ? "Anna" : null) });
const keysFor = (role: "agent" | "admin" | "owner") => entriesFor(role).map((entry) => entry.key);

it("an admin sees what ends soon, what does not work, and what may be forgotten, in this order", () => {
  expect(keysFor("admin")).toEqual([
    expect.stringContaining("held CONV#acme#instagram#1#2"),
    expect.stringContaining("held CONV#acme#instagram#1#3"),
    "dead instagram#needs_reauth",
    "restricted instagram#restricted",
    "endpoint system",
    "missing instagram#restricted",
    "failing instagram#refresh_failing",
    "endpoint open",
    "invite inv_1",
    "key never",
  ]);
  expect(keysFor("owner")).toEqual(keysFor("admin"));
});

it("an agent sees no endpoint and no key, and is sent to an admin for an account", () => {
  const entries = entriesFor("agent");
  expect(entries.map((entry) => entry.key.split(" ")[0])).toEqual([
    ...["held", "held", "dead", "restricted", "missing", "failing", "invite"],
  ]);
  const dead = entries.find((entry) => entry.key.startsWith("dead"));
  expect(dead?.text).toContain("An admin or an owner connects it again.");
  expect(dead?.action?.label).toBe("See the account");
  expect(entriesFor("admin").find((entry) => entry.key.startsWith("dead"))?.text).not.toContain("An admin");
});

it("each entry has one action, which opens the place where it is done", () => {
  const actions = new Map(entriesFor("owner").map(({ key: name, action }) => [name, action?.href]));
  expect(actions.get("dead instagram#needs_reauth")).toBe("/app/acme/accounts");
  expect(actions.get("endpoint system")).toBe("/app/acme/webhooks/system");
  expect(actions.get("key never")).toBe("/app/acme/keys");
  expect([...actions].filter(([name]) => name.startsWith("held")).map(([, href]) => href)).toEqual([
    "/app/acme/inbox/instagram/1/2",
    "/app/acme/inbox/instagram/1/3",
  ]);
  expect(entriesFor("owner").filter(({ action }) => action === null)).toMatchObject([{ invite }]);
});

it("the words say who, why, since when and until when", () => {
  const texts = new Map(entriesFor("owner").map((entry) => [entry.key, `${entry.title}: ${entry.text}`]));
  const held = [...texts].filter(([name]) => name.startsWith("held")).map(([, text]) => text);
  expect(held[0]).toMatch(/^Held message to Anna: You typed it, .* It ends at .+\.$/);
  expect(held[1]).toMatch(/^Held message to a person: .* the person who typed it/);
  expect(texts.get("failing instagram#refresh_failing")).toMatch(/could not be renewed, and ends at \w+/);
  expect(texts.get("missing instagram#restricted")).toMatch(/Messages since yesterday, .+ may be missing/);
  expect(texts.get("endpoint open")).toMatch(/^open\.example: It fails since /);
  expect(texts.get("key never")).toMatch(/^never: API key, never used/);
  expect(texts.get("invite inv_1")).toMatch(/^North \(north\): ben@example\.com invites you as agent\. Open until /);
});

it("nothing waits where all is well", () => {
  const well = {
    ...nothing,
    accounts: [account("active")],
    endpoints: [endpoint("well")],
    keys: [key("used", { last_used_at: ago(89) })],
  };
  expect(entriesFor("owner", well)).toEqual([]);
});
