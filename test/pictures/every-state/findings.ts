import type { Page } from "playwright-core";

// What a program can see in a picture: parts that stand out of the window, words that are cut or covered, targets that
// are smaller than a thumb. It finds what to look at; it is no test.

const FIND = `((isPhone) => {
  const found = [];
  const name = (node) => node.tagName.toLowerCase() + "." + [...node.classList].join(".") + " " + JSON.stringify((node.innerText || node.getAttribute("aria-label") || "").slice(0, 50));
  const top = [...document.querySelectorAll("dialog[open], :popover-open")].at(-1);
  const isShown = (node) => node.checkVisibility({ visibilityProperty: true, opacityProperty: true }) && !node.closest(".unseen");
  const all = [...(top ?? document.body).querySelectorAll("*")].filter((node) => !(node instanceof SVGElement) && isShown(node));
  if (document.documentElement.scrollWidth > innerWidth) found.push("the page scrolls sideways: " + document.documentElement.scrollWidth);
  if (document.documentElement.scrollHeight > innerHeight + 1) found.push("the page scrolls: " + document.documentElement.scrollHeight);
  for (const node of all) {
    const box = node.getBoundingClientRect();
    const style = getComputedStyle(node);
    if (box.width === 0 || box.height === 0 || style.clipPath !== "none") continue;
    const isScrolled = /auto|scroll/.test(style.overflowX) || /auto|scroll/.test(style.overflowY);
    if ((box.left < -1 || box.right > innerWidth + 1) && !node.closest(".filters, .face, .row")) found.push("out of the window: " + name(node));
    if (/auto|scroll/.test(style.overflowX) && node.scrollWidth > node.clientWidth + 1 && !/textarea/i.test(node.tagName)) found.push("scrolls sideways: " + name(node));
    if (!isScrolled && style.overflowX !== "visible" && node.scrollWidth > node.clientWidth + 1 && style.textOverflow !== "ellipsis" && !node.closest("bdi, .unseen")) found.push("is cut: " + name(node));
    if (!isScrolled && style.overflowY !== "visible" && node.scrollHeight > node.clientHeight + 2 && style.webkitLineClamp === "none") found.push("is cut below: " + name(node));
    const isTarget = node.matches("button, a[href], select, textarea, input:not([type=file]), summary");
    if (isPhone && isTarget && !node.closest(".bub") && !node.matches("[type=radio], [type=checkbox]") && (box.width < 43.5 || box.height < 43.5)) found.push("is small: " + name(node) + " " + Math.round(box.width) + "x" + Math.round(box.height));
    const hasWords = [...node.childNodes].some((child) => child.nodeType === 3 && child.textContent.trim() !== "");
    if (!hasWords || node.matches("option, textarea")) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    const words = range.getBoundingClientRect();
    const [x, y] = [words.left + Math.min(words.width / 2, 40), words.top + words.height / 2];
    if (x < 0 || y < 0 || x > innerWidth || y > innerHeight) continue;
    const hit = document.elementFromPoint(x, y);
    const isCut = (edge) => {
      const port = edge.getBoundingClientRect();
      return getComputedStyle(edge).overflowX !== "visible" && (x < port.left || x > port.right || y < port.top || y > port.bottom);
    };
    let isInPort = true;
    for (let edge = node; edge !== null; edge = edge.parentElement) isInPort &&= !isCut(edge);
    const isOver = hit && !node.contains(hit) && !hit.contains(node);
    if (isOver && isInPort && style.pointerEvents !== "none" && !hit.closest("svg, .notices, .waiting, .tip")) found.push("is covered by " + hit.tagName + "." + hit.className + ": " + name(node));
  }
  return [...new Set(found)];
})`;

export function findings(page: Page, isPhone: boolean): Promise<string[]> {
  return page.evaluate(`${FIND}(${isPhone})`);
}
