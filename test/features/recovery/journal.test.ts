import { describe, expect, it } from "vitest";
import { openFiles } from "#base/aws/files.ts";
import { ulidTime } from "#base/kernel/ids.ts";
import { isRefusal } from "#base/kernel/refusals.ts";
import { DAY, SECOND } from "#base/kernel/time.ts";
import { changeMemberRole, removeMember } from "#features/access/flows/team/members.ts";
import type { Journal } from "#features/recovery/journal.ts";
import {
  decodeJournalEntry,
  encodeJournalEntry,
  JOURNAL_PREFIX,
  type JournalAct,
  type JournalEntry,
  journalSubject,
  openJournal,
  webhookUrlHash,
} from "#features/recovery/journal.ts";
import { allRows } from "../../support/flows/data-subject.ts";
import { openTestEnv } from "../../support/flows/test-env.ts";
import { JOURNAL_BUCKET } from "../../support/host/emulated-services.ts";
import { openedOnce } from "../../support/opened.ts";
import { rowText } from "../../support/stores/row-text.ts";
import { openTeamEnv } from "../access/flows/team/support/team.ts";
import { openActs, type PreparedAct } from "./support/journaled-acts.ts";

// Restoring the table undoes what was done since. The journal outlives it: what it has can be done again.

const testEnv = openedOnce(openTestEnv);
const files = () => openFiles(JOURNAL_BUCKET, testEnv.s3);
const acts = openedOnce(() => openActs(testEnv));
const kinds = [
  "conversation.erase",
  "data.delete",
  "key.revoke",
  "sessions.end",
  "member.remove",
  "member.lower",
  "tenant.suspend",
  "tenant.resume",
  "tenant.delete",
  "account.disconnect",
  "webhook_secret.rotate",
  "webhook_url.change",
  "webhook.pause",
  "webhook.resume",
  "webhook.delete",
  "root_secret.rotate",
  "verify_token.rotate",
] as const satisfies readonly JournalAct["kind"][];

/** The objects of the journal, the oldest first. */
async function objects(): Promise<{ key: string; text: string }[]> {
  const { keys } = await files().list(JOURNAL_PREFIX, null);
  return Promise.all(keys.map(async (key) => ({ key, text: Buffer.from((await files().get(key)) ?? []).toString() })));
}
/** The objects that some work adds. */
async function written(work: () => Promise<unknown>) {
  const before = new Set((await objects()).map(({ key }) => key));
  await work();
  return (await objects()).filter(({ key }) => !before.has(key));
}
const failing: Journal = {
  record: () => Promise.reject(new Error("no journal")),
  withdraw: () => Promise.reject(new Error("no journal")),
};
const rows = async () => new Set((await allRows(testEnv)).map(rowText));

describe.each(kinds)("%s", (kind) => {
  it("an act is not made when its entry cannot be written, and is made by its repetition", async () => {
    const act: PreparedAct = await acts[kind]();
    testEnv.advance(SECOND);
    const before = [await rows(), act.secret?.()];
    await expect(act.make(failing)).rejects.toThrow("no journal");
    expect([await rows(), act.secret?.()]).toEqual(before);
    const entries = await written(() => act.make(openJournal(files())));
    expect(entries).toHaveLength(1);
    expect([await rows(), act.secret?.()]).not.toEqual(before);
  });

  it("the entry of an act has its kind and time, is in the order of time, and contains no id", async () => {
    const act: PreparedAct = await acts[kind]();
    testEnv.advance(DAY);
    const startedAt = testEnv.now();
    const [entry, ...others] = await written(() => act.make(openJournal(files())));
    expect(others).toEqual([]);
    const { key, text } = entry ?? { key: "", text: "{}" };
    const object = JSON.parse(text);
    expect(object).toMatchObject({ version: 1, act: kind, status: "recorded", at: new Date(startedAt).toISOString() });
    expect(object.subject).toMatch(/^[0-9a-f]{64}$/);
    expect([key, ulidTime(object.id)]).toEqual([`acts/${object.id}`, startedAt]);
    for (const id of act.ids) expect(key + text).not.toContain(id);
  });

  it("an act whose process dies after its entry is repeated, and has two entries of the same subject", async () => {
    const act: PreparedAct = await acts[kind]();
    testEnv.advance(SECOND);
    const journal = openJournal(files());
    const dying: Journal = {
      ...journal,
      async record(entry) {
        await journal.record(entry);
        throw new Error("died");
      },
    };
    const before = [await rows(), act.secret?.()];
    const first = await written(() => expect(act.make(dying)).rejects.toThrow("died"));
    expect([await rows(), act.secret?.()]).toEqual(before);
    const second = await written(() => act.make(journal));
    const subjects = [...first, ...second].map(({ text }) => JSON.parse(text).subject);
    expect(subjects).toHaveLength(2);
    expect(subjects[0]).toBe(subjects[1]);
  });
});

describe("an act that is refused", () => {
  it("an entry whose act the table refuses is withdrawn", async () => {
    const team = openTeamEnv(testEnv);
    const tenant = await team.newTenant();
    const [owner, second] = [await team.newMember(tenant, "owner"), await team.newMember(tenant, "owner")];
    const underWay = await team.author(second);
    const journal = openJournal(files());
    const ports = { ...team.ports, journal };
    const change = { tenant, userId: second, role: "agent", now: testEnv.now() } as const;
    await changeMemberRole(ports, { ...change, author: await team.author(owner) });
    const entries = await written(async () => {
      const request = { tenant, userId: owner, author: underWay, now: testEnv.now() };
      expect(await removeMember(ports, request)).toEqual({ refused: "role_forbidden" });
    });
    expect(entries.map(({ text }) => JSON.parse(text))).toMatchObject([{ act: "member.remove", status: "withdrawn" }]);
    expect(await team.roles(tenant)).toEqual({ [owner]: "owner", [second]: "agent" });
  });

  it("a request that is refused by what it reads, and a higher role, write no entry", async () => {
    const team = openTeamEnv(testEnv);
    const tenant = await team.newTenant();
    const [owner, agent] = [await team.newMember(tenant, "owner"), await team.newMember(tenant, "agent")];
    const ports = { ...team.ports, journal: openJournal(files()) };
    const entries = await written(async () => {
      const byAgent = { tenant, userId: owner, author: await team.author(agent), now: testEnv.now() };
      expect(isRefusal(await removeMember(ports, byAgent))).toBe(true);
      const byOwner = { tenant, userId: agent, author: await team.author(owner), now: testEnv.now() };
      expect(await changeMemberRole(ports, { ...byOwner, role: "admin" })).toMatchObject({ role: "admin" });
    });
    expect(entries).toEqual([]);
  });
});

it("an entry of a changed URL has the hash of the URL, which differs for each endpoint", async () => {
  const url = "https://example.com/hook";
  const entry = (endpointId: string) => {
    const act = { kind: "webhook_url.change", tenant: "shop" as never, endpointId, url } as const;
    return decodeJournalEntry(encodeJournalEntry({ id: "1", at: testEnv.now(), act }, "recorded"));
  };
  expect(entry("a")).toMatchObject({ kind: "webhook_url.change", urlHash: webhookUrlHash("a", url) });
  expect(entry("b")).not.toMatchObject({ urlHash: webhookUrlHash("a", url) });
  const text =
    '{"version":1,"at":"2026-11-29T08:00:00.000Z","act":"webhook_url.change","subject":"a","status":"recorded"}';
  expect(decodeJournalEntry(Buffer.from(text))).toBe(null);
});

it("two acts have the same subject only if they are of the same kind and about the same", () => {
  const acts = [
    { kind: "member.remove", tenant: "a" as never, userId: "b" },
    { kind: "member.lower", tenant: "a" as never, userId: "b", role: "agent" },
    { kind: "member.remove", tenant: "ab" as never, userId: "" },
    { kind: "sessions.end", userId: "b" },
    { kind: "key.revoke", keyId: "b" },
  ] as const satisfies readonly JournalEntry["act"][];
  expect(new Set(acts.map(journalSubject)).size).toBe(acts.length);
  expect(journalSubject({ ...acts[1], role: "admin" })).toBe(journalSubject(acts[1]));
});
