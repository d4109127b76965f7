import type { PlatformName } from "#features/accounts/rules/accounts.ts";
import type { AttachmentType } from "#features/inbox/rules/messages.ts";
import type { JsonObject } from "./json.ts";

/**
 * What one platform alone documents of its webhooks and its history. Each is read with the dialects of all platforms,
 * because a platform may send the forms of another one.
 */
export interface Dialect {
  readonly platform: PlatformName;
  /** The `object` of its webhooks. */
  readonly object: string;
  /** The fields whose `changes[].value` is an event as in `messaging[]`. Other fields are about posts and comments. */
  readonly changeFields: readonly string[];
  /** Its types of attachments, in lower case, and those of Parley. */
  readonly attachmentTypes: ReadonlyMap<string, AttachmentType>;
  /** The text of an attachment that is a like, else null. @param type in lower case */
  readonly readLike: (type: string, payload: JsonObject | null) => string | null;
  /** Whether an image is a sticker. Default: never. */
  readonly isSticker?: (payload: JsonObject | null) => boolean;
  readonly history: HistoryDialect;
}

/** The messages of a platform's history, whose fields have names of their own. */
interface HistoryDialect {
  /** What a call asks for of each message. */
  readonly messageFields: string;
  /** Attachments that are fields of the message, in the form of a webhook. */
  readonly readAttachments: (message: JsonObject) => JsonObject[];
  /** Whether a link of the message's shares is an attachment. Default: each. */
  readonly isShared?: (message: JsonObject, link: unknown) => boolean;
  /** What the message replies to if that is no message, in the form of a webhook; null for none. Default: none. */
  readonly readReply?: (message: JsonObject) => JsonObject | null;
}
