import { forEachConcurrent } from "#base/kernel/parallel.ts";
import type { Millis } from "#base/kernel/time.ts";
import type { RecordedAct } from "../journal.ts";
import type { RestoredRow } from "../store/restored-rows.ts";
import type { LostActs } from "./lost-acts.ts";
import { lowerMember, removeMember } from "./member-acts.ts";
import type { ActResult, ActTime, ApplyJournalPorts, RestoredActs, RestoreTime } from "./ports.ts";
import type { MatchedAct } from "./read-table.ts";

/** Acts made at once. */
const CONCURRENCY = 4;

type Kind = RecordedAct["kind"];
type EndpointRow = Extract<RestoredRow, { kind: "endpoint" }>;

/** Acts that need no worker, so they are made before the functions use the table, in their order. */
const beforeUse: readonly Kind[] = [
  "key.revoke",
  "member.remove",
  "member.lower",
  "tenant.suspend",
  "tenant.resume",
  // Before the others of endpoints: the time of an endpoint's last change says whether it was rotated.
  "webhook_secret.rotate",
  "webhook_url.change",
  "webhook.pause",
  "webhook.resume",
  "webhook.delete",
  "conversation.erase",
];
/** The others, in their order. A deletion of a tenant takes the longest. */
const withWorkers: readonly Kind[] = ["data.delete", "account.disconnect", "tenant.delete"];

export interface AppliedJournal {
  /** How many acts of each kind were made. Those that the table knew are not counted. */
  readonly made: ReadonlyMap<Kind, number>;
  /** What the operator has to do, a sentence each. */
  readonly problems: readonly string[];
}

/**
 * Makes each act of the journal that the table does not know. What was made after the act stays. Safe to repeat.
 * @param request `matches`: the acts with the rows that they are about; `isPreparation`: makes only what needs no worker
 */
export async function applyJournal(
  ports: ApplyJournalPorts,
  {
    lost,
    matches,
    isPreparation,
    time,
  }: {
    readonly lost: LostActs;
    readonly matches: readonly MatchedAct[];
    readonly isPreparation: boolean;
    readonly time: RestoreTime;
  },
): Promise<AppliedJournal> {
  const problems = lost.unreadable.map(
    (key) => `The entry ${key} of the journal has a form that this release cannot read.`,
  );
  for (const [subject, { kind, upTo }] of lost.last) {
    if (kind === "conversation.erase") await ports.restoredErasures.note(subject, upTo, time.now());
  }
  const made = new Map<Kind, number>();
  for (const kind of isPreparation ? beforeUse : [...beforeUse, ...withWorkers]) {
    const group = matches.filter(({ act }) => act.kind === kind);
    // A tenant that is to be deleted has no access from now on: its deletion needs the workers, and takes minutes.
    if (kind === "tenant.suspend") await suspendDeleted(ports, matches, time);
    await forEachConcurrent(group, CONCURRENCY, async (match) => {
      const result = await makeAct(ports, match, time.now());
      if (result === "made") made.set(kind, (made.get(kind) ?? 0) + 1);
      if (typeof result === "object") problems.push(result.problem);
    });
  }
  if (!isPreparation) problems.push(...secretProblems(lost.acts));
  return { made, problems };
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
      return changeEndpoint(acts, { act, row }, time);
    case "login":
      return acts.deleteData(row.platformUserId, act.issuedAt, time);
    case "user":
    case "link":
    case "invite":
    case "partly_read":
      return "unchanged";
  }
}

async function changeEndpoint(
  acts: RestoredActs,
  { act, row: { tenant, endpointId } }: { readonly act: RecordedAct; readonly row: EndpointRow },
  time: ActTime,
): Promise<ActResult> {
  switch (act.kind) {
    case "webhook.delete":
      return acts.deleteWebhook(tenant, endpointId, time);
    case "webhook.pause":
      return acts.setWebhookStatus(tenant, endpointId, "paused", time);
    case "webhook.resume":
      return acts.setWebhookStatus(tenant, endpointId, "active", time);
    case "webhook_url.change":
      await acts.setWebhookStatus(tenant, endpointId, "paused", time);
      return {
        problem: `The endpoint ${endpointId} of ${tenant} is paused, because its last URL is lost. Ask an admin of ${tenant} to set the URL and to resume it.`,
      };
    default:
      return acts.rotateWebhookSecret(tenant, endpointId, time);
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
