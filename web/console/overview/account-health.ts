import type { Account } from "#client";
import { pastTime } from "../admin/times.ts";
import type { Tone } from "../admin/tones.ts";
import { type Conversation, millis } from "../data/types.ts";
import { texts } from "./texts.ts";

const day = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "long" });

/** How an account is, in a word and a line. */
export interface AccountHealth {
  readonly tone: Tone;
  readonly words: string;
  readonly line: string;
}

/**
 * @param lastMessageAt when its newest message of either direction was sent; null when it is not known
 * @param now the server's time; both in epoch milliseconds
 */
export function accountHealth(account: Account, lastMessageAt: number | null, now: number): AccountHealth {
  const words = texts.health;
  const { status, missing_since, token_expires_at } = account;
  if (status === "needs_reauth") return { tone: "bad", ...words.ended };
  if (status === "restricted") return { tone: "bad", ...words.restricted };
  if (missing_since !== null) {
    return { tone: "warn", words: words.missing, line: words.missingSince(pastTime(Date.parse(missing_since), now)) };
  }
  if (status === "refresh_failing") {
    const line =
      token_expires_at === null ? words.stillWorks : words.worksUntil(day.format(Date.parse(token_expires_at)));
    return { tone: "warn", words: words.failing, line };
  }
  const line = lastMessageAt === null ? words.noMessage : words.lastMessage(pastTime(lastMessageAt, now));
  return { tone: "ok", words: words.active, line };
}

const urgency: Readonly<Record<Tone, number>> = { bad: 0, warn: 1, ok: 2, off: 3 };

/** Those that need attention first; the others stay in their order. */
export function byUrgency<Row extends { readonly tone: Tone }>(rows: readonly Row[]): Row[] {
  return [...rows].sort((a, b) => urgency[a.tone] - urgency[b.tone]);
}

/** When the newest message of an account was sent, as far as it is among these; null otherwise. */
export function lastMessageAt(newest: readonly Conversation[] | null, accountKey: string): number | null {
  const times = (newest ?? [])
    .filter(({ account_key }) => account_key === accountKey)
    .map(({ last_message_at }) => millis(last_message_at));
  return times.length === 0 ? null : Math.max(...times);
}
