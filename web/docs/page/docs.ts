import { create, element } from "../../common/elements.ts";
import { startSearch } from "./search.ts";
import { startTabs } from "./tabs.ts";
import { chosenTheme, saveTheme, showTheme, themes } from "./themes.ts";

// What a page has besides its text: tabs, a search, a choice of colors, buttons that copy code, the place in its list.

startTabs();
addCopyButtons();
addThemeSwitch();
addPlace();
showCurrentPage();
openTarget();
addEventListener("hashchange", openTarget);
startSearch();

function addCopyButtons(): void {
  for (const block of document.querySelectorAll<HTMLElement>(".code")) {
    const code = block.querySelector("code");
    const name = block.querySelector(".code-name");
    if (!code || !name || !navigator.clipboard) continue;
    const button = create("button", { type: "button", class: "copy" }, "Copy");
    button.setAttribute("aria-label", `Copy ${name.textContent}`);
    button.addEventListener("click", () => {
      void navigator.clipboard.writeText(code.textContent ?? "").then(
        () => showFor(button, "Copied"),
        () => showFor(button, "Not copied"),
      );
    });
    block.append(button);
  }
}

function showFor(button: HTMLButtonElement, words: string): void {
  button.textContent = words;
  setTimeout(() => {
    button.textContent = "Copy";
  }, 2_000);
}

function addThemeSwitch(): void {
  const button = element("theme", HTMLButtonElement);
  const name = element("theme-name", HTMLElement);
  let theme = chosenTheme();
  const show = () => {
    showTheme(theme);
    name.textContent = theme;
    button.title = `Color theme: ${theme}`;
  };
  button.addEventListener("click", () => {
    theme = themes[(themes.indexOf(theme) + 1) % themes.length] ?? "system";
    saveTheme(theme);
    show();
  });
  show();
  button.hidden = false;
}

/** Marks the heading that is being read in the list of the page. */
function addPlace(): void {
  const links = [...document.querySelectorAll<HTMLAnchorElement>('.contents a, .side a[href^="#"]')];
  const sections = links.flatMap((link) => {
    const target = document.getElementById(decodeURIComponent(link.hash.slice(1)));
    return target ? [{ link, target }] : [];
  });
  if (sections.length === 0) return;
  const update = () => {
    const passed = sections.filter(({ target }) => target.getBoundingClientRect().top < 140);
    const current = passed.at(-1) ?? sections[0];
    for (const { link } of sections) link.classList.toggle("here", link === current?.link);
  };
  addEventListener("scroll", update, { passive: true });
  update();
}

/** Scrolls the navigation to the page that is read. */
function showCurrentPage(): void {
  const current = document.querySelector<HTMLElement>(".side [aria-current]");
  const side = current?.closest<HTMLElement>(".side");
  if (!current || !side) return;
  const below = current.getBoundingClientRect().bottom - side.getBoundingClientRect().top;
  if (below > side.clientHeight * 0.8) side.scrollTop = below - side.clientHeight / 2;
}

/** Opens what hides the target of the address. */
function openTarget(): void {
  const id = decodeURIComponent(location.hash.slice(1));
  const target = document.getElementById(id) ?? findField(id);
  if (target === null) return;
  for (let at: Element | null = target; at !== null; at = at.parentElement) {
    if (at instanceof HTMLDetailsElement) at.open = true;
  }
  if (target.id !== id) target.scrollIntoView({ block: "center" });
}

/** The field that `#listConversations.participant_handle` names: an address of the search. */
function findField(id: string): HTMLElement | null {
  const dots = [...id].flatMap((character, at) => (character === "." ? [at] : []));
  for (const dot of dots) {
    const fields = document.getElementById(id.slice(0, dot))?.querySelectorAll<HTMLElement>("code.name") ?? [];
    const field = [...fields].find(({ textContent }) => textContent === id.slice(dot + 1));
    if (field) return field;
  }
  return null;
}
