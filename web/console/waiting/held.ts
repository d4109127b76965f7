import { MINUTE } from "../data/durations.ts";
import type { UnfinishedSend } from "../inbox/composer/drafts.ts";
import type { SeenHolds } from "../inbox/composer/other-holds.ts";

/** A message that is held until the person who typed it has checked it. */
export interface Held {
  readonly conversation: string;
  /** Epoch milliseconds of the server. */
  readonly endsAt: number;
  /** Whether this person typed it, in this browser. */
  readonly isOwn: boolean;
}

/** What is held for less than this waits for a person now. */
const SOON = 5 * MINUTE;
/** The end of one's own message, before its answer is known, and that of its frame differ by less. */
const SAME = MINUTE;

interface Sources {
  /** What this browser has not sent yet, with the ids of the conversations. */
  readonly own: readonly (readonly [conversation: string, sends: readonly UnfinishedSend[]])[];
  /** What frames reported. */
  readonly frames: SeenHolds;
  /** What was read from the API, with the ids of the holds. */
  readonly read: SeenHolds;
}

/** The held messages that end soon, the next one first. Each counts once. @param now the server's time in epoch milliseconds */
export function heldSoon({ own, frames, read }: Sources, now: number): readonly Held[] {
  const ownHeld = own.flatMap(([conversation, sends]) =>
    sends.flatMap(({ holdEndsAt }) => (holdEndsAt === null ? [] : [{ conversation, endsAt: holdEndsAt, isOwn: true }])),
  );
  // A frame is newer than what was read before it.
  const others = [...new Map([...read, ...frames]).values()]
    .filter(({ isOpen }) => isOpen)
    .map(({ conversation, endsAt }) => ({ conversation, endsAt, isOwn: false }))
    .filter(
      (held) =>
        !ownHeld.some((each) => each.conversation === held.conversation && Math.abs(each.endsAt - held.endsAt) < SAME),
    );
  return [...ownHeld, ...others]
    .filter(({ endsAt }) => endsAt > now && endsAt - now < SOON)
    .sort((a, b) => a.endsAt - b.endsAt);
}
