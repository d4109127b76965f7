import { create } from "../../common/elements.ts";

const KEY = "parley-docs-language";

interface Group {
  /** By the name of the language. */
  readonly tabs: ReadonlyMap<string, { readonly button: HTMLButtonElement; readonly panel: HTMLElement }>;
}

/** Makes tabs of the blocks that show a request in several languages. The chosen language holds for every page. */
export function startTabs(): void {
  const groups = [...document.querySelectorAll<HTMLElement>(".tabs")].map((box, index) => toGroup(box, index, choose));
  const language = storedLanguage();
  for (const group of groups) show(group, language);

  function choose(language: string, button: HTMLButtonElement): void {
    const before = button.getBoundingClientRect().top;
    for (const group of groups) show(group, language);
    // Blocks above may have another height now. What was pressed stays where it is.
    scrollBy({ top: button.getBoundingClientRect().top - before, behavior: "instant" });
    try {
      localStorage.setItem(KEY, language);
    } catch {
      // The choice ends with the page.
    }
  }
}

function toGroup(
  box: HTMLElement,
  index: number,
  choose: (language: string, button: HTMLButtonElement) => void,
): Group {
  const list = create("div", { role: "tablist", "aria-label": "Language" });
  const tabs = new Map<string, { readonly button: HTMLButtonElement; readonly panel: HTMLElement }>();
  for (const block of box.querySelectorAll("details")) {
    const language = block.querySelector("summary")?.textContent ?? "";
    const ids = { tab: `tab-${index}-${tabs.size}`, panel: `panel-${index}-${tabs.size}` };
    const button = create("button", { type: "button", role: "tab", id: ids.tab, "aria-controls": ids.panel }, language);
    const panel = create("div", { role: "tabpanel", id: ids.panel, "aria-labelledby": ids.tab });
    panel.append(...[...block.children].filter((child) => !child.matches("summary")));
    button.addEventListener("click", () => choose(language, button));
    block.remove();
    list.append(button);
    box.append(panel);
    tabs.set(language, { button, panel });
  }
  list.addEventListener("keydown", (event) => {
    const buttons = [...tabs.values()].map(({ button }) => button);
    const next = nextIndex(event.key, buttons.indexOf(event.target as HTMLButtonElement), buttons.length);
    if (next === null) return;
    event.preventDefault();
    buttons[next]?.focus();
    buttons[next]?.click();
  });
  box.prepend(list);
  return { tabs };
}

/** The tab that a key moves to. Null for other keys. */
function nextIndex(key: string, index: number, count: number): number | null {
  if (key === "ArrowRight") return (index + 1) % count;
  if (key === "ArrowLeft") return (index + count - 1) % count;
  if (key === "Home") return 0;
  return key === "End" ? count - 1 : null;
}

/** Shows a language, or the first one of a group that does not have it. */
function show({ tabs }: Group, language: string | null): void {
  const shown = language !== null && tabs.has(language) ? language : [...tabs.keys()][0];
  for (const [name, { button, panel }] of tabs) {
    button.setAttribute("aria-selected", String(name === shown));
    button.tabIndex = name === shown ? 0 : -1;
    panel.hidden = name !== shown;
  }
}

function storedLanguage(): string | null {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
}
