import type { Page } from "playwright-core";

// What is wrong with the layout of a page without a frame: a window that scrolls sideways, words that leave the window or
// their box, words that are cut, covered or veiled by an empty bar, and controls that are smaller than a thumb or touch each other.

const FIND = `(() => {
  const found = [];
  if (document.documentElement.scrollWidth > innerWidth) found.push("scrolls sideways: " + document.documentElement.scrollWidth);
  const isShown = (node) => node.checkVisibility({ visibilityProperty: true, opacityProperty: true });
  // What only screen readers meet is a pixel large, and what sticks to an edge covers what scrolls below it.
  const isUnseen = (node) => node !== document.body && (getComputedStyle(node).clipPath !== "none" || isUnseen(node.parentElement));
  const sticks = (node) => node !== document.body && (/sticky|fixed/.test(getComputedStyle(node).position) || sticks(node.parentElement));
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const words = [];
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const parent = node.parentElement;
    if (node.data.trim() === "" || parent.closest("script, noscript") || !isShown(parent) || isUnseen(parent)) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    for (const box of range.getClientRects()) if (box.width > 1 && box.height > 1) words.push({ node, parent, box });
  }
  const name = ({ node }) => JSON.stringify(node.data.trim().slice(0, 60));
  const leaves = (box, port, sides) =>
    (sides !== "y" && (box.left < port.left - 1 || box.right > port.right + 1)) ||
    (sides !== "x" && (box.top < port.top - 1 || box.bottom > port.bottom + 1));
  for (const word of words) {
    const { parent, box } = word;
    if (box.left < -0.5 || box.right > innerWidth + 0.5) found.push("leaves the window: " + name(word));
    for (let edge = parent; edge !== document.body; edge = edge.parentElement) {
      const { overflowX, overflowY } = getComputedStyle(edge);
      const port = edge.getBoundingClientRect();
      const isBox = edge.matches("button, .button, .card, .message, .bubble, .notice");
      if (isBox && leaves(box, port)) found.push("leaves its box: " + name(word));
      if (overflowX !== "visible" && leaves(box, port, "x")) found.push("is cut: " + name(word));
      if (/hidden|clip/.test(overflowY) && leaves(box, port, "y")) found.push("is cut below: " + name(word));
    }
  }
  words.forEach((a, at) => {
    for (const b of words.slice(at + 1)) {
      if (a.node === b.node || sticks(a.parent) !== sticks(b.parent)) continue;
      const width = Math.min(a.box.right, b.box.right) - Math.max(a.box.left, b.box.left);
      const height = Math.min(a.box.bottom, b.box.bottom) - Math.max(a.box.top, b.box.top);
      if (width > 2 && height > 4) found.push("covers other words: " + name(a) + " " + name(b));
    }
  });
  for (const bar of document.querySelectorAll("main *")) {
    const isEmpty = !words.some(({ parent }) => bar.contains(parent)) && ![...bar.querySelectorAll("*")].some((node) => isShown(node) && !isUnseen(node) && node.clientHeight > 1);
    if (getComputedStyle(bar).position === "sticky" && isShown(bar) && isEmpty) found.push("an empty bar sticks: " + bar.className);
  }
  const controls = [...document.querySelectorAll("button, .button, input:not([type=hidden])")].filter(isShown);
  controls.forEach((control, at) => {
    const { width, height, bottom } = control.getBoundingClientRect();
    if (width < 43.5 || height < 43.5) found.push("is small: " + control.outerHTML.slice(0, 80));
    const next = controls[at + 1]?.getBoundingClientRect();
    if (next && next.top >= bottom && next.top - bottom < 8) found.push("touches the next: " + control.outerHTML.slice(0, 80));
  });
  return [...new Set(found)];
})()`;

/** What is wrong with the layout of a page, in words. */
export function layoutProblems(page: Page): Promise<string[]> {
  return page.evaluate(FIND);
}
