// What a person's message brings beside its text and attachments.

/** The story that a message replies to or mentions. Instagram only. */
export interface Story {
  /** Null for a mention: the story is the person's. */
  readonly id: string | null;
  /** The platform's URL, which expires after about a day. */
  readonly url: string | null;
  readonly kind: "reply" | "mention";
}

/** The link, ad or plugin through which the person came to the account. */
export interface Referral {
  /** As the account chose it for its link or ad. */
  readonly ref: string | null;
  readonly source: string | null;
  readonly type: string | null;
  readonly adId: string | null;
}

/** The stored context of a message. A mention is not part of it: the attachment has its URL. */
export interface MessageContext {
  readonly repliedStory?: Pick<Story, "id" | "url">;
  /** The quick reply that the person chose. Its title is the text. */
  readonly quickReply?: { readonly payload: string };
  /** The button that the person pressed. Its title is the text. */
  readonly postback?: { readonly payload: string | null };
  readonly referral?: Referral;
}

/** The story of a message: the one that it replies to, or the one that its first mention names. */
export function messageStory(message: {
  readonly context?: MessageContext;
  readonly attachments: readonly { readonly type: string; readonly url: string | null }[];
}): Story | null {
  const { repliedStory } = message.context ?? {};
  if (repliedStory) return { ...repliedStory, kind: "reply" };
  const mention = message.attachments.find(({ type }) => type === "story_mention");
  return mention ? { id: null, url: mention.url, kind: "mention" } : null;
}
