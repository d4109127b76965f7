import type { Page } from "playwright-core";

/** What people read or hear of a page: its title, its text, also the hidden one, and the attributes that name elements. */
export function readableText(page: Page): Promise<string> {
  return page.evaluate<string>(READABLE);
}

const READABLE = `(() => {
  const names = ["alt", "aria-description", "aria-label", "placeholder", "title"];
  const attributes = [...document.querySelectorAll(names.map((name) => "[" + name + "]").join())].flatMap((node) =>
    names.map((name) => node.getAttribute(name)),
  );
  return [document.title, document.body.textContent, ...attributes].join("\\n");
})()`;
