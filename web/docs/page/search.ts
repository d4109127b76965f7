import { create, element } from "../../common/elements.ts";

type Entry = readonly [title: string, page: string, href: string];
const SHOWN_MAX = 12;

/** Shows the search, and loads its index when it is first used. */
export function startSearch(): void {
  const box = element("search", HTMLElement);
  const input = element("search-text", HTMLInputElement);
  const panel = element("search-results", HTMLElement);
  const status = element("search-status", HTMLElement);
  let index: Promise<readonly Entry[]> | null = null;

  const load = () => {
    index ??= fetch("/docs/search.json").then((response) => {
      if (!response.ok) throw new Error(String(response.status));
      return response.json() as Promise<readonly Entry[]>;
    });
    return index;
  };
  const show = async () => {
    const query = input.value;
    const entries = await load().catch(() => {
      index = null;
      return [];
    });
    if (query !== input.value) return;
    const results = query.trim() === "" ? [] : find(entries, query);
    panel.querySelector("ul")?.replaceChildren(...results.map(toItem));
    panel.hidden = results.length === 0;
    status.textContent = query.trim() === "" ? "" : `${results.length} results`;
  };
  const links = () => [...panel.querySelectorAll("a")];
  const close = () => {
    panel.hidden = true;
    input.focus();
  };

  input.addEventListener("focus", () => void load().catch(() => (index = null)));
  input.addEventListener("input", () => void show());
  box.addEventListener("keydown", (event) => {
    const focusable = [input, ...links()];
    const at = focusable.indexOf(document.activeElement as HTMLInputElement);
    if (event.key === "Escape") close();
    else if (event.key === "ArrowDown") focusable[Math.min(at + 1, focusable.length - 1)]?.focus();
    else if (event.key === "ArrowUp") focusable[Math.max(at - 1, 0)]?.focus();
    else if (event.key === "Enter" && at === 0) links()[0]?.click();
    else return;
    event.preventDefault();
  });
  box.addEventListener("focusout", ({ relatedTarget }) => {
    if (!(relatedTarget instanceof Node && box.contains(relatedTarget))) panel.hidden = true;
  });
  panel.addEventListener("click", () => {
    panel.hidden = true;
  });
  addEventListener("keydown", (event) => {
    const isTyping = event.target instanceof HTMLElement && event.target.matches("input, textarea, select");
    if (event.key !== "/" || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    input.focus();
  });
  box.hidden = false;
}

/** The entries that have every word, those whose title starts with the query first. */
function find(entries: readonly Entry[], query: string): Entry[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const rank = ([title, page]: Entry) => {
    const [inTitle, whole] = [title.toLowerCase(), `${title} ${page}`.toLowerCase()];
    if (!words.every((word) => whole.includes(word))) return -1;
    if (inTitle.startsWith(words.join(" "))) return 2;
    return words.every((word) => inTitle.includes(word)) ? 1 : 0;
  };
  return entries
    .map((entry) => ({ entry, rank: rank(entry) }))
    .filter((ranked) => ranked.rank >= 0)
    .sort((a, b) => b.rank - a.rank)
    .slice(0, SHOWN_MAX)
    .map(({ entry }) => entry);
}

function toItem([title, page, href]: Entry): HTMLLIElement {
  return create("li", {}, create("a", { href }, title, " ", create("span", {}, page)));
}
