import { fillText } from "../../shared/base/languages/texts.ts";
import { element, showText } from "../common/elements.ts";
import type { Attachment, Hold } from "./calls.ts";
import { platformName } from "./notices.ts";
import { texts } from "./texts.ts";

// The held message in the page. Data from the server is set as text, never as markup.

const SVG = "http://www.w3.org/2000/svg";

export function showMessage(hold: Hold): void {
  const name = hold.displayName.trim() === "" ? texts.aPerson : hold.displayName;
  setText("name", name);
  setText("initial", [...name.trim()][0]?.toLocaleUpperCase() ?? "");
  setText("username", hold.username === "" || hold.username === name ? "" : `@${hold.username}`);
  const values = { platform: platformName(hold.platform) };
  setText("platform", fillText(texts.onPlatform, values));
  setText("why", fillText(texts.whyText, values));
  const bubble = setText("text", hold.text);
  bubble.hidden = hold.text === "";
  setText("account", withSign(hold.accountHandle, hold.platform));
  element("from", HTMLElement).hidden = hold.accountHandle === "";
  setText("author", hold.author);
  element("typed-by", HTMLElement).hidden = hold.author === "";
  showAttachments(hold.attachments);
}

/** Selects the text, so that the person can copy it. */
export function selectText(): void {
  getSelection()?.selectAllChildren(element("text", HTMLElement));
}

function setText(id: string, text: string): HTMLElement {
  const node = element(id, HTMLElement);
  showText(node, text);
  return node;
}

/** Instagram shows user names with a sign. A Messenger account may have only a name. */
function withSign(handle: string, platform: string): string {
  return platform === "instagram" && handle !== "" && !handle.startsWith("@") ? `@${handle}` : handle;
}

function showAttachments(attachments: readonly Attachment[]): void {
  const list = element("attachments", HTMLElement);
  list.hidden = attachments.length === 0;
  list.setAttribute("aria-label", fillText(texts.attachments, { count: attachments.length }));
  list.replaceChildren(
    ...attachments.map((attachment) => {
      const item = document.createElement("li");
      item.append(attachment.url === null ? uploadedFile(attachment) : linkedFile(attachment, new URL(attachment.url)));
      return item;
    }),
  );
}

/** The page loads nothing from another host: a press opens the file in a tab of its own. */
function linkedFile({ type }: Attachment, url: URL): HTMLElement {
  const link = document.createElement("a");
  link.href = url.href;
  link.target = "_blank";
  link.rel = "noopener noreferrer";
  link.append(icon(type), description(fileName(url) || url.host, `${typeName(type)} · ${url.host}`), icon("open"));
  const hint = document.createElement("span");
  hint.className = "unseen";
  hint.textContent = texts.newTab;
  link.append(hint);
  return link;
}

function uploadedFile({ type }: Attachment): HTMLElement {
  const tile = document.createElement("div");
  tile.append(icon(type), description(typeName(type), texts.uploaded));
  return tile;
}

function description(name: string, note: string): HTMLElement {
  const box = document.createElement("span");
  box.className = "file";
  const title = document.createElement("bdi");
  showText(title, name);
  const source = document.createElement("span");
  source.className = "soft";
  source.textContent = note;
  box.append(title, " ", source);
  return box;
}

/** The last part of the path, decoded if it can be. */
function fileName({ pathname }: URL): string {
  const name = pathname.split("/").at(-1) ?? "";
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

function typeName(type: string): string {
  return type === "image" || type === "video" || type === "audio" ? texts[type] : texts.file;
}

const iconPaths: Readonly<Record<string, string>> = {
  image: "M4 5.5h16v13H4zM4 15.5l4.5-4.5 4 4 3-3 4.5 4.5M15.2 9.2h.1",
  video: "M3.5 6.5h11.5v11H3.5zM15 10.5l5.5-3v9l-5.5-3z",
  audio: "M9 17.5V6l10-2v11.5M9 17.5a2.5 2.5 0 1 1-5 0a2.5 2.5 0 0 1 5 0M19 15.5a2.5 2.5 0 1 1-5 0a2.5 2.5 0 0 1 5 0",
  file: "M6 3.5h8l4.5 4.5v12.5H6zM14 3.5V8h4.5",
  open: "M9 6H6v12h12v-3M13 5h6v6M19 5l-8 8",
};

function icon(kind: string): SVGElement {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS(SVG, "path");
  path.setAttribute("d", iconPaths[kind] ?? iconPaths.file ?? "");
  svg.append(path);
  return svg;
}
