import { useEffect } from "react";

/**
 * Keeps the page within the part of the window that shows, so that the composer stands above the keyboard of a phone. Chromium
 * shortens the window for its keyboard, as the page asks. Safari shortens only the visual viewport, and moves the page up.
 */
export function useVisibleHeight(): void {
  useEffect(() => {
    const viewport = window.visualViewport;
    if (!viewport) return;
    const { style } = document.documentElement;
    const adjust = () => {
      // A page that is zoomed by two fingers shows less too, and keeps its height.
      style.setProperty("--visible-height", `${viewport.height * viewport.scale}px`);
      if (viewport.scale === 1 && viewport.pageTop > 0) scrollTo(0, 0);
    };
    adjust();
    viewport.addEventListener("resize", adjust);
    viewport.addEventListener("scroll", adjust);
    return () => {
      viewport.removeEventListener("resize", adjust);
      viewport.removeEventListener("scroll", adjust);
      style.removeProperty("--visible-height");
    };
  }, []);
}
