import { PRESENCE_LIFETIME_MS, type PresenceUpdated } from "#client";
import type { Presence } from "../data/live-inbox.ts";
import { millis } from "../data/types.ts";

// What colleagues do with conversations, from the frames of the stream. They may come late, twice and in any order. A state
// ends by silence. The functions are pure; times are epoch milliseconds of the server, as this page knows them.

/** What a colleague reported last of a conversation. `left` stays for a while, so that an earlier report cannot undo it. */
interface Report {
  readonly userId: string;
  readonly state: PresenceState;
  readonly createdAt: number;
  readonly frameId: string;
  /** When it came. */
  readonly receivedAt: number;
  readonly endsAt: number;
}

type PresenceState = keyof typeof PRESENCE_LIFETIME_MS;

/** The last reports by conversation and colleague. */
export type PresenceBook = ReadonlyMap<string, ReadonlyMap<string, Report>>;

export const emptyPresence: PresenceBook = new Map();

/** No report outlives this. */
const LIFETIME_MAX = Math.max(...Object.values(PRESENCE_LIFETIME_MS));

/**
 * Adds a frame. One of this person, of an unknown state, from before the last one of the colleague, or from longer ago than
 * a state lives changes nothing.
 */
export function withReport(
  book: PresenceBook,
  { id: frameId, created_at, data }: Pick<PresenceUpdated, "id" | "created_at" | "data">,
  { now, ownUserId }: { readonly now: number; readonly ownUserId: string },
): PresenceBook {
  const { conversation_id, user_id: userId, state } = data;
  if (userId === ownUserId || !Object.hasOwn(PRESENCE_LIFETIME_MS, state)) return book;
  // A clock that is ahead must not block what follows.
  const createdAt = Math.min(millis(created_at), now);
  const lifetime = state === "left" ? LIFETIME_MAX : PRESENCE_LIFETIME_MS[state];
  const endsAt = createdAt + lifetime;
  const before = book.get(conversation_id)?.get(userId);
  if (endsAt <= now || (before && !isLater({ createdAt, frameId }, before))) return book;
  const next = new Map(withoutEnded(book, now));
  const reports = new Map(next.get(conversation_id));
  reports.set(userId, { userId, state, createdAt, frameId, receivedAt: now, endsAt });
  return next.set(conversation_id, reports);
}

function isLater(a: Pick<Report, "createdAt" | "frameId">, b: Pick<Report, "createdAt" | "frameId">): boolean {
  return a.createdAt === b.createdAt ? a.frameId > b.frameId : a.createdAt > b.createdAt;
}

/** A clock that was set back since would keep a report for too long. */
const isAlive = ({ receivedAt, endsAt }: Report, now: number): boolean => endsAt > now && receivedAt <= now + 1_000;

function withoutEnded(book: PresenceBook, now: number): PresenceBook {
  const next = new Map<string, ReadonlyMap<string, Report>>();
  for (const [conversation, reports] of book) {
    const alive = [...reports].filter(([, report]) => isAlive(report, now));
    if (alive.length > 0) next.set(conversation, new Map(alive));
  }
  return next;
}

/**
 * What is shown: who writes before who reads, each in the order of their ids.
 * @param before what was shown; a conversation in which nothing changed keeps its list
 */
export function shownPresence(
  book: PresenceBook,
  now: number,
  before: ReadonlyMap<string, readonly Presence[]>,
): ReadonlyMap<string, readonly Presence[]> {
  const shown = new Map<string, readonly Presence[]>();
  for (const [conversation, reports] of book) {
    const list = [...reports.values()]
      .filter((report) => isAlive(report, now))
      .flatMap(({ userId, state }) => (state === "left" ? [] : [{ userId, state }]))
      .sort((a, b) => rank(a).localeCompare(rank(b)));
    if (list.length === 0) continue;
    const same = before.get(conversation);
    shown.set(conversation, same && same.map(rank).join() === list.map(rank).join() ? same : list);
  }
  const isSame = shown.size === before.size && [...shown].every(([id, list]) => before.get(id) === list);
  return isSame ? before : shown;
}

function rank({ userId, state }: Presence): string {
  return `${state === "writing" ? 0 : 1} ${userId}`;
}

/** When the next state ends; null when none is shown. */
export function nextEnd(book: PresenceBook, now: number): number | null {
  const ends = [...book.values()].flatMap((reports) =>
    [...reports.values()].filter((report) => isAlive(report, now)).map(({ endsAt }) => endsAt),
  );
  return ends.length === 0 ? null : Math.min(...ends);
}
