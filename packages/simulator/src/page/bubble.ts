import type { Attachment, ThreadMessage } from "../world/model.ts";
import { element } from "./dom.ts";
import { icon } from "./icons.ts";

/** The sticker of Messenger's like button. */
const thumbsUp = 369_239_263_222_822;

/** The content of a message: its note, what it replies to, its attachments and its text. */
export function bubble(message: ThreadMessage, quoted: ThreadMessage | undefined, quotedName: string): HTMLElement {
  if (message.deleted) return element("div", { class: "bubble unsent" }, element("p", {}, "Message unsent"));
  const box = element("div", { class: "bubble" });
  const parts = message.attachments.map(attachmentView);
  const onlyMedia = parts.length > 0 && message.text === null;
  if (onlyMedia) box.classList.add("bare");
  return element(
    "div",
    { class: "stack" },
    message.note === null ? null : element("p", { class: "note" }, message.note),
    message.story === undefined ? null : storyCard(message.story.url),
    message.replyTo === null ? null : quote(quoted, quotedName),
    parts.length > 1
      ? element("div", { class: `album count-${Math.min(parts.length, 4)}` }, ...parts)
      : (parts[0] ?? null),
    message.text === null && parts.length > 0 ? null : fill(box, message),
  );
}

function fill(box: HTMLElement, message: ThreadMessage): HTMLElement {
  box.append(element("p", {}, message.text ?? message.note ?? ""));
  return box;
}

function storyCard(url: string): HTMLElement {
  return element("div", { class: "story" }, image(url, "The story"));
}

function quote(quoted: ThreadMessage | undefined, name: string): HTMLElement {
  const text = quoted?.deleted === true ? "Message unsent" : (quoted?.text ?? quoted?.note ?? "An attachment");
  return element(
    "div",
    { class: "quote" },
    element(
      "span",
      { class: "quote-name" },
      quoted === undefined ? "Replied to an earlier message" : `Replied to ${name}`,
    ),
    element("p", {}, text),
  );
}

function image(url: string, alt: string): HTMLElement {
  return element("img", { src: url, alt, width: "280", height: "210", loading: "lazy" });
}

/** Only media of the simulator itself is shown. Media of another origin stays a link, as the page's policy demands. */
function isOwn(url: string): boolean {
  return new URL(url, location.href).origin === location.origin;
}

function attachmentView({ type, title, payload = {} }: Attachment): HTMLElement {
  const url = typeof payload.url === "string" ? payload.url : null;
  const heading = typeof payload.title === "string" ? payload.title : (title ?? null);
  if (type === "like_heart")
    return element("div", { class: "heart" }, icon("heart"), element("span", { class: "unseen" }, "A heart"));
  if (payload.sticker_id === thumbsUp)
    return element("div", { class: "thumb" }, icon("thumb"), element("span", { class: "unseen" }, "Thumbs up"));
  if (type === "ephemeral") return card("play", "View-once photo", "It has no address in the webhook");
  if (type === "location") return card("pin", heading ?? "Location", coordinates(payload));
  if (url === null) return card("document", `An attachment: ${type}`, "Without an address");
  const isShare = ["ig_post", "fallback", "share"].includes(type);
  if (isOwn(url) && type === "ig_reel")
    return media(
      element("video", { src: url, controls: true, preload: "metadata", "aria-label": heading ?? "Reel" }),
      heading,
    );
  if (isOwn(url) && type === "video")
    return media(element("video", { src: url, controls: true, preload: "metadata", "aria-label": "Video" }), null);
  if (isOwn(url) && type === "audio")
    return media(
      element("audio", { src: url, controls: true, preload: "metadata", "aria-label": "Voice message" }),
      null,
    );
  if (isOwn(url) && type === "file") return fileLink(url);
  if (isOwn(url) && isShare) return media(image(url, "The shared post"), heading);
  if (isOwn(url) && (type === "sticker" || payload.sticker_id !== undefined)) {
    return element("div", { class: "sticker" }, image(url, "Sticker"));
  }
  if (isOwn(url)) return element("div", { class: "photo" }, image(url, `Attachment: ${type}`));
  return fileLink(url, `Open the ${type}`);
}

function coordinates(payload: Record<string, unknown>): string {
  const { lat, long } = (payload.coordinates ?? {}) as { lat?: number; long?: number };
  return lat === undefined || long === undefined ? "" : `${lat.toFixed(4)}, ${long.toFixed(4)}`;
}

function card(name: "document" | "pin" | "play", title: string, detail: string): HTMLElement {
  return element(
    "div",
    { class: "card" },
    icon(name),
    element("div", {}, element("p", { class: "card-title" }, title), element("p", { class: "card-detail" }, detail)),
  );
}

function fileLink(
  url: string,
  label = decodeURIComponent(new URL(url, location.href).pathname.split("/").at(-1) ?? ""),
): HTMLElement {
  const detail = isOwn(url) ? "Open the file" : new URL(url, location.href).hostname;
  const link = element("a", { class: "card", href: url, target: "_blank", rel: "noreferrer" });
  link.append(...card("document", label, detail).childNodes);
  return link;
}

function media(player: HTMLElement, title: string | null): HTMLElement {
  return element(
    "div",
    { class: "media" },
    player,
    title === null ? null : element("p", { class: "media-title" }, title),
  );
}
