import { forEachConcurrent } from "#base/kernel/parallel.ts";
import { DAY, MINUTE, type Millis } from "#base/kernel/time.ts";
import { accountKey } from "#features/accounts/rules/accounts.ts";
import { type JournalAct, journalSubject, type RecordedAct } from "../rules.ts";
import type { RestoredRow } from "../store/restored-rows.ts";
import { lowerMember, removeMember } from "./member-acts.ts";
import type { ActResult, ApplyJournalPorts, RestoreTime } from "./ports.ts";
import { readJournal } from "./read-journal.ts";

/** The clocks of the functions and of the table may differ by this much. An act that the table knows is not made again. */
export const JOURNAL_MARGIN: Millis = 5 * MINUTE;
/** The longest acts have their entry when they begin. One that the copy interrupted is completed. Each is safe to repeat. */
const LONG_ACT_MARGIN: Millis = DAY;
const longActs: ReadonlySet<Kind> = new Set(["tenant.delete", "conversation.erase"]);
/** Acts made at once. */
const CONCURRENCY = 4;

type Kind = JournalAct["kind"];

/** Acts that end access. They need no worker, so they can be made before the functions use the table. */
const ofAccess: readonly Kind[] = ["key.revoke", "member.remove", "member.lower", "tenant.suspend", "tenant.resume"];
/** The others, in their order. A deletion of a tenant takes the longest. */
const ofContent: readonly Kind[] = [
  "conversation.erase",
  "data.delete",
  "account.disconnect",
  "webhook_secret.rotate",
  "tenant.delete",
];

export interface AppliedJournal {
  /** How many acts of each kind were made. Those that the table knew are not counted. */
  readonly made: ReadonlyMap<Kind, number>;
  /** What the operator has to do, a sentence each. */
  readonly problems: readonly string[];
}

/** The last act of the journal about a row. */
interface MatchedAct {
  readonly act: RecordedAct;
  readonly row: RestoredRow;
}

/**
 * Makes each act of the journal that the table does not know. An entry names what it is about by a hash, so the rows of the
 * table are hashed and compared. Of several acts of a kind about one thing the last counts, and the latest limit of an
 * erasure. Of the suspensions and resumptions of a tenant the last one decides. What was made after the act stays. Safe to repeat.
 * @param options `since`: when the table stopped to know the acts; `only`: `access` for what needs no worker
 */
export async function applyJournal(
  ports: ApplyJournalPorts,
  { since, only, time }: { readonly since: Millis; readonly only: "access" | "all"; readonly time: RestoreTime },
): Promise<AppliedJournal> {
  const { acts: recorded, unreadable } = await readJournal(ports, since - LONG_ACT_MARGIN);
  const acts = recorded.filter(({ kind, at }) => longActs.has(kind) || at >= since - JOURNAL_MARGIN);
  const problems = unreadable.map((key) => `The entry ${key} of the journal has a form that this release cannot read.`);
  const last = lastActs(acts);
  for (const [subject, { kind, upTo }] of last) {
    if (kind === "conversation.erase") await ports.restoredErasures.note(subject, upTo, time.now());
  }
  const matches = await matchRows(ports, last);
  const made = new Map<Kind, number>();
  for (const kind of only === "access" ? ofAccess : [...ofAccess, ...ofContent]) {
    const group = matches.filter(({ act }) => act.kind === kind);
    // A tenant that is to be deleted has no access from now on: its deletion needs the workers, and takes minutes.
    if (kind === "tenant.suspend") await suspendDeleted(ports, matches, time);
    await forEachConcurrent(group, CONCURRENCY, async (match) => {
      const result = await makeAct(ports, match, time.now());
      if (result === "made") made.set(kind, (made.get(kind) ?? 0) + 1);
      if (typeof result === "object") problems.push(result.problem);
    });
  }
  if (only === "all") problems.push(...secretProblems(acts));
  return { made, problems };
}

/** By subject. */
function lastActs(acts: readonly RecordedAct[]): ReadonlyMap<string, RecordedAct> {
  const last = new Map<string, RecordedAct>();
  for (const act of acts) {
    const earlier = last.get(act.subject);
    const upTo = Math.max(act.upTo, earlier?.upTo ?? act.upTo);
    const issuedAt = Math.max(act.issuedAt, earlier?.issuedAt ?? act.issuedAt);
    last.set(act.subject, { ...act, upTo, issuedAt });
  }
  return last;
}

async function matchRows(
  { restoredRows }: Pick<ApplyJournalPorts, "restoredRows">,
  last: ReadonlyMap<string, RecordedAct>,
): Promise<MatchedAct[]> {
  const matches = new Map<string, MatchedAct>();
  for await (const page of restoredRows.scan()) {
    for (const row of page) {
      const acts = actsAbout(row).flatMap((act) => last.get(journalSubject(act)) ?? []);
      const status = acts.filter(({ kind }) => kind === "tenant.suspend" || kind === "tenant.resume");
      const isDeleted = acts.some(({ kind }) => kind === "tenant.delete");
      const newest = isDeleted ? null : status.toSorted((a, b) => a.at - b.at).at(-1);
      for (const act of acts) {
        if (!status.includes(act) || act === newest) matches.set(act.subject, { act, row });
      }
    }
  }
  return [...matches.values()];
}

async function suspendDeleted(
  { acts }: Pick<ApplyJournalPorts, "acts">,
  matches: readonly MatchedAct[],
  time: RestoreTime,
): Promise<void> {
  for (const { act, row } of matches) {
    if (act.kind !== "tenant.delete" || row.kind !== "tenant") continue;
    await acts.setTenantStatus(row.tenant, "suspended", { at: act.at, now: time.now() });
  }
}

/** The acts that a row may be about. The limits are no part of what is hashed. */
function actsAbout(row: RestoredRow): readonly JournalAct[] {
  switch (row.kind) {
    case "conversation":
      return [{ kind: "conversation.erase", conversationId: row.conversationId, upTo: 0 }];
    case "tenant": {
      const { tenant } = row;
      return (["tenant.suspend", "tenant.resume", "tenant.delete"] as const).map((kind) => ({ kind, tenant }));
    }
    case "key":
      return [{ kind: "key.revoke", keyId: row.keyId }];
    case "member": {
      const { tenant, userId } = row;
      return [
        { kind: "member.remove", tenant, userId },
        { kind: "member.lower", tenant, userId, role: "agent" },
      ];
    }
    case "account": {
      const { tenant, connectionId } = row;
      return [{ kind: "account.disconnect", tenant, account: accountKey(row.account), connectionId }];
    }
    case "endpoint":
      return [{ kind: "webhook_secret.rotate", tenant: row.tenant, endpointId: row.endpointId }];
    case "login":
      return [{ kind: "data.delete", platformUserId: row.platformUserId, issuedAt: 0 }];
    case "user":
    case "link":
    case "invite":
      return [];
  }
}

async function makeAct(ports: ApplyJournalPorts, { act, row }: MatchedAct, now: Millis): Promise<ActResult> {
  const { acts } = ports;
  const time = { at: act.at, now };
  switch (row.kind) {
    case "conversation":
      return acts.eraseConversation(row.conversationId, act.upTo, time);
    case "tenant":
      if (act.kind === "tenant.delete") return acts.deleteTenant(row.tenant, time);
      return acts.setTenantStatus(row.tenant, act.kind === "tenant.suspend" ? "suspended" : "active", time);
    case "key":
      return acts.revokeKey(row.tenant, row.keyId, time);
    case "member":
      return act.kind === "member.remove"
        ? removeMember(ports, row, time)
        : lowerMember(ports, { ...row, role: act.role }, time);
    case "account":
      return acts.disconnectAccount(row.tenant, row.account, time);
    case "endpoint":
      return acts.rotateWebhookSecret(row.tenant, row.endpointId, time);
    case "login":
      return acts.deleteData(row.platformUserId, act.issuedAt, time);
    case "user":
    case "link":
    case "invite":
      return "unchanged";
  }
}

/** The secrets are not in the table, so they are the new ones. Rows that only an older version finds are lost. */
function secretProblems(acts: readonly RecordedAct[]): string[] {
  const rotations = acts.filter(({ kind }) => kind === "root_secret.rotate").length;
  if (rotations < 2) return [];
  return [
    `The root secret was replaced ${rotations} times since. A key that gets 401 and is listed as active needs a new one.`,
  ];
}
