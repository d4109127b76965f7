import { accountKey, type PlatformName } from "#features/accounts/rules/accounts.ts";
import { type ConversationHead, isUnanswered, needsReply } from "./messages.ts";

/** A filter of the inbox. Null means no filter on that field. */
export interface InboxFilter {
  readonly unanswered: boolean;
  readonly needsReply: boolean;
  readonly platform: PlatformName | null;
  readonly accountKey: string | null;
}

/** @returns null for an empty filter, so that its pages are read without examining heads */
export function inboxPredicate(filter: InboxFilter): ((head: ConversationHead) => boolean) | null {
  const { unanswered, needsReply: isNeeded, platform, accountKey: account } = filter;
  if (!unanswered && !isNeeded && platform === null && account === null) return null;
  return (head) =>
    (!unanswered || isUnanswered(head)) &&
    (!isNeeded || needsReply(head)) &&
    (platform === null || head.ref.account.platform === platform) &&
    (account === null || accountKey(head.ref.account) === account);
}
