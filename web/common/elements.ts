import { printableText } from "../../packages/client/src/printable.ts";

/** An element of the page. Throws when the page has none. */
export function element<T extends Element>(id: string, type: new () => T): T {
  const node = document.getElementById(id);
  if (!(node instanceof type)) throw new Error(`The page has no #${id}.`);
  return node;
}

/** Shows a text that others wrote, without what would reorder or hide a part of it. */
export function showText(node: Element, text: string): void {
  node.textContent = printableText(text);
}

/** The attributes that people read or hear. */
const READ_ATTRIBUTES: ReadonlySet<string> = new Set(["alt", "aria-label", "placeholder", "title"]);

/** Creates an element. Strings become text, never markup. */
export function create<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Readonly<Record<string, string>>,
  ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    node.setAttribute(name, READ_ATTRIBUTES.has(name) ? printableText(value) : value);
  }
  node.append(...children.map((child) => (typeof child === "string" ? printableText(child) : child)));
  return node;
}
