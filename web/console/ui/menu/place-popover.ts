const EDGE_PX = 12;
const GAP_PX = 6;

/**
 * Places an open popover at its button, within the window.
 * @param side the one that is preferred; the other one where there is no room
 */
export function placePopover(popover: HTMLElement | null, opener: HTMLElement | null, side: "above" | "below"): void {
  if (!popover || !opener) return;
  const { left, top, bottom } = opener.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = popover;
  const above = top - height - GAP_PX;
  const below = bottom + GAP_PX;
  const isAbove = side === "above" ? above >= EDGE_PX : below + height > innerHeight;
  popover.style.left = `${Math.max(EDGE_PX, Math.min(left, innerWidth - width - EDGE_PX))}px`;
  popover.style.top = `${isAbove ? Math.max(EDGE_PX, above) : below}px`;
}
