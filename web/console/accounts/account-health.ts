import type { Account as ConnectedAccount } from "#client";
import type { Tone } from "../admin/tones.ts";
import { accountName } from "../data/accounts.ts";
import { DAY } from "../data/durations.ts";
import { instant } from "../data/types.ts";

export type Account = ConnectedAccount;

/** What an account may suffer from, the worst first. */
const kinds = [
  "needs_reauth",
  "restricted",
  "missing",
  "refresh_failing",
  "ending",
  "unchecked",
  "human_agent",
] as const;
export type TroubleKind = (typeof kinds)[number];

/** Something of an account that needs attention. */
export interface Trouble {
  readonly kind: TroubleKind;
  readonly tone: Tone;
  /** Since when, in epoch milliseconds; null where that is not known. */
  readonly since: number | null;
  /** Whether a new login ends it. */
  readonly endsByLogin: boolean;
}

/** A check runs once a day, and again each hour after one that failed. */
const CHECK_LATE = 2 * DAY;

/** What is wrong with an account, the worst first. @param now epoch milliseconds */
export function troublesOf(account: Account, now: number): readonly Trouble[] {
  const checkedAt = instant(account.subscribed_at);
  const missingSince = instant(account.missing_since);
  const refusedAt = instant(account.human_agent_blocked_at);
  const isLate = checkedAt !== null && now - checkedAt > CHECK_LATE;
  const all: (Trouble | null)[] = [
    ofStatus(account, now),
    missingSince === null ? null : { kind: "missing", tone: "warn", since: missingSince, endsByLogin: true },
    account.status === "active" && isLate
      ? { kind: "unchecked", tone: "warn", since: checkedAt, endsByLogin: true }
      : null,
    refusedAt === null ? null : { kind: "human_agent", tone: "warn", since: refusedAt, endsByLogin: false },
  ];
  return all.filter((trouble) => trouble !== null).sort((a, b) => rankOf(a) - rankOf(b));
}

function ofStatus(account: Account, now: number): Trouble | null {
  switch (account.status) {
    case "needs_reauth": {
      const endedAt = instant(account.token_expires_at);
      const since = endedAt !== null && endedAt <= now ? endedAt : null;
      return { kind: "needs_reauth", tone: "bad", since, endsByLogin: true };
    }
    case "restricted":
      return { kind: "restricted", tone: "bad", since: null, endsByLogin: false };
    case "refresh_failing":
      return { kind: "refresh_failing", tone: "warn", since: instant(account.last_refreshed_at), endsByLogin: true };
    default:
      // The access of the app to the data of a page ends soon.
      return account.status_detail ? { kind: "ending", tone: "warn", since: null, endsByLogin: true } : null;
  }
}

function rankOf({ kind }: Trouble): number {
  return kinds.indexOf(kind);
}

/** The accounts that need attention first, the worst first, and after them the others; each by name. */
export function arrangeAccounts(accounts: readonly Account[], now: number): readonly Account[] {
  const rank = (account: Account) => {
    const [worst] = troublesOf(account, now);
    return worst ? rankOf(worst) : kinds.length;
  };
  return [...accounts].sort((a, b) => rank(a) - rank(b) || accountName(a).localeCompare(accountName(b), "en"));
}

/** The login that connects the account again. */
export function loginOf({ connection }: Pick<Account, "connection">): "instagram" | "messenger" {
  return connection === "instagram_login" ? "instagram" : "messenger";
}
