import type { Account } from "#client";
import { troublesOf } from "../accounts/account-health.ts";
import { pastTime } from "../admin/times.ts";
import type { Tone } from "../admin/tones.ts";
import { type Conversation, instant, millis } from "../data/types.ts";
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
  for (const { kind, tone } of troublesOf(account, now)) {
    if (kind === "needs_reauth") return { tone, ...words.ended };
    if (kind === "restricted") return { tone, ...words.restricted };
    if (kind === "missing") {
      const since = pastTime(instant(account.missing_since) ?? now, now);
      return { tone, words: words.missing, line: words.missingSince(since) };
    }
    if (kind === "refresh_failing") {
      const endsAt = instant(account.token_expires_at);
      return {
        tone,
        words: words.failing,
        line: endsAt === null ? words.stillWorks : words.worksUntil(day.format(endsAt)),
      };
    }
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
