import { DAY, MINUTE, type Millis } from "#base/kernel/time.ts";
import { accountKey } from "#features/accounts/rules/accounts.ts";
import { type JournalAct, journalSubject, type RecordedAct, webhookUrlHash } from "../journal.ts";
import type { RestoredRow } from "../store/restored-rows.ts";
import type { ReadJournalPorts } from "./ports.ts";
import { readJournal } from "./read-journal.ts";

/** The clocks of the functions and of the table may differ by this much. An act that the table knows is not made again. */
export const JOURNAL_MARGIN: Millis = 5 * MINUTE;
/** The longest acts have their entry when they begin. One that the copy interrupted is completed. Each is safe to repeat. */
const LONG_ACT_MARGIN: Millis = DAY;
const longActs: ReadonlySet<RecordedAct["kind"]> = new Set(["tenant.delete", "conversation.erase"]);

/** The acts of the journal that a restored table may not know. */
export interface LostActs {
  /** In the order of their time. */
  readonly acts: readonly RecordedAct[];
  /** The last act of each subject. */
  readonly last: ReadonlyMap<string, RecordedAct>;
  /** The keys of entries that this release cannot read. */
  readonly unreadable: readonly string[];
}

/** Reads the journal. @param since when the table stopped to know the acts */
export async function readLostActs(ports: ReadJournalPorts, since: Millis): Promise<LostActs> {
  const { acts: recorded, unreadable } = await readJournal(ports, since - LONG_ACT_MARGIN);
  const acts = recorded.filter(({ kind, at }) => longActs.has(kind) || at >= since - JOURNAL_MARGIN);
  return { acts, last: lastActs(acts), unreadable };
}

/** By subject, with the latest limit of several erasures. */
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

/**
 * The acts to make about a row. An entry names what it is about by a hash, so the row is hashed and compared. Of several acts
 * of a kind the last counts. Of those that set a status the last one decides. After a deletion nothing else is made, and an
 * endpoint whose new URL is lost does not become active.
 */
export function findActsAbout(row: RestoredRow, { last }: Pick<LostActs, "last">): readonly RecordedAct[] {
  const acts = possibleActs(row).flatMap((act) => last.get(journalSubject(act)) ?? []);
  switch (row.kind) {
    case "tenant":
      return actsOf(acts, "tenant.delete") ?? lastOf(acts);
    case "endpoint": {
      // A URL that the row has is known, also when it was changed and changed back.
      const urlHash = webhookUrlHash(row.endpointId, row.url);
      const lostUrl = actsOf(acts, "webhook_url.change")?.filter((act) => act.urlHash !== urlHash) ?? [];
      const status = acts.filter(({ kind }) => kind === "webhook.pause" || kind === "webhook.resume");
      const rotation = actsOf(acts, "webhook_secret.rotate") ?? [];
      return actsOf(acts, "webhook.delete") ?? [...rotation, ...(lostUrl.length > 0 ? lostUrl : lastOf(status))];
    }
    default:
      return acts;
  }
}

/** Null for none. */
function actsOf(acts: readonly RecordedAct[], kind: RecordedAct["kind"]): readonly RecordedAct[] | null {
  const ofKind = acts.filter((act) => act.kind === kind);
  return ofKind.length === 0 ? null : ofKind;
}

function lastOf(acts: readonly RecordedAct[]): readonly RecordedAct[] {
  return acts.toSorted((a, b) => a.at - b.at).slice(-1);
}

/** The limits are no part of what is hashed. */
function possibleActs(row: RestoredRow): readonly JournalAct[] {
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
    case "endpoint": {
      const { tenant, endpointId, url } = row;
      const kinds = ["webhook_secret.rotate", "webhook.pause", "webhook.resume", "webhook.delete"] as const;
      const acts: JournalAct[] = kinds.map((kind) => ({ kind, tenant, endpointId }));
      return [...acts, { kind: "webhook_url.change", tenant, endpointId, url }];
    }
    case "login":
      return [{ kind: "data.delete", platformUserId: row.platformUserId, issuedAt: 0 }];
    case "user":
    case "link":
    case "invite":
    case "partly_read":
      return [];
  }
}
