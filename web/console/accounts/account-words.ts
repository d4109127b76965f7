import { printableText } from "../../../packages/client/src/printable.ts";
import { pastDay, pastTime } from "../admin/times.ts";
import { accountName } from "../data/accounts.ts";
import { platformName } from "../data/names.ts";
import { instant } from "../data/types.ts";
import type { Account, Trouble } from "./account-health.ts";
import { texts } from "./texts.ts";

// What the page says about an account, in whole sentences.

const day = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "long" });
const dayOfYears = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "long", year: "numeric" });

/** A day of the future: `21 January`, and with its year where that is another. */
export function futureDay(at: number, now: number): string {
  return (new Date(at).getFullYear() === new Date(now).getFullYear() ? day : dayOfYears).format(at);
}

export interface TroubleWords {
  /** What is wrong, and since when. */
  readonly title: string;
  /** What it means, and what to do. */
  readonly text: string;
}

export function troubleWords(account: Account, { kind, since }: Trouble, now: number): TroubleWords {
  const name = accountName(account);
  const platform = platformName(account.platform);
  const sinceWhen = since === null ? "" : pastTime(since, now);
  switch (kind) {
    case "needs_reauth":
      return { title: texts.titles.needs_reauth(name), text: sentences(texts.needsReauth, endOf(account, since, now)) };
    case "restricted":
      return { title: texts.titles.restricted(name), text: texts.restricted(platform) };
    case "missing":
      return { title: texts.titles.missing(name, sinceWhen), text: texts.missing(platform) };
    case "refresh_failing": {
      const endsAt = instant(account.token_expires_at);
      const until = endsAt === null || endsAt <= now ? null : futureDay(endsAt, now);
      return { title: texts.titles.refresh_failing(name), text: texts.refreshFailing(until) };
    }
    case "ending":
      return { title: texts.titles.ending(name), text: texts.ending };
    case "unchecked":
      return { title: texts.titles.unchecked(name, sinceWhen), text: texts.unchecked };
    case "human_agent":
      return { title: texts.titles.human_agent(name, sinceWhen), text: texts.humanAgent(platform) };
  }
}

/** When the access ended, or else when it was last seen to work. */
function endOf({ subscribed_at }: Account, endedAt: number | null, now: number): string {
  if (endedAt !== null) return texts.tokenEnded(pastTime(endedAt, now));
  const checkedAt = instant(subscribed_at);
  return checkedAt === null ? "" : texts.lastCheck(pastTime(checkedAt, now));
}

function sentences(...parts: readonly string[]): string {
  return parts.filter((part) => part !== "").join(" ");
}

/** How an account is connected. @param accounts those of the workspace: one of them may be the page */
export function connectionWords({ connection, page_id }: Account, accounts: readonly Account[]): string {
  const page =
    connection === "instagram_page" ? accounts.find(({ account_key }) => account_key === `messenger#${page_id}`) : null;
  return page ? texts.throughPage(accountName(page)) : texts.connections[connection];
}

/** The platform, the handle where it says more than the name, the connection, and how long the access is good. */
export function accountLine(account: Account, accounts: readonly Account[], now: number): string {
  const handle = printableText(account.handle).trim();
  const renewedAt = instant(account.last_refreshed_at);
  const endsAt = instant(account.token_expires_at);
  const access = [
    renewedAt === null || endsAt === null ? "" : texts.renewed(pastDay(renewedAt, now)),
    endsAt === null || endsAt <= now ? "" : texts.goodUntil(futureDay(endsAt, now)),
  ];
  return [
    platformName(account.platform),
    handle === "" || handle === accountName(account) ? "" : handleWords(account),
    connectionWords(account, accounts),
    access.filter((part) => part !== "").join(", "),
  ]
    .filter((part) => part !== "")
    .join(" · ");
}

/** The handle as its platform writes it, on its own: its direction changes nothing around it. */
function handleWords({ platform, handle }: Account): string {
  return `\u2068${platform === "instagram" ? "@" : ""}${printableText(handle).trim()}\u2069`;
}

/** The words of others about an account: the platform's reason, and the last failure of a renewal. */
export function quotesOf({ platform, status_detail, refresh_error }: Account): readonly {
  readonly source: string;
  readonly words: string;
}[] {
  const reason = printableText(status_detail ?? "").trim();
  const failure = printableText(refresh_error ?? "").trim();
  return [
    { source: texts.says(platformName(platform)), words: reason },
    { source: texts.refreshSays, words: failure === reason ? "" : failure },
  ].filter(({ words }) => words !== "");
}
