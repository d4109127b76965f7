import { type Account, accountKey } from "../accounts/accounts.ts";
import type { EditUpdate, ReactionUpdate, UnsendUpdate } from "../inbox/updates.ts";
import type { EventType } from "./events.ts";

// What happens to a message after it was sent: how each change is known again when it comes twice, and what its event
// tells.

export type ChangeUpdate = UnsendUpdate | EditUpdate | ReactionUpdate;

/** A message is edited to one text at each count, whenever that is told. */
export function editKey(messageId: string, count: number): string {
  return JSON.stringify([messageId, "edit", count]);
}

/** The same change has the same name, and no two changes of a conversation share one. */
export function changeKey(update: ChangeUpdate): string {
  switch (update.kind) {
    case "unsend":
      return JSON.stringify([update.messageId, "unsend"]);
    case "edit":
      return editKey(update.messageId, update.editCount);
    case "reaction":
      return JSON.stringify([update.messageId, "reaction", update.action, update.at]);
  }
}

/** The event that announces a change, without its envelope. */
export function changeEvent(update: ChangeUpdate, conversationId: string): { type: EventType; data: object } {
  const message = {
    id: update.messageId,
    conversation_id: conversationId,
    account_key: accountKey(update.account),
    platform: update.account.platform,
  };
  switch (update.kind) {
    case "unsend":
      return { type: "message.deleted", data: { message } };
    case "edit":
      return {
        type: "message.edited",
        data: { message: { ...message, text: update.text, edit_count: update.editCount } },
      };
    case "reaction": {
      const { action, reaction, emoji } = update;
      return { type: "message.reaction", data: { message, reaction: { action, reaction, emoji } } };
    }
  }
}

/** What an event about an account tells. */
export function accountEventData(
  account: Account,
  reason: "user" | "platform_deauthorized" | "token_invalid" | "policy",
): object {
  return {
    account: {
      account_key: accountKey(account),
      platform: account.platform,
      external_id: account.externalId,
      handle: account.handle,
      display_name: account.displayName,
      page_id: account.pageId,
      status: account.status,
    },
    reason,
  };
}
