import { expect, it } from "vitest";
import type { AuditEntry } from "#client";
import { auditActions } from "#features/access/rules/audit.ts";
import { anyTime } from "../../../../web/console/admin/time-range.ts";
import { actorWords, resourceWords } from "../../../../web/console/audit/actors.ts";
import { auditQuery, everything, isMatch } from "../../../../web/console/audit/audit-filter.ts";
import { toCsv } from "../../../../web/console/audit/csv.ts";
import { actionName, actions, sentenceOf } from "../../../../web/console/audit/sentences.ts";

const entry = (more: Partial<AuditEntry>): AuditEntry => ({
  id: "aud_1",
  action: "session.sign_in",
  resource: "user:usr_1",
  actor: "console:usr_1",
  ip: "203.0.113.7",
  at: "2026-11-29T12:00:00.000Z",
  detail: {},
  ...more,
});

it("every action of the API has a sentence and a name, and an unknown one is named as it is", () => {
  expect([...actions].sort()).toEqual([...auditActions].sort());
  for (const action of auditActions) {
    expect(sentenceOf({ action, detail: {} }), action).toMatch(/^[a-z][\w ,-]+$/);
    expect(actionName(action)).toMatch(/^[a-z ]+: [a-z ]+$/);
  }
  expect(sentenceOf({ action: "constructor" as never, detail: {} })).toBe("constructor");
});

it.each([
  ["conversation.erase", { messages: 41 }, "erased a conversation, 41 messages"],
  ["webhook.bulk_replay", { enqueued: 1 }, "sent 1 delivery again"],
  ["webhook.update", { fields: "events,url" }, "changed the events and address of an endpoint"],
  ["webhook.update", { fields: "status", status: "paused" }, "paused an endpoint"],
  ["webhook.auto_pause", { reason: "failing" }, "paused an endpoint that failed for five days"],
  ["key.create", { scope: "test" }, "created a test key"],
  ["invite.create", { role: "admin", resent: true }, "sent the invite again of an admin"],
  ["member.role_change", { role: "owner", previous_role: "agent" }, "made a member owner, who was agent"],
  ["tenant.update", { status: "suspended" }, "made the workspace suspended"],
  ["tenant.update", { changed: "na\u202eme" }, "changed the name of the workspace"],
] as const)("%s with %o reads: %s", (action, detail, sentence) => {
  expect(sentenceOf({ action, detail })).toBe(sentence);
});

it("an actor is a person, a key by its name, the operator or Parley", () => {
  const names = (actor: string) =>
    actorWords(
      actor,
      (id) => (id === "console:usr_1" ? "Ana" : null),
      new Map([
        ["k1", "Order desk"],
        ["k2", ""],
      ]),
    );
  expect(
    ["console:usr_1", "key:k1", "key:k2", "key:gone", "cli", "operator:k9", "restore", "system"].map(names),
  ).toEqual([
    "Ana",
    "key Order desk",
    "key k2",
    "key gone",
    "the operator",
    "the operator",
    "the operator, after a restore",
    "Parley",
  ]);
  expect(resourceWords("conversation:sha256:9c1f")).toBe("sha256:9c1f");
});

it("a filter is asked of the API, and holds where the API does not filter", () => {
  expect(auditQuery(everything)).toEqual({});
  const filter = { action: "key.create", actor: "cli", range: { ...anyTime, from: "2026-11-29T00:00:00Z" } } as const;
  expect(auditQuery(filter)).toEqual({ action: "key.create", actor: "cli", from: "2026-11-29T00:00:00Z" });
  expect(isMatch(filter, entry({ action: "key.create", actor: "cli" }))).toBe(true);
  expect(isMatch(filter, entry({ action: "key.create", actor: "cli", at: "2026-11-28T00:00:00Z" }))).toBe(false);
  expect(isMatch(filter, entry({ action: "key.revoke", actor: "cli" }))).toBe(false);
  expect(isMatch(filter, entry({ action: "key.create" }))).toBe(false);
});

it("a CSV has a head, quotes what needs it, and has no cell that a spreadsheet runs", () => {
  const csv = toCsv([entry({ detail: { a: 'x,"y"' }, ip: null })], () => '=HYPERLINK("https://x")');
  expect(csv).toBe(
    [
      "at,actor,name,action,resource,ip,detail,id",
      `2026-11-29T12:00:00.000Z,console:usr_1,"'=HYPERLINK(""https://x"")",session.sign_in,user:usr_1,,"{""a"":""x,\\""y\\""""}",aud_1`,
      "",
    ].join("\r\n"),
  );
  for (const sign of ["=", "+", "-", "@", "\t"]) expect(toCsv([entry({})], () => `${sign}1`)).toContain(`'${sign}1`);
});
