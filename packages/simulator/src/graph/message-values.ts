import type { Values } from "../calls/fields.ts";
import type { Account, Attachment, Person, ThreadMessage } from "../world/model.ts";
import { isInstagram } from "../world/platform.ts";

/** A time as Graph writes it, in whole seconds: `2026-11-22T10:15:30+0000`. */
export function graphTime(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}+0000`;
}

/** One side of a thread: the person, or else the account itself. */
export function accountNode(account: Account, person?: Person): Values {
  const id = person?.id ?? account.externalId;
  if (isInstagram(account)) return { username: person === undefined ? account.handle : person.username, id };
  return { name: person?.name ?? account.displayName, email: `${id}@facebook.com`, id };
}

/** A message with every field that `GET /{mid}` knows. Absent parts are null and are left out. */
export function messageValues(
  { account, person }: { account: Account; person: Person },
  message: ThreadMessage,
): Values {
  const sides = [accountNode(account, person), accountNode(account)];
  const [from, to] = message.from === "person" ? sides : sides.toReversed();
  const media = message.attachments.filter(({ type }) => mediaTypes.includes(type));
  const shared = message.attachments.filter(({ type }) => sharedTypes.includes(type));
  return {
    id: message.mid,
    created_time: graphTime(message.at),
    from,
    to: { data: [to] },
    message: message.text ?? "",
    attachments: media.length === 0 ? null : { data: media.map((one) => mediaValues(message, one)) },
    shares: shared.length === 0 ? null : { data: shared.map(shareValues) },
    sticker: message.attachments.find(({ type }) => type === "sticker")?.payload?.url ?? null,
    story: storyValues(message),
    reply_to: message.replyTo === null ? null : { mid: message.replyTo },
    reactions: reactionValues(account, person, message),
    is_unsupported: message.attachments.some(({ type }) => type === "ephemeral") || isUnsupported(message) || null,
    tags: isInstagram(account) ? null : { data: [{ name: message.from === "person" ? "inbox" : "sent" }] },
  };
}

const mediaTypes = ["image", "video", "audio", "file"];
const sharedTypes = ["ig_post", "ig_reel", "reel", "fallback", "location", "share"];

function isUnsupported({ text, attachments, note }: ThreadMessage): boolean {
  return text === null && attachments.length === 0 && note !== null;
}

const mimeTypes: Record<string, string> = {
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  gif: "image/gif",
  webm: "video/webm",
  mp4: "video/mp4",
  wav: "audio/wav",
  m4a: "audio/mp4",
  pdf: "application/pdf",
};
const defaultMimeTypes: Record<string, string> = {
  image: "image/jpeg",
  video: "video/mp4",
  audio: "audio/mp4",
  file: "application/octet-stream",
};

function mediaValues({ mid }: ThreadMessage, { type, payload }: Attachment): Values {
  const url = String(payload?.url ?? "");
  const name = URL.canParse(url) ? (new URL(url).pathname.split("/").at(-1) ?? "") : "";
  const extension = name.split(".").at(-1)?.toLowerCase() ?? "";
  const size = { width: 640, height: 480, max_width: 640, max_height: 480 };
  const content: Values =
    type === "image"
      ? { image_data: { ...size, url, preview_url: url, image_type: 1, render_as_sticker: false } }
      : type === "video"
        ? { video_data: { ...size, length: 4, video_type: 1, url, preview_url: url, rotation: 0 } }
        : { file_url: url };
  const mimeType = mimeTypes[extension] ?? defaultMimeTypes[type];
  return { id: `${mid.slice(-12)}_${type}`, mime_type: mimeType, name, size: 24_576, ...content };
}

function shareValues({ type, title, payload }: Attachment): Values {
  const coordinates = payload?.coordinates as { lat: number; long: number } | undefined;
  const link = coordinates
    ? `https://www.facebook.com/l.php?u=https%3A%2F%2Fmaps.example%2F${coordinates.lat}%2C${coordinates.long}`
    : payload?.url;
  return { link, name: title ?? payload?.title ?? type };
}

function storyValues({ attachments, story }: ThreadMessage): Values | null {
  const mention = attachments.find(({ type }) => type === "story_mention")?.payload?.url;
  if (mention !== undefined) return { mention: { id: "17900000000000004", link: mention } };
  return story === undefined ? null : { reply_to: { id: "17900000000000001", link: story.url } };
}

function reactionValues(account: Account, person: Person, { reactions }: ThreadMessage): Values | null {
  const data = [
    ...(reactions.person === undefined ? [] : [{ reaction: reactions.person, users: [accountNode(account, person)] }]),
    ...(reactions.account === undefined ? [] : [{ reaction: reactions.account, users: [accountNode(account)] }]),
  ];
  return data.length === 0 ? null : { data };
}
