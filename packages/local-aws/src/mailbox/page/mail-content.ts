import { printableText } from "../../../../loopback/src/printable.ts";
import type { Mail } from "./mail.ts";

export type MailPart = "html" | "text";

/** The parts that a mail has, the one that a mail program shows first. */
export function mailParts({ html, text }: Mail): MailPart[] {
  return [...(html === null ? [] : (["html"] as const)), ...(text === null ? [] : (["text"] as const))];
}

/** A part of a mail, with links that open in a new tab. */
export function mailContent(mail: Mail, part: MailPart): HTMLElement {
  return part === "html" ? htmlFrame(mail.html ?? "", mail.subject) : textView(mail.text ?? "");
}

/**
 * The HTML in a frame without scripts, forms and access to this page, which loads nothing. Its links open in a new tab that is
 * an ordinary one.
 */
function htmlFrame(html: string, subject: string): HTMLElement {
  const frame = document.createElement("iframe");
  frame.title = `HTML of the mail ${subject}`;
  frame.setAttribute("sandbox", "allow-popups allow-popups-to-escape-sandbox");
  frame.referrerPolicy = "no-referrer";
  frame.srcdoc = `<!doctype html><base target="_blank">${html}`;
  return frame;
}

const URL_PATTERN = /https?:\/\/[^\s<>"']+/g;

/** The text as it is, each URL as a link. */
function textView(text: string): HTMLElement {
  const view = document.createElement("pre");
  view.tabIndex = 0;
  view.setAttribute("role", "region");
  view.setAttribute("aria-label", "Text of the mail");
  let end = 0;
  for (const match of text.matchAll(URL_PATTERN)) {
    const url = withoutEndPunctuation(match[0]);
    view.append(printableText(text.slice(end, match.index)), link(url));
    end = match.index + url.length;
  }
  view.append(printableText(text.slice(end)));
  return view;
}

/** A sentence that ends with a URL has its full stop behind it. */
function withoutEndPunctuation(url: string): string {
  let end = url.length;
  while (end > 0 && ".,;:!?)".includes(url[end - 1] ?? "")) end -= 1;
  return url.slice(0, end);
}

function link(url: string): HTMLElement {
  const created = document.createElement("a");
  created.href = url;
  created.target = "_blank";
  created.rel = "noopener noreferrer";
  created.textContent = printableText(url);
  return created;
}
