import { accountKey, type PlatformName } from "../accounts/accounts.ts";
import { type ConversationHead, isUnanswered } from "./conversations.ts";

/** What a caller narrows the inbox to; null asks for nothing. An account is named by its public key. */
export interface InboxFilter {
  readonly unanswered: boolean;
  readonly platform: PlatformName | null;
  readonly accountKey: string | null;
}

/** The question that each head is asked; null where the filter asks for nothing, so that a page needs no search. */
export function inboxPredicate(filter: InboxFilter): ((head: ConversationHead) => boolean) | null {
  const { unanswered, platform, accountKey: account } = filter;
  if (!unanswered && platform === null && account === null) return null;
  return (head) =>
    (!unanswered || isUnanswered(head)) &&
    (platform === null || head.ref.account.platform === platform) &&
    (account === null || accountKey(head.ref.account) === account);
}
