import {
  ATTACHMENT_ID_CHARS_MAX,
  ATTACHMENT_URL_CHARS_MAX,
  IMAGES_PER_MESSAGE_MAX,
  INSTAGRAM_TEXT_BYTES_MAX,
  MESSENGER_TEXT_CHARS_MAX,
} from "#base/kernel/limits.ts";
import { invalidField, type Refusal } from "#base/kernel/refusals.ts";
import type { Scope } from "#features/access/rules/scope.ts";
import type { PlatformName } from "#features/accounts/rules/accounts.ts";
import type { Attachment } from "#features/inbox/rules/messages.ts";

// The content of a send: a text or attachments. The platforms support no captions.

export const mediaTypes = ["image", "video", "audio", "file"] as const;
export type MediaType = (typeof mediaTypes)[number];

/** A file that the platform fetches from a URL, or one that was uploaded to the platform before. */
export type OutgoingAttachment =
  | { readonly type: MediaType; readonly url: string }
  | { readonly type: MediaType; readonly attachmentId: string };

/** `attachments`: one of any type, or up to 10 images. */
export type SendContent =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "attachments"; readonly attachments: readonly OutgoingAttachment[] };

/** The content of a request before validation. Null and absent mean the same. */
export interface RequestedContent {
  readonly text?: string | null | undefined;
  readonly attachments?: readonly RequestedAttachment[] | null | undefined;
}

export interface RequestedAttachment {
  readonly type?: string | null | undefined;
  readonly url?: string | null | undefined;
  readonly attachmentId?: string | null | undefined;
}

/** Prefix of the ids of attachments that were uploaded with a test key. They exist on no platform. */
export const TEST_ATTACHMENT_PREFIX = "mock_att_";

type Invalid = Refusal<"invalid_request">;

/**
 * Validates the content of a send.
 * @param platform whose text limit applies
 * @param scope of the caller's key: a live key cannot send attachments that a test key uploaded
 */
export function readSendContent(
  content: RequestedContent,
  platform: PlatformName,
  scope: Scope,
): SendContent | Invalid {
  const { text, attachments } = content;
  if (text != null && attachments != null) return invalidBody("text, attachments: give one of them, not both");
  if (text != null) return readText(text, platform);
  if (attachments != null) return readAttachments(attachments, scope);
  return invalidBody("text, attachments: give one of them");
}

/**
 * Whether a text exceeds the platform's limit. Instagram counts UTF-8 bytes. Messenger counts characters, read here as
 * Unicode code points: an emoji outside the basic plane counts as one, a joined family of four as seven.
 */
export function isTextTooLong(platform: PlatformName, text: string): boolean {
  if (platform === "instagram") return Buffer.byteLength(text) > INSTAGRAM_TEXT_BYTES_MAX;
  // A code point takes one or two UTF-16 units, so only lengths in between need counting.
  if (text.length <= MESSENGER_TEXT_CHARS_MAX) return false;
  return text.length > 2 * MESSENGER_TEXT_CHARS_MAX || Array.from(text).length > MESSENGER_TEXT_CHARS_MAX;
}

/** Whether the platform must fetch a file before it can answer. */
export function namesUrl(content: SendContent): boolean {
  return content.kind === "attachments" && content.attachments.some((attachment) => "url" in attachment);
}

/** The text of a message; empty when it carries attachments. */
export function contentText(content: SendContent): string {
  return content.kind === "text" ? content.text : "";
}

/** The attachments as a message shows them. `url` is null for an uploaded attachment: only the platform has it. */
export function contentAttachments(content: SendContent): Attachment[] {
  if (content.kind === "text") return [];
  return content.attachments.map((attachment) => ({
    type: attachment.type,
    url: "url" in attachment ? attachment.url : null,
  }));
}

// The details of the first release, which clients may compare.
const tooManyImages = `attachments: at most ${IMAGES_PER_MESSAGE_MAX} images in one message`;
const mixedMedia = "attachments: images cannot be combined with other media";
const severalFiles = "attachments: only one video, audio or file per message";

function invalidBody(detail: string): Invalid {
  return invalidField("body", "must have either text or attachments", detail);
}

const textLimits: Readonly<Record<PlatformName, string>> = {
  instagram: `Instagram accepts ${INSTAGRAM_TEXT_BYTES_MAX} bytes of UTF-8`,
  messenger: `Messenger accepts ${MESSENGER_TEXT_CHARS_MAX} characters`,
};

function readText(text: string, platform: PlatformName): SendContent | Invalid {
  if (text.trim() === "") return invalidField("text", "must not be empty");
  return isTextTooLong(platform, text)
    ? invalidField("text", `is too long: ${textLimits[platform]}`, "text_too_long")
    : { kind: "text", text };
}

function readAttachments(requestedAttachments: readonly RequestedAttachment[], scope: Scope): SendContent | Invalid {
  // The count is checked first, so that a list of thousands costs nothing.
  const refusal = checkCombination(requestedAttachments);
  if (refusal) return refusal;
  const attachments: OutgoingAttachment[] = [];
  for (const [index, attachment] of requestedAttachments.entries()) {
    const result = readAttachment(attachment, `attachments[${index}]`, scope);
    if ("refused" in result) return result;
    attachments.push(result);
  }
  return { kind: "attachments", attachments };
}

function checkCombination(attachments: readonly RequestedAttachment[]): Invalid | null {
  const [first] = attachments;
  if (!first) return invalidField("attachments", "must not be empty");
  if (attachments.length === 1) return null;
  const images = attachments.filter(({ type }) => type === "image").length;
  if (images === attachments.length) {
    return images > IMAGES_PER_MESSAGE_MAX
      ? invalidField("attachments", `must have at most ${IMAGES_PER_MESSAGE_MAX} images`, tooManyImages)
      : null;
  }
  if (images > 0) return invalidField("attachments", "must not combine images with other media", mixedMedia);
  return invalidField("attachments", "must have only one video, audio or file", severalFiles);
}

function readAttachment(attachment: RequestedAttachment, name: string, scope: Scope): OutgoingAttachment | Invalid {
  const type = mediaTypes.find((mediaType) => mediaType === attachment.type);
  if (!type) return invalidField(`${name}.type`, `must be one of ${mediaTypes.join(", ")}`);
  const { url, attachmentId } = attachment;
  const eitherProblem = "must have either url or attachment_id";
  if (url != null && attachmentId != null) {
    return invalidField(name, eitherProblem, `${name}: set url or attachment_id, not both`);
  }
  if (url != null) {
    return isFetchable(url)
      ? { type, url }
      : invalidField(`${name}.url`, `must be an https address of at most ${ATTACHMENT_URL_CHARS_MAX} characters`);
  }
  if (attachmentId == null) return invalidField(name, eitherProblem, `${name}: set url or attachment_id`);
  if (!isAttachmentId(attachmentId)) return invalidField(`${name}.attachment_id`, "must be an attachment id");
  if (scope === "live" && attachmentId.startsWith(TEST_ATTACHMENT_PREFIX)) {
    return invalidField(`${name}.attachment_id`, "was uploaded with a test key");
  }
  return { type, attachmentId };
}

// The platforms fetch over valid TLS only. Parley never calls the URL: the platform reports whether it can reach it.
function isFetchable(url: string): boolean {
  if (url.length > ATTACHMENT_URL_CHARS_MAX || !/^https:\/\/[^\s\\]+$/i.test(url) || !URL.canParse(url)) return false;
  const { username, password } = new URL(url);
  return username === "" && password === "" && url.isWellFormed();
}

/** Whether a text can be the platform's id of an uploaded file: 1 to 256 letters, digits and `_.-`. */
export function isAttachmentId(id: string): boolean {
  return id.length <= ATTACHMENT_ID_CHARS_MAX && /^[\w.-]+$/.test(id);
}
