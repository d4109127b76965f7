import { HOUR, PERSON_WINDOW, REPLY_WINDOW } from "./durations.ts";
import { type Conversation, millis } from "./types.ts";

const CLOSING = 2 * HOUR;

/**
 * What may be sent to a person now.
 * - `open` and `closing`: a reply, until `endsAt`; `closing` is its last two hours
 * - `person`: a message that a person typed, until `endsAt`
 * - `closed`: nothing since `endsAt`
 * - `none`: the person never wrote; `endsAt` is 0
 */
export interface MessagingWindow {
  readonly state: "open" | "closing" | "person" | "closed" | "none";
  /** Epoch milliseconds. */
  readonly endsAt: number;
  /** What is left of the current state, from 0 to 1. */
  readonly left: number;
}

/** @param now the server's time in epoch milliseconds */
export function windowOf({ last_inbound_at }: Pick<Conversation, "last_inbound_at">, now: number): MessagingWindow {
  if (last_inbound_at === null) return { state: "none", endsAt: 0, left: 0 };
  const start = millis(last_inbound_at);
  const replyEnds = start + REPLY_WINDOW;
  const personEnds = start + PERSON_WINDOW;
  if (now < replyEnds) {
    const leftMs = replyEnds - now;
    return {
      state: leftMs <= CLOSING ? "closing" : "open",
      endsAt: replyEnds,
      left: Math.min(1, leftMs / REPLY_WINDOW),
    };
  }
  if (now < personEnds) {
    return { state: "person", endsAt: personEnds, left: (personEnds - now) / (PERSON_WINDOW - REPLY_WINDOW) };
  }
  return { state: "closed", endsAt: personEnds, left: 0 };
}

/** A duration in two units at most: `41 min`, `1 h 38`, `15 h`, `24 h`, `1 d 9 h`. Rounded down; below a minute `1 min`. */
export function shortDuration(ms: number): string {
  const minutes = Math.max(1, Math.floor(ms / 60_000));
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 3) return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${String(minutes % 60).padStart(2, "0")}`;
  if (hours <= 24) return `${hours} h`;
  const days = Math.floor(hours / 24);
  return hours % 24 === 0 ? `${days} d` : `${days} d ${hours % 24} h`;
}
