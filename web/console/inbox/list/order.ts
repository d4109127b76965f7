import type { View } from "../../data/inbox-lists.ts";
import { type Conversation, millis } from "../../data/types.ts";
import { type MessagingWindow, windowOf } from "../../data/window.ts";

export interface Section {
  readonly name: "closing" | "open" | "person" | "closed" | "all";
  readonly ids: readonly string[];
}

/** The conversations of a view, in its order. @param now the server's time in epoch milliseconds */
export function sectionsOf(view: View, conversations: readonly Conversation[], now: number): Section[] {
  if (view === "all") {
    return [{ name: "all", ids: [...conversations].sort(newestFirst).map(({ id }) => id) }];
  }
  const bySection = new Map<Section["name"], Conversation[]>();
  for (const conversation of conversations) {
    if (!conversation.needs_reply) continue;
    const name = sectionName(windowOf(conversation, now));
    const members = bySection.get(name);
    if (members) members.push(conversation);
    else bySection.set(name, [conversation]);
  }
  return order.flatMap((name) => {
    const members = bySection.get(name);
    return members ? [{ name, ids: members.sort(closingFirst).map(({ id }) => id) }] : [];
  });
}

const order: readonly Section["name"][] = ["closing", "open", "person", "closed"];

/**
 * Whether all conversations of a section are loaded.
 * @param last the last conversation that is loaded of a list in this order; null when that is not known
 */
export function isSectionLoaded(name: Section["name"], last: Conversation | null, now: number): boolean {
  return last !== null && order.indexOf(name) < order.indexOf(sectionName(windowOf(last, now)));
}

function sectionName({ state }: MessagingWindow): Section["name"] {
  return state === "none" ? "closed" : state;
}

function newestFirst(a: Conversation, b: Conversation): number {
  return millis(b.last_message_at) - millis(a.last_message_at) || (a.id < b.id ? -1 : 1);
}

function closingFirst(a: Conversation, b: Conversation): number {
  return millis(a.last_inbound_at) - millis(b.last_inbound_at) || (a.id < b.id ? -1 : 1);
}

/**
 * The conversation to answer next: the first one after `from` that needs a reply, and after the last one the first of all.
 * @param ids as the list shows them
 * @returns null when no other one needs a reply
 */
export function nextToAnswer(
  ids: readonly string[],
  from: string | null,
  needsReply: (id: string) => boolean,
): string | null {
  const start = from === null ? 0 : ids.indexOf(from) + 1;
  const inOrder = [...ids.slice(start), ...ids.slice(0, start)];
  return inOrder.find((id) => id !== from && needsReply(id)) ?? null;
}

/** What a list shows: the sections, and how many conversations wait to be shown. */
export interface Arrangement {
  readonly sections: readonly Section[];
  readonly waiting: number;
}

/**
 * The next arrangement of a list. While it is held, no row moves: rows stay where they are, even those that left the view, and new ones wait, save those that follow all others, such as those of a further page.
 * @param wanted the sections as the order wants them
 * @param exists whether a conversation may still be shown: an erased one leaves at once
 */
export function arrange(
  shown: Arrangement,
  wanted: readonly Section[],
  { isHeld, exists }: { isHeld: boolean; exists: (id: string) => boolean },
): Arrangement {
  if (!isHeld) return { sections: wanted, waiting: 0 };
  const sections = shown.sections
    .map((section) => ({ ...section, ids: section.ids.filter(exists) }))
    .filter(({ ids }) => ids.length > 0);
  const shownIds = new Set(sections.flatMap(({ ids }) => ids));
  const rows = wanted.flatMap(({ name, ids }) => ids.map((id) => ({ name, id })));
  const end = rows.findLastIndex(({ id }) => shownIds.has(id)) + 1;
  const waiting = rows.slice(0, end).filter(({ id }) => !shownIds.has(id)).length;
  return { sections: rows.slice(end).reduce(withRow, sections), waiting };
}

/** The sections with a row at their end. */
function withRow(sections: readonly Section[], { name, id }: { name: Section["name"]; id: string }): Section[] {
  const last = sections.at(-1);
  if (last?.name !== name) return [...sections, { name, ids: [id] }];
  return [...sections.slice(0, -1), { name, ids: [...last.ids, id] }];
}
