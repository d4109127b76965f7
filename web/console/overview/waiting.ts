import { DAY } from "../data/durations.ts";
import { type Conversation, millis } from "../data/types.ts";
import { windowOf } from "../data/window.ts";

/** What is known of those who wait for a reply. */
export interface Waiting {
  /** How many can be answered for less than two hours more. */
  readonly closing: number;
  /** Who has waited longest; null when no one waits. */
  readonly longest: { readonly conversation: Conversation; readonly waitedMs: number } | null;
  /** How many have waited for more than 24 hours. */
  readonly overDay: number;
}

/** @param waiting those who need a reply @param now the server's time in epoch milliseconds */
export function summarizeWaiting(waiting: Iterable<Conversation>, now: number): Waiting {
  let closing = 0;
  let overDay = 0;
  let longest: Waiting["longest"] = null;
  for (const conversation of waiting) {
    if (windowOf(conversation, now).state === "closing") closing += 1;
    if (conversation.waiting_since === null) continue;
    const waitedMs = Math.max(0, now - millis(conversation.waiting_since));
    if (waitedMs > DAY) overDay += 1;
    if (longest === null || waitedMs > longest.waitedMs) longest = { conversation, waitedMs };
  }
  return { closing, longest, overDay };
}
