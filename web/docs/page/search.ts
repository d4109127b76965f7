import { create, element } from "../../common/elements.ts";
import type { Entry } from "../search/compact-index.ts";
import { openSearchClient } from "./search-client.ts";

/** Shows the search, and starts its worker when it is first used. */
export function startSearch(): void {
  const box = element("search", HTMLElement);
  const input = element("search-text", HTMLInputElement);
  const panel = element("search-results", HTMLElement);
  const status = element("search-status", HTMLElement);
  const client = openSearchClient();

  const show = async () => {
    const query = input.value;
    const results = query.trim() === "" ? [] : await client.find(query);
    if (query !== input.value) return;
    const message = toMessage(query, results);
    panel.querySelector("ul")?.replaceChildren(...(results ?? []).map(toItem));
    element("search-none", HTMLElement).textContent = results?.length ? "" : message;
    panel.hidden = query.trim() === "";
    status.textContent = message;
  };
  const links = () => [...panel.querySelectorAll("a")];
  const close = () => {
    panel.hidden = true;
    input.focus();
  };

  input.addEventListener("focus", () => client.start());
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
  panel.addEventListener("click", ({ target }) => {
    if (target instanceof Element && target.closest("a")) panel.hidden = true;
  });
  addEventListener("keydown", (event) => {
    const isTyping = event.target instanceof HTMLElement && event.target.matches("input, textarea, select");
    if (event.key !== "/" || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    input.focus();
  });
  box.hidden = false;
}

/** What a screen reader says, and the panel shows in place of results. */
function toMessage(query: string, results: readonly Entry[] | null): string {
  if (query.trim() === "") return "";
  if (results === null) return "The search could not be loaded. Check your connection and type again.";
  if (results.length === 0) return "No results. Try another word, or a part of it.";
  return `${results.length} result${results.length === 1 ? "" : "s"}`;
}

function toItem([title, place, href]: Entry): HTMLLIElement {
  return create("li", {}, create("a", { href }, title, " ", create("span", {}, place)));
}
