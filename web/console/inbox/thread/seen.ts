import { RETENTION } from "../../data/durations.ts";

// Until when this browser has seen each conversation: a time beside a hash of the id, and nothing else of it.

const KEY = "parley.seen";
const STORED_MAX = 500;

type Seen = Readonly<Record<string, number>>;

/** When this browser last saw the conversation, in epoch milliseconds; null when it never did. */
export function seenUntil(conversationId: string): number | null {
  return read()[hash(conversationId)] ?? null;
}

/** Notes that everything up to a time was seen. */
export function markSeen(conversationId: string, at: number): void {
  const all = read();
  const key = hash(conversationId);
  if ((all[key] ?? 0) >= at) return;
  const entries = Object.entries({ ...all, [key]: at })
    .filter(([, time]) => time > at - RETENTION)
    .sort(([, a], [, b]) => b - a)
    .slice(0, STORED_MAX);
  write(Object.fromEntries(entries));
}

/** Forgets one conversation, or all at a sign-out. */
export function forgetSeen(conversationId: string | null): void {
  const { [hash(conversationId ?? "")]: _, ...others } = read();
  write(conversationId === null ? {} : others);
}

/** 53 bits of a hash (cyrb53): the conversations of a week have different ones. */
function hash(text: string): string {
  let [a, b] = [0xdeadbeef, 0x41c6ce57];
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    a = Math.imul(a ^ code, 2654435761);
    b = Math.imul(b ^ code, 1597334677);
  }
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909);
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909);
  return (4294967296 * (2097151 & b) + (a >>> 0)).toString(36);
}

function read(): Seen {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(KEY) ?? "{}");
    return typeof stored === "object" && stored !== null ? (stored as Seen) : {};
  } catch {
    return {};
  }
}

function write(seen: Seen): void {
  try {
    localStorage.setItem(KEY, JSON.stringify(seen));
  } catch {
    // Without storage everything counts as seen.
  }
}
