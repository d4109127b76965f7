import { refuse } from "../calls/error-messages.ts";
import { isFields } from "../http/fields.ts";
import type { Account, Attachment, Thread, Upload } from "../world/model.ts";
import { isInstagram } from "../world/platform.ts";

const mediaTypes = ["image", "video", "audio", "file"];
const imagesMax = 10;
const instagramTextBytes = 1000;
const messengerTextLength = 2000;
const metadataLengthMax = 1000;

export interface MessageContent {
  text: string | null;
  attachments: Attachment[];
  replyTo: string | null;
  metadata: string | undefined;
}

/** The context of a send: its host, and lookups for the content. */
export interface SendContext {
  /** True on Instagram's own host, which returns another error type. */
  onInstagram: boolean;
  /** The account's unexpired upload with that id. */
  upload(id: string): Upload | undefined;
  /** The URL under which the simulator serves media. */
  mediaUrl: string;
  /** Accept uploads of Instagram accounts on a Page only as MEDIA_SHARE. */
  shareOnly: boolean;
}

/** The content of a send's body. Throws the platform's Graph error for invalid content. */
export function checkMessage(
  account: Account,
  thread: Thread,
  body: Record<string, unknown>,
  context: SendContext,
): MessageContent {
  const { onInstagram: instagramHost } = context;
  const message = body.message;
  if (!isFields(message)) throw refuse.parameter("Param message must be an object", instagramHost);
  const { text, attachment, attachments, metadata } = message;
  if ([text, attachment, attachments].filter((part) => part !== undefined).length !== 1) {
    throw refuse.invalidMessage("Must provide exactly one of text, attachment or attachments", instagramHost);
  }
  if (metadata !== undefined && (typeof metadata !== "string" || metadata.length > metadataLengthMax)) {
    throw refuse.parameter(
      `Length of param message[metadata] must be less than or equal to ${metadataLengthMax}`,
      instagramHost,
    );
  }
  return {
    text: text === undefined ? null : checkText(account, text, instagramHost),
    attachments: checkAttachments(account, attachment === undefined ? attachments : [attachment], context),
    replyTo: checkReplyTo(thread, body.reply_to, instagramHost),
    metadata,
  };
}

function checkText(account: Account, text: unknown, instagramHost: boolean): string {
  if (typeof text !== "string" || text === "") {
    throw refuse.parameter("Param message[text] must be a non-empty UTF-8 encoded string", instagramHost);
  }
  const tooLong = (limit: number) =>
    refuse.parameter(`Length of param message[text] must be less than or equal to ${limit}`, instagramHost);
  if (isInstagram(account)) {
    if (Buffer.byteLength(text, "utf8") > instagramTextBytes) throw tooLong(instagramTextBytes);
  } else if ([...text].length > messengerTextLength) throw tooLong(messengerTextLength);
  return text;
}

function checkAttachments(account: Account, attachments: unknown, context: SendContext): Attachment[] {
  if (attachments === undefined) return [];
  if (!Array.isArray(attachments) || attachments.length === 0 || attachments.length > imagesMax) {
    throw refuse.invalidMessage(`Param message[attachments] takes 1 to ${imagesMax} attachments`, context.onInstagram);
  }
  const checkedAttachments = attachments.map((one: unknown) => checkAttachment(account, one, context));
  if (checkedAttachments.length > 1 && checkedAttachments.some(({ type }) => type !== "image")) {
    throw refuse.invalidMessage("Several attachments in one message must all be images", context.onInstagram);
  }
  return checkedAttachments;
}

function checkAttachment(account: Account, attachment: unknown, context: SendContext): Attachment {
  const { onInstagram } = context;
  const type = isFields(attachment) ? attachment.type : undefined;
  const payload = isFields(attachment) && isFields(attachment.payload) ? attachment.payload : {};
  const { url, attachment_id: id } = payload;
  if ((url === undefined) === (id === undefined)) {
    throw refuse.invalidMessage("An attachment's payload needs either a url or an attachment_id", onInstagram);
  }
  if (id !== undefined) return checkUpload(account, type, id, context);
  if (typeof type !== "string" || !mediaTypes.includes(type)) throw invalidType(onInstagram);
  if (typeof url !== "string" || !URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw refuse.invalidMessage("An attachment's payload needs a url", onInstagram);
  }
  if (account.connection === "instagram_login" && /\.gif$/i.test(new URL(url).pathname)) {
    throw refuse.invalidMessage("The image format is not supported: use png or jpeg", onInstagram);
  }
  return { type, payload: { url } };
}

const invalidType = (onInstagram: boolean) =>
  refuse.invalidMessage(`An attachment's type must be one of {${mediaTypes.join(", ")}}`, onInstagram);

/** An upload is sent as its own type. Instagram accounts on a Page may also use the older MEDIA_SHARE for any type. */
function checkUpload(account: Account, type: unknown, id: unknown, context: SendContext): Attachment {
  const upload = typeof id === "string" ? context.upload(id) : undefined;
  if (upload === undefined) throw refuse.unknownAttachment(context.onInstagram);
  const onPage = account.connection === "instagram_page";
  const types = [...(onPage && context.shareOnly ? [] : [upload.type]), ...(onPage ? ["MEDIA_SHARE"] : [])];
  if (typeof type !== "string" || !types.includes(type)) {
    throw refuse.invalidMessage("The attachment cannot be sent as this type", context.onInstagram);
  }
  return { type: upload.type, payload: { url: `${context.mediaUrl}/${upload.id}.${upload.extension ?? "png"}` } };
}

function checkReplyTo(thread: Thread, replyTo: unknown, instagramHost: boolean): string | null {
  if (replyTo === undefined) return null;
  const mid = isFields(replyTo) ? replyTo.mid : undefined;
  if (typeof mid !== "string" || !thread.messages.some((message) => message.mid === mid)) {
    throw refuse.parameter("Param reply_to[mid] is not a message of this conversation", instagramHost);
  }
  return mid;
}
