import type { Message } from "../../../../web/console/data/types.ts";

/** What a message of the API has beside its text: nothing. */
export const plainMessage = {
  text_truncated: false,
  attachments: [],
  reply_to: null,
  story: null,
  quick_reply: null,
  postback: null,
  referral: null,
  edited_at: null,
  deleted_at: null,
  reactions: [],
} satisfies Partial<Message>;
