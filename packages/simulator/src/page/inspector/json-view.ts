import { button, element } from "../dom.ts";
import { icon } from "../icons.ts";
import { notify } from "../notices.ts";

// Super-linear: the text is made by JSON.stringify, so each quotation mark has its partner.
const token = /("(?:\\.|[^"\\])*")(\s*:)?|\b(true|false|null|-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)\b/gi;

/** JSON with a color for names, strings and other values. */
function colored(json: string): (Node | string)[] {
  const parts: (Node | string)[] = [];
  let end = 0;
  for (const match of json.matchAll(token)) {
    const [whole, string, colon = "", value] = match;
    parts.push(json.slice(end, match.index));
    if (string === undefined) parts.push(element("span", { class: "value" }, value ?? ""));
    else parts.push(element("span", { class: colon === "" ? "string" : "name" }, string), colon);
    end = match.index + whole.length;
  }
  parts.push(json.slice(end));
  return parts;
}

/** A block of text with a title and a button that copies it. */
export function textView(title: string, text: string): HTMLElement {
  return block(title, [text], text);
}

/** A block of JSON with a title and a button that copies `copied`, or else what is shown. */
export function codeView(title: string, shown: string, copied = shown): HTMLElement {
  return block(title, colored(shown), copied);
}

function block(title: string, content: (Node | string)[], copied: string): HTMLElement {
  const copy = button(
    { class: "link", "data-key": `copy ${title}`, "aria-label": `Copy: ${title}` },
    () =>
      void navigator.clipboard.writeText(copied).then(
        () => notify("Copied."),
        () => notify("The browser does not allow copying.", undefined, true),
      ),
    icon("copy"),
    "Copy",
  );
  return element(
    "figure",
    { class: "code" },
    element("figcaption", {}, element("span", {}, title), copy),
    element("pre", { tabindex: "0", role: "region", "aria-label": title }, ...content),
  );
}

/** A JSON text with indentation; the text itself if it is not JSON. */
export function prettyJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
