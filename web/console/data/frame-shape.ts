import type { StreamEvent } from "./types.ts";

/**
 * Whether a frame has what the console reads of its type. A frame of a newer or broken service may lack it: such a one
 * changes nothing, and the next fetch shows what it would have. Frames of unknown types are well formed.
 */
export function isWellFormed({ type, created_at, data }: StreamEvent): boolean {
  const { conversation, message, hold, upload, reaction } = fields(data);
  if (typeof created_at !== "string" || Number.isNaN(Date.parse(created_at))) return false;
  switch (type) {
    case "conversation.updated":
      return isConversation(fields(conversation));
    case "message.received":
    case "message.sent":
      return isMessage(fields(message));
    case "message.edited":
      return hasTexts(fields(message), ["id", "conversation_id", "text", "edited_at"]);
    case "message.deleted":
      return hasTexts(fields(message), ["id", "conversation_id", "deleted_at"]);
    case "message.reaction":
      return hasTexts(fields(message), ["id", "conversation_id"]) && hasTexts(fields(reaction), ["action", "at"]);
    case "hold.updated":
      return hasTexts(fields(hold), ["id", "status"]);
    case "upload.updated":
      return hasTexts(fields(upload), ["id", "status"]);
    case "presence.updated":
      return hasTexts(fields(data), ["conversation_id", "user_id", "state"]);
    default:
      return true;
  }
}

function isConversation(conversation: Fields): boolean {
  if (conversation.erased === true) return hasTexts(conversation, ["id"]);
  const { last_message } = conversation;
  return (
    hasTexts(conversation, [
      "id",
      "account_handle",
      "account_key",
      "platform",
      "participant_id",
      "last_message_at",
      "last_message_text",
    ]) &&
    hasTextsOrNull(conversation, ["participant_handle", "participant_username", "participant_name"]) &&
    hasTextsOrNull(conversation, ["participant_picture", "last_inbound_at", "last_outbound_at", "waiting_since"]) &&
    hasTexts(fields(last_message), ["direction", "kind"])
  );
}

function isMessage(message: Fields): boolean {
  return (
    hasTexts(message, ["id", "conversation_id", "sent_at", "direction", "text", "platform"]) &&
    [message.attachments, message.reactions].every((list) => Array.isArray(list) && list.every(isObject))
  );
}

type Fields = Readonly<Record<string, unknown>>;

function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null;
}

function fields(value: unknown): Fields {
  return isObject(value) ? value : {};
}

function hasTexts(value: Fields, names: readonly string[]): boolean {
  return names.every((name) => typeof value[name] === "string");
}

function hasTextsOrNull(value: Fields, names: readonly string[]): boolean {
  return names.every((name) => value[name] === null || typeof value[name] === "string");
}
