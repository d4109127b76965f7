import { isFields } from "./fields.ts";
import { refuse } from "./graph-errors.ts";
import type { Account, Attachment, Thread } from "./model.ts";
import { isInstagram } from "./world.ts";

const mediaTypes = ["image", "video", "audio", "file"];
const mostImages = 10;
const instagramTextBytes = 1000;
const messengerTextLength = 2000;
const longestMetadata = 1000;

export interface MessageContent {
  text: string | null;
  attachments: Attachment[];
  replyTo: string | null;
  metadata: string | undefined;
}

/** The content of a send's body. Throws the Graph error for what the platform would not take. */
export function checkMessage(
  account: Account,
  thread: Thread,
  body: Record<string, unknown>,
  instagramHost: boolean,
): MessageContent {
  const message = body.message;
  if (!isFields(message)) throw refuse.parameter("Param message must be an object", instagramHost);
  const { text, attachment, attachments, metadata } = message;
  if ([text, attachment, attachments].filter((part) => part !== undefined).length !== 1) {
    throw refuse.invalidMessage("Must provide exactly one of text, attachment or attachments", instagramHost);
  }
  if (metadata !== undefined && (typeof metadata !== "string" || metadata.length > longestMetadata)) {
    throw refuse.parameter(
      `Length of param message[metadata] must be less than or equal to ${longestMetadata}`,
      instagramHost,
    );
  }
  return {
    text: text === undefined ? null : checkText(account, text, instagramHost),
    attachments: checkAttachments(account, attachment === undefined ? attachments : [attachment], instagramHost),
    replyTo: checkReplyTo(thread, body.reply_to, instagramHost),
    metadata,
  };
}

function checkText(account: Account, text: unknown, instagramHost: boolean): string {
  if (typeof text !== "string" || text === "") {
    throw refuse.parameter("Param message[text] must be a non-empty UTF-8 encoded string", instagramHost);
  }
  const tooLong = (most: number) =>
    refuse.parameter(`Length of param message[text] must be less than or equal to ${most}`, instagramHost);
  if (isInstagram(account)) {
    if (Buffer.byteLength(text, "utf8") > instagramTextBytes) throw tooLong(instagramTextBytes);
  } else if ([...text].length > messengerTextLength) throw tooLong(messengerTextLength);
  return text;
}

function checkAttachments(account: Account, given: unknown, instagramHost: boolean): Attachment[] {
  if (given === undefined) return [];
  if (!Array.isArray(given) || given.length === 0 || given.length > mostImages) {
    throw refuse.invalidMessage(`Param message[attachments] takes 1 to ${mostImages} attachments`, instagramHost);
  }
  const checked = given.map((one: unknown) => checkAttachment(account, one, instagramHost));
  if (checked.length > 1 && checked.some(({ type }) => type !== "image")) {
    throw refuse.invalidMessage("Several attachments in one message must all be images", instagramHost);
  }
  return checked;
}

function checkAttachment(account: Account, given: unknown, instagramHost: boolean): Attachment {
  if (!isFields(given) || typeof given.type !== "string" || !mediaTypes.includes(given.type)) {
    throw refuse.invalidMessage(`An attachment's type must be one of {${mediaTypes.join(", ")}}`, instagramHost);
  }
  const payload = isFields(given.payload) ? given.payload : {};
  const { url, attachment_id: id } = payload;
  if (id !== undefined) throw refuse.unknownAttachment(instagramHost);
  if (typeof url !== "string" || !URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw refuse.invalidMessage("An attachment's payload needs a url", instagramHost);
  }
  if (account.connection === "instagram_login" && /\.gif$/i.test(new URL(url).pathname)) {
    throw refuse.invalidMessage("The image format is not supported: use png or jpeg", instagramHost);
  }
  return { type: given.type, payload: { url } };
}

function checkReplyTo(thread: Thread, given: unknown, instagramHost: boolean): string | null {
  if (given === undefined) return null;
  const mid = isFields(given) ? given.mid : undefined;
  if (typeof mid !== "string" || !thread.messages.some((message) => message.mid === mid)) {
    throw refuse.parameter("Param reply_to[mid] is not a message of this conversation", instagramHost);
  }
  return mid;
}
