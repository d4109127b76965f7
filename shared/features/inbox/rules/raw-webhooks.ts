import { sha256Hex } from "#base/kernel/bytes.ts";
import { PART_UPDATES_MAX, RETENTION } from "#base/kernel/limits.ts";
import { HOUR, iso, MINUTE, type Millis } from "#base/kernel/time.ts";
import { accountKey } from "#features/accounts/rules/accounts.ts";
import type { Update } from "./updates.ts";

// Raw webhooks end within 7 days of their arrival. The keys of their files sort by arrival, so that a purge reads first
// what ends first.

/** The time to the next purge, and what that may be late. */
const PURGE_INTERVAL: Millis = HOUR + 5 * MINUTE;

/** A purge removes what arrived before this instant: the next purge could be too late for it. */
export function purgedBefore(now: Millis): Millis {
  return now + PURGE_INTERVAL - RETENTION;
}

export const RAW_COPIES_PREFIX = "raw/";
export const LARGE_WEBHOOKS_PREFIX = "inbound/";

/** The folder of the copies that arrived in the same hour. */
export function rawCopiesFolder(arrivedAt: Millis): string {
  return `${RAW_COPIES_PREFIX}${iso(arrivedAt).slice(0, 13).replace("T", "/")}/`;
}

/**
 * The name of a file of copies. Only the same webhooks have the same name: a retry of some of a batch's records stores
 * another file.
 */
export function rawCopiesName(recordIds: readonly string[]): string {
  return `${recordIds[0] ?? ""}-${sha256Hex(recordIds.join()).slice(0, 16)}`;
}

/** The file of a webhook that is too large for a queue message. @param ulid of the time of its arrival */
export function largeWebhookKey(arrivedAt: Millis, ulid: string): string {
  return `${LARGE_WEBHOOKS_PREFIX}${iso(arrivedAt).slice(0, 10)}/${ulid}.json.gz`;
}

/** Positions of updates in a webhook, ascending. */
export type Positions = readonly number[];

/** How the updates of a webhook are ingested. */
export interface WebhookPlan {
  /** Each is of one conversation, and is ingested now. */
  readonly parts: readonly Positions[];
  /** Each is ingested as a webhook of its own. */
  readonly later: readonly Positions[];
}

/**
 * Splits a webhook into parts by conversation. Of one conversation the first updates are ingested now and the others after
 * them, so that they keep their order. A webhook of several conversations with too many updates is queued again: whole
 * conversations together, with at most `PART_UPDATES_MAX` updates if that is not one conversation.
 */
export function planWebhook(updates: readonly Update[]): WebhookPlan {
  const conversations = groupByConversation(updates, (update) => update.kind !== "ignored");
  const work = groupByConversation(updates, takesWork);
  if (countPositions(work) <= PART_UPDATES_MAX) return { parts: conversations, later: [] };
  const [first = [], ...others] = work;
  if (others.length > 0) return { parts: [], later: packTogether(work) };
  return { parts: [first.slice(0, PART_UPDATES_MAX)], later: [first.slice(PART_UPDATES_MAX)] };
}

/** Nothing of a read or delivered update is stored. */
function takesWork({ kind }: Update): boolean {
  return kind !== "ignored" && kind !== "read" && kind !== "delivered";
}

function groupByConversation(updates: readonly Update[], isIncluded: (update: Update) => boolean): Positions[] {
  const groups = new Map<string, number[]>();
  for (const [position, update] of updates.entries()) {
    if (update.kind === "ignored" || !isIncluded(update)) continue;
    const person = update.kind === "policy" ? "" : update.participantId;
    const name = `${accountKey(update.account)} ${person}`;
    const group = groups.get(name);
    if (group) group.push(position);
    else groups.set(name, [position]);
  }
  return [...groups.values()];
}

/** Conversations in their order, as many together as fit. One that does not fit stays alone. */
function packTogether(conversations: readonly Positions[]): Positions[] {
  const packs: Positions[][] = [];
  for (const conversation of conversations) {
    const pack = packs.at(-1);
    if (pack && countPositions(pack) + conversation.length <= PART_UPDATES_MAX) pack.push(conversation);
    else packs.push([conversation]);
  }
  return packs.map((pack) => pack.flat().sort((one, other) => one - other));
}

function countPositions(groups: readonly Positions[]): number {
  return groups.reduce((sum, { length }) => sum + length, 0);
}
