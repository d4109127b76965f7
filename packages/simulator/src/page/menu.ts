import { element } from "./dom.ts";
import { icon } from "./icons.ts";

/** One entry of a menu. With `checked` it is a check box, or a radio button if `radio` is set. */
export interface MenuAction {
  label: string;
  hint?: string;
  checked?: boolean;
  radio?: boolean;
  run(): void;
}
export type MenuEntry = MenuAction | { heading: string } | "divider";

interface MenuOptions {
  /** The accessible name of the menu. */
  label: string;
  entries: () => MenuEntry[];
  /** How the entries are arranged; by default one below the other. `row` is for emoji. */
  layout?: "row" | "columns";
}

let closeOpenMenu: ((returnFocus: boolean) => void) | null = null;
let menus = 0;

/**
 * Makes a button open a menu, as the menu button pattern of the ARIA Authoring Practices describes: Enter, Space and the
 * arrow keys open it, arrows, Home, End and letters move, Escape closes and returns the focus. Nothing runs until an entry
 * is chosen.
 */
export function attachMenu(trigger: HTMLButtonElement, options: MenuOptions): void {
  trigger.setAttribute("aria-haspopup", "menu");
  trigger.setAttribute("aria-expanded", "false");
  trigger.addEventListener("click", () => {
    if (trigger.getAttribute("aria-expanded") === "true") closeOpenMenu?.(true);
    else openMenu(trigger, options).at(0)?.focus();
  });
  trigger.addEventListener("keydown", (event) => {
    if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
    event.preventDefault();
    event.stopPropagation();
    openMenu(trigger, options)
      .at(event.key === "ArrowDown" ? 0 : -1)
      ?.focus();
  });
}

function openMenu(trigger: HTMLButtonElement, { label, entries, layout }: MenuOptions): HTMLElement[] {
  closeOpenMenu?.(false);
  menus += 1;
  const menu = element("div", {
    id: `menu-${menus}`,
    class: layout === undefined ? "menu" : `menu ${layout}`,
    role: "menu",
    "aria-label": label,
  });
  if (layout === "row") menu.setAttribute("aria-orientation", "horizontal");
  menu.append(...groupViews(entries()));
  // Outside of what is rendered again while the menu is open.
  (trigger.closest("header, main") ?? document.body).append(menu);
  trigger.setAttribute("aria-expanded", "true");
  trigger.setAttribute("aria-controls", menu.id);
  place(menu, trigger);

  const items = [...menu.querySelectorAll<HTMLElement>('[role^="menuitem"]')];
  const close = (returnFocus: boolean): void => {
    closeOpenMenu = null;
    menu.remove();
    trigger.setAttribute("aria-expanded", "false");
    trigger.removeAttribute("aria-controls");
    document.removeEventListener("pointerdown", onOutside, true);
    window.removeEventListener("resize", onResize);
    if (returnFocus) currentTrigger(trigger)?.focus();
  };
  const onOutside = ({ target }: Event): void => {
    if (target instanceof Node && !menu.contains(target) && !trigger.contains(target)) close(false);
  };
  const onResize = (): void => close(false);
  closeOpenMenu = close;
  document.addEventListener("pointerdown", onOutside, true);
  window.addEventListener("resize", onResize);
  menu.addEventListener("keydown", (event) => onKey(event, items, close));
  menu.addEventListener("focusout", ({ relatedTarget }) => {
    if (relatedTarget instanceof Node && !menu.contains(relatedTarget) && closeOpenMenu === close) close(false);
  });
  // The entry acts after the menu has closed, so that it can move the focus elsewhere.
  menu.addEventListener("click", () => close(true), true);
  return items;
}

/** The trigger, or the one that replaced it when its surroundings were rendered again. */
function currentTrigger(trigger: HTMLButtonElement): HTMLElement | null {
  if (trigger.isConnected) return trigger;
  const { key } = trigger.dataset;
  return key === undefined ? null : document.querySelector<HTMLElement>(`button[data-key="${CSS.escape(key)}"]`);
}

/** The entries, those below a heading as a group with its name. */
function groupViews(entries: MenuEntry[]): HTMLElement[] {
  const views: HTMLElement[] = [];
  let group: HTMLElement | null = null;
  for (const entry of entries) {
    if (entry === "divider") {
      group = null;
      views.push(element("div", { role: "separator" }));
    } else if ("heading" in entry) {
      const { heading } = entry;
      const title = element("div", { class: "menu-heading", "aria-hidden": "true" }, heading);
      group = element("div", { role: "group", "aria-label": heading }, title);
      views.push(group);
    } else if (group === null) views.push(entryView(entry));
    else group.append(entryView(entry));
  }
  return views;
}

function entryView(entry: MenuAction): HTMLElement {
  const { label, checked, radio = false } = entry;
  const kind = radio ? "menuitemradio" : "menuitemcheckbox";
  const item = element(
    "div",
    {
      role: checked === undefined ? "menuitem" : kind,
      tabindex: "-1",
      "aria-checked": checked === undefined ? null : String(checked),
    },
    element("span", { class: "menu-label" }, label),
    entry.hint === undefined ? null : element("span", { class: "menu-hint" }, entry.hint),
    checked === true ? icon("check") : null,
  );
  item.addEventListener("click", () => queueMicrotask(entry.run));
  return item;
}

function onKey(event: KeyboardEvent, items: HTMLElement[], close: (returnFocus: boolean) => void): void {
  const at = items.indexOf(document.activeElement as HTMLElement);
  const move = (index: number): void => items.at(index % items.length)?.focus();
  const keys: Record<string, () => void> = {
    ArrowDown: () => move(at + 1),
    ArrowRight: () => move(at + 1),
    ArrowUp: () => move(at - 1),
    ArrowLeft: () => move(at - 1),
    Home: () => move(0),
    End: () => move(-1),
    Escape: () => close(true),
    Enter: () => items[at]?.click(),
    " ": () => items[at]?.click(),
  };
  if (event.key === "Tab") {
    close(true);
    return;
  }
  const action = keys[event.key] ?? letterMove(event, items, at);
  if (action === undefined) return;
  event.preventDefault();
  event.stopPropagation();
  action();
}

/** A letter moves to the next entry that begins with it. */
function letterMove(event: KeyboardEvent, items: HTMLElement[], at: number): (() => void) | undefined {
  if (event.key.length !== 1 || event.ctrlKey || event.metaKey || event.altKey) return undefined;
  const ordered = [...items.slice(at + 1), ...items.slice(0, at + 1)];
  const letter = event.key.toLowerCase();
  const target = ordered.find((item) => item.textContent?.toLowerCase().startsWith(letter));
  return () => target?.focus();
}

const margin = 8;

/** Below the button, or above it where there is more room. On a narrow screen the style sheet places it at the bottom. */
function place(menu: HTMLElement, trigger: HTMLElement): void {
  const around = trigger.getBoundingClientRect();
  const { width, height } = menu.getBoundingClientRect();
  const below = window.innerHeight - around.bottom - 2 * margin;
  const above = around.top - 2 * margin;
  const isBelow = below >= height || below >= above;
  menu.style.maxHeight = `${Math.max(120, isBelow ? below : above)}px`;
  const shownHeight = Math.min(height, isBelow ? below : above);
  menu.style.top = `${isBelow ? around.bottom + 6 : around.top - shownHeight - 6}px`;
  const right = window.innerWidth - width - margin;
  menu.style.left = `${Math.max(margin, Math.min(around.left, right))}px`;
}
