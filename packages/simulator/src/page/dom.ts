import { printableText } from "../../../loopback/src/printable.ts";

type Child = Node | string | null | undefined | false;
type Properties = Record<string, string | boolean | null | undefined>;

/** The properties that people read or hear. */
const READ_PROPERTIES: ReadonlySet<string> = new Set(["alt", "aria-label", "placeholder", "title"]);

/** Creates an element. A property is set as an attribute; `true` sets it empty, and null, undefined and false omit it. */
export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  properties: Properties = {},
  ...children: Child[]
): HTMLElementTagNameMap[Name] {
  const created = document.createElement(name);
  for (const [property, value] of Object.entries(properties)) {
    if (value === null || value === undefined || value === false) continue;
    const text = value === true ? "" : value;
    created.setAttribute(property, READ_PROPERTIES.has(property) ? printableText(text) : text);
  }
  const shown = children.filter((child) => child !== null && child !== undefined && child !== false);
  created.append(...shown.map((child) => (typeof child === "string" ? printableText(child) : child)));
  return created;
}

/** The element of the page with that id. Throws if the page has none. */
export function byId(id: string): HTMLElement {
  const target = document.getElementById(id);
  if (target === null) throw new Error(`the page has no element ${id}`);
  return target;
}

export function button(properties: Properties, onClick: (() => void) | null, ...children: Child[]): HTMLButtonElement {
  const created = element("button", { type: "button", ...properties }, ...children);
  if (onClick !== null) created.addEventListener("click", onClick);
  return created;
}

export function setText(target: HTMLElement, text: string): void {
  const shown = printableText(text);
  if (target.textContent !== shown) target.textContent = shown;
}

/**
 * Replaces the children of a container only if `shape` changed, and moves the keyboard focus to the new element with the
 * same `data-key`.
 */
export function replaceChildren(container: HTMLElement, shape: unknown, build: () => Child[]): void {
  const text = JSON.stringify(shape);
  if (container.dataset.shape === text) return;
  container.dataset.shape = text;
  const focused = document.activeElement;
  const key =
    container.contains(focused) && focused instanceof HTMLElement
      ? focused.closest<HTMLElement>("[data-key]")?.dataset.key
      : undefined;
  const { scrollTop } = container;
  container.replaceChildren(...build().filter((child) => child !== null && child !== undefined && child !== false));
  container.scrollTop = scrollTop;
  if (key !== undefined) container.querySelector<HTMLElement>(`[data-key="${CSS.escape(key)}"]`)?.focus();
}
