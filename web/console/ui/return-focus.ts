/**
 * Gives the focus back to what had it, after the part that took it has gone. What is gone itself or hidden cannot take it: then
 * the list has it, or else the page. Without this the browser begins again at the top of the page.
 */
export function returnFocus(to: Element | null): void {
  const main = document.querySelector("main");
  const places = [to, document.querySelector(".list"), main];
  if (main !== null) main.tabIndex = -1;
  const place = places.find((each) => each !== document.body && each?.isConnected && each.checkVisibility());
  if (place instanceof HTMLElement) place.focus();
}
