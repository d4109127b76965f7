import { PART_UPDATES_MAX } from "#base/kernel/limits.ts";
import { accountKey } from "#features/accounts/rules/accounts.ts";
import type { Update } from "./updates.ts";

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
